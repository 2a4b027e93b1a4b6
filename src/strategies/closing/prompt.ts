/** The request to judge a result: the whole goal, the whole result, and what it was made from. */
import { FENCE_RULE, fence } from '../../kernel/fence.ts'
import type { Schema } from '../../kernel/schema.ts'
import type { ModelRequest } from '../../protocol/index.ts'
import { twoMessages } from '../prompt-text.ts'
import { asObject, invalidReply } from '../read-value.ts'
import { count, rangeText } from './count.ts'

export interface Judged {
  /** What the person asked for. */
  readonly goal: string
  /** What they said since; empty if nothing. */
  readonly said: string
  readonly result: string
  /** Files that the goal asked for, as they are now. */
  readonly files: readonly Material[]
  readonly material: readonly Material[]
}

/** A text that the result was made from, or is a part of it. */
export interface Material {
  /** What it is: a sub-goal, a question, a file. */
  readonly about: string
  readonly text: string
}

export interface Verdict {
  readonly problems: readonly string[]
  readonly fits: boolean
}

const RULES = `You are the last reader of a result before it goes to the person who asked for it. You see what they asked for, and the \
result exactly as they would get it. Decide whether they would accept it.
Go through what the goal asks for, point by point, and find each point in the result. Then hold the result's own parts against each \
other: figures, names, dates, and what is decided or recommended.
Send it back only for what this person would send it back for:
- something they asked for is missing, cut off, or not done in the way they asked;
- two parts of the result contradict each other, or its figures do not add up;
- it contradicts the material it was made from, where you are shown some;
- it reports on the work (steps taken, checks made, what could not be run) in place of what was asked for, or around it.
Do not judge style or taste, and do not ask for more than the goal does. The length is counted for you: only one that is clearly not \
what was asked for matters. When in doubt, it fits.
Answer with one JSON object: {"problems":["…"],"fits":true}. Each problem is one sentence that says where it is and what would be \
right; at most five, the gravest first. "fits" is false if there is a problem for which the person would send it back.
`

export function judgePrompt({ goal, said, result, files, material }: Judged): ModelRequest {
  return {
    kind: 'check/result',
    version: 1,
    role: 'judge',
    input: { goal, result },
    messages: twoMessages(
      [RULES, FENCE_RULE],
      [
        `The goal, in the person's words:\n${goal}\n\n`,
        said === '' ? '' : `What they said since:\n${said}\n\n`,
        ...material.map(({ about, text }) => `Material — ${about}:\n${fence('material', text)}\n\n`),
        `The result (${measures(result)}):\n${fence('result', result, { maxChars: Number.POSITIVE_INFINITY })}\n\n`,
        ...files.map(
          ({ about, text }) =>
            `Part of the result, the file ${about} (${measures(text)}):\n${fence('file', text)}\n\n`,
        ),
        'Would they accept it?',
      ],
    ),
    schema: verdictSchema.json,
  }
}

/** Models count badly. */
function measures(text: string): string {
  return `${rangeText(count(text, 'words'))} words, ${text.length} characters`
}

export const verdictSchema: Schema<Verdict> = {
  json: {
    type: 'object',
    properties: { problems: { type: 'array', items: { type: 'string' } }, fits: { type: 'boolean' } },
    required: ['problems', 'fits'],
  },
  check(value) {
    const { problems, fits } = asObject(value)
    if (typeof fits !== 'boolean') throw invalidReply('"fits" must be true or false', value)
    if (!Array.isArray(problems) || problems.some((problem) => typeof problem !== 'string'))
      throw invalidReply('"problems" must be a list of texts', value)
    return { problems, fits }
  },
}
