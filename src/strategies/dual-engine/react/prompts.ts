/** What the loop of a task asks its model: to decide, to look back, to sum up, to close. */
import { FENCE_RULE } from '../../../kernel/fence.ts'
import type { ModelRequest } from '../../../protocol/index.ts'
import { timelineText, toolLines } from '../../prompt-text.ts'
import type { ReflectionLevel } from '../notes.ts'
import { closingText, historyText } from '../prompts/history.ts'
import {
  clip,
  clipFence,
  inputOf,
  MAX_CLOSING,
  MAX_NOTICES,
  MAX_PROBLEM,
  MAX_TASK,
  promptOf,
  request,
  taskTexts,
} from '../prompts/parts.ts'
import type { Action, Loop } from './loop.ts'

// In tokens.
const MAX_MEMORIES = 1_000
const MAX_BLUEPRINTS = 800

const REACT_RULES = `You carry out one task of a plan, in a loop: you see where you stand, decide on one action, and see what came of it. Answer with one JSON object:
{"action":"<name>","human_readable_thought":"<why, in one sentence for the person who watches>", …the action's own fields}
Do one thing at a time, and look at what came of it before the next. What failed is not tried again in the same way. When the task is done, finish with its
result, whole, in the language of the user's words; when it can't be done, finish with "status":"failed" or "partial" and the "reason". Claim nothing that you
have not seen.
`

const REFLECT_RULES = `You look back at what a loop has just done on one task. Answer with one JSON object: {"advice":"…","spinning":true|false}
"advice": what to do differently or next, in at most three sentences, for the loop itself. "spinning": true when the last actions, whatever their form, go round in circles: the same
attempt in other words, the same information again, nothing new for the task.
`

const COMPACT_RULES = `You sum up what a loop has done, so that it can go on without the original. Answer with one JSON object: {"summary":"…"}
Keep what was found, decided, said by a person, written or changed (with names and values), what failed and why, what is still open. At most 1,200 characters.
`

const CLOSE_RULES = `A task has to end before it is finished. Answer with one JSON object: {"result":"…"}: what was reached and is worth having, then what is missing. Claim nothing
that is not shown. Write in the language of the user's words.
`

export function decidePrompt(loop: Loop, actions: readonly Action[], problem: string): ModelRequest {
  const { context, options, brief, tools, iteration, reflections, memories, background } = loop
  const mayCall = actions.some(({ name }) => name === 'require_tool')
  return request(
    'dual/decide',
    'act',
    {
      ...inputOf(brief),
      iteration,
      history: loop.history.items.map(({ action, params, observation }) => ({
        action,
        params,
        ...observation,
      })),
      actions: actions.map(({ name }) => name),
      tools: mayCall ? tools.map(({ name }) => name) : [],
      ...(problem !== '' && { problem }),
    },
    [
      REACT_RULES,
      actionText(actions),
      blueprintText(loop, actions),
      mayCall ? `Tools:\n${toolLines(tools)}` : '',
      promptOf(loop),
      FENCE_RULE,
    ],
    [
      ...taskTexts(loop, brief),
      memories === ''
        ? ''
        : `Remembered from earlier runs:\n${clipFence('memory', memories, MAX_MEMORIES)}\n`,
      historyText(loop.history),
      reflections.length === 0 ? '' : `Looking back:\n${reflections.map((text) => `- ${text}\n`).join('')}`,
      timelineText(context, MAX_NOTICES, ['message', 'notice', 'child']),
      background === null ? '' : `${background.action.name} goes on beside; "wait" waits for it.\n`,
      `Iteration ${iteration} of ${options.maxIterations}. What next?\n`,
      problem === '' ? '' : `Your last answer can't be used: ${clip(problem, MAX_PROBLEM)} Answer again.\n`,
    ],
    mayCall ? tools : undefined,
  )
}

export function reflectPrompt(
  loop: Loop,
  level: ReflectionLevel,
  spins: number,
  items: string,
): ModelRequest {
  const { brief, iteration } = loop
  const why =
    level === 'critical'
      ? 'The last action failed.\n'
      : spins > 0
        ? 'The last three actions were the same, with the same result.\n'
        : ''
  const deep =
    level === 'deep' || level === 'critical' ? 'Question the approach itself, not only the last step.\n' : ''
  return request(
    'dual/reflect',
    'judge',
    { ...inputOf(brief), level, iteration, spins },
    [REFLECT_RULES, FENCE_RULE],
    [...taskTexts(loop, brief), `The last actions:\n${items}`, `${why}${deep}Look back (${level}).\n`],
  )
}

export function compactPrompt({ brief }: Loop, text: string): ModelRequest {
  return request(
    'dual/compact',
    'compact',
    { ...inputOf(brief), text },
    [COMPACT_RULES, FENCE_RULE],
    [`Task: ${clip(brief.goal, MAX_TASK)}\n`, `What was done:\n${text}`],
  )
}

export function closePrompt(loop: Loop, reason: string): ModelRequest {
  return request(
    'dual/close',
    'synthesize',
    { ...inputOf(loop.brief), reason },
    [CLOSE_RULES, FENCE_RULE],
    [
      `Task: ${clip(loop.brief.goal, MAX_CLOSING / 4)}\n`,
      `What was done:\n${closingText(loop.history, MAX_CLOSING)}`,
      `It ends because: ${clip(reason, 100)}\n`,
    ],
  )
}

/** The known blueprints, for the action that uses one. */
function blueprintText({ options }: Loop, actions: readonly Action[]): string {
  const { knownBlueprints = [] } = options
  if (knownBlueprints.length === 0 || !actions.some(({ name }) => name === 'require_ai_blueprint')) return ''
  const lines = knownBlueprints.map(({ name, text }) => `- ${name}: ${text}\n`)
  return `Blueprints:\n${clip(lines.join(''), MAX_BLUEPRINTS)}\n`
}

function actionText(actions: readonly Action[]): string {
  const lines = actions.map(({ name, description, params, required, mayRunInBackground }) => {
    const optional = Object.keys(params).filter((param) => !required.includes(param))
    const fields = [
      ...required,
      ...optional.map((param) => `${param}?`),
      ...(mayRunInBackground ? ['aside?'] : []),
    ]
    return `- ${name} {${fields.join(', ')}}: ${description}\n`
  })
  return `Actions:\n${lines.join('')}`
}
