import type { Brief } from '../../kernel/brief/brief.ts'
import { countTokens } from '../../kernel/brief/count-tokens.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText, shortenMiddle } from '../../protocol/index.ts'
import { canAct } from './needs.ts'
import { classificationJson } from './schema.ts'

/** Of a longer goal, the beginning and the end say what it is like. */
const MAX_GOAL_TOKENS = 4_000

const CLASSIFY_RULES = `You choose who works on a goal. You do not work on it. Answer with one JSON object:
{"needs":["files","commands","network"],"strategy":"…","reason":"…"}
needs: what the goal takes that thinking and general knowledge can't give: files to read or to write, commands to run, the network. A goal that brings its
text along needs no file for it. An empty list when nothing of this is needed.
strategy: one of
- fractal: uses tools. One call where one call is enough: a plain question, a short text, a look at a file, a command and what it says. Long texts and open
  tasks in parts.
- cot: no tools. Several steps of reasoning: mathematics, logic, proofs.
- tot: no tools. A search among many tries: a puzzle, the best of several ideas, a cause to be found from symptoms that the goal states.
- planner: uses tools. A cause to be found by evidence, a change that commands make and check.
- dual: uses tools. Large work: a plan of many tasks.
A goal with needs goes to a strategy that uses tools. In doubt: fractal.
reason: a few words.
`

export function classifyBrief({ block, tools, hiddenTools }: Context): Brief {
  const goal = goalText(block.goal)
  const names = canAct(tools, hiddenTools) ? toolNames(tools, hiddenTools) : []
  return {
    kind: 'auto/classify',
    version: 2,
    role: 'judge',
    input: { goal, tools: names },
    system: CLASSIFY_RULES,
    sections: [
      { need: 'first', title: 'Tools:', items: [{ text: names.join(', ') || 'none' }] },
      { need: 'whole', title: 'The goal:', items: [{ text: headAndTail(goal) }] },
    ],
    question: 'Who works on it?',
    schema: classificationJson,
    settings: { temperature: 0, maxOutputTokens: 1_000 },
  }
}

function headAndTail(goal: string): string {
  const tokens = countTokens(goal)
  if (tokens <= MAX_GOAL_TOKENS) return goal
  const chars = Math.floor((goal.length * MAX_GOAL_TOKENS) / tokens)
  return shortenMiddle(goal, chars, (left) => `[… ${left} of ${goal.length} characters left out]`)
}

function toolNames(tools: Context['tools'], hiddenTools: Context['tools']): readonly string[] {
  const executors = hiddenTools.flatMap(({ executor }) => executor?.id ?? [])
  return [...new Set([...tools.map(({ name }) => name), ...executors])]
}
