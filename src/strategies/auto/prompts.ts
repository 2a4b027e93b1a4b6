import type { Context } from '../../kernel/strategy.ts'
import { goalText, type ModelRequest, shorten } from '../../protocol/index.ts'
import { twoMessages } from '../prompt-text.ts'
import { classificationJson } from './schema.ts'

const MAX_GOAL = 4_000

const CLASSIFY_RULES = `You look at a goal for a moment and say what it is like, so that the right way to work on it can be chosen. You do not work on it. Answer with one JSON object:
{"kind":"question"|"puzzle"|"writing"|"alternatives"|"investigation"|"work","needs_tools":true|false,"checkable":true|false,"size":"small"|"medium"|"large"}
question: an answer is to be thought out. puzzle: something that either fits or does not. writing: a text. alternatives: the best of several ideas. investigation: a cause or fact to be found
out. work: something to be made or changed. needs_tools: files, commands, the network. checkable: a program could tell whether an answer is right. size: small is one step, large many.
`

export function classifyPrompt({ block }: Context, hasTools: boolean): ModelRequest {
  const goal = goalText(block.goal)
  return {
    kind: 'auto/classify',
    version: 1,
    role: 'judge',
    input: { goal, hasTools },
    messages: twoMessages(
      CLASSIFY_RULES,
      `Tools are ${hasTools ? '' : 'not '}available.\nGoal: ${shorten(goal, MAX_GOAL)}\n`,
    ),
    schema: classificationJson,
    settings: { temperature: 0, maxOutputTokens: 200 },
  }
}
