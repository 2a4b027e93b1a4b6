/**
 * What the loop of a task asks its model: to decide, to look back, to sum up, to close. Deciding and looking back are the same
 * conversation under the same rules, and differ in the question alone.
 */
import type { Brief } from '../../../kernel/brief/brief.ts'
import { FENCE_RULE, nonceOf } from '../../../kernel/fence.ts'
import { withheldRule } from '../../sections.ts'
import type { ReflectionLevel } from '../notes.ts'
import { promptOf } from '../prompts/sections.ts'
import { REPLY, type TaskBrief } from '../schema.ts'
import { REQUIRE_TOOL, WAIT } from './action-names.ts'
import type { Action, Loop } from './loop.ts'

const REACT_RULES = `You carry out one task of a plan, in a loop: you decide on an action, see what came of it, and decide again. Tools are called in the way they are offered; any other action is one JSON object:
{"action":"<name>","human_readable_thought":"<why, in one sentence for the person who watches>", …the action's own fields}
- Use what is in view: what was looked at for the plan, the results of other tasks, what you have seen yourself. Don't fetch again what stands here whole,
unless it has changed since: what was looked at for the plan, lists of files too, is as it was before any task began.
- Look before you claim what a file, a command or a page says; claim nothing that you have not seen. Things to look at that do not depend on each other are looked at
together, in one answer. What changes something is done one at a time, and its effect is seen before the next.
- What failed is not tried again in the same way.
- When you have what the task needs, finish at once, with its result: what was asked for, whole, as it is to be delivered, in the language of the user's words, and nothing
about how you worked that was not asked for. Before you do, hold it against the words that it answers: everything asked for is there, in the form and length asked for ("short" is a few lines); what it says of files, values, tests
and runs is what you have seen; its parts do not contradict each other. A text that is to stand in a file is written once, complete, from what you have seen.
- When the task can't be done, finish with "status":"failed" or "partial", what there is, and the "reason".
`

const PROGRESS_RULES = `About the progress that you are shown:
1. [ ] not started, [-] executing, [~] partly done, [x] finished, [/] skipped, [!] aborted; indentation shows what is part of what.
2. CURRENT_TASK is the only task you may advance.
3. Assume no state that is not shown, and finish nothing beforehand.
4. It is read-only: the runtime updates it by what really happened.
`

const TOOL_RULE = `To call a tool: {"action":"${REQUIRE_TOOL}","tool":"…","params":{…}}`

const REFLECT_QUESTION = `Before you decide on anything else, look back at what you did last. Call no tool and take no action now: answer this time with one JSON object
{"advice":"…","spinning":true|false}
"advice": what to do differently or next, in at most three sentences, for yourself. "spinning": true when the last actions, whatever their form, go round in circles: the
same attempt in other words, the same information again, nothing new for the task.
`

const COMPACT_RULES = `You sum up the beginning of a loop that works on a task, so that it can go on without the original. Answer with one JSON object: {"summary":"…"}
Keep what the task still needs: what was found, decided, written or changed, with names, places and values as they are; what failed and why; what is still open. At most 1,500 characters.
`

const CLOSE_RULES = `A task has to end before it is finished. Answer with one JSON object: {"result":"…"}: what was reached and is worth having, then what is missing. Claim nothing
that is not shown. Write in the language of the user's words.
`

export function decideBrief(loop: Loop, actions: readonly Action[], problem = ''): Brief {
  const { context, options, brief, tools, iteration, history } = loop
  const mayCall = actions.some(({ name }) => name === REQUIRE_TOOL)
  return {
    kind: 'dual/decide',
    version: 4,
    role: 'act',
    input: {
      ...inputOf(brief),
      iteration,
      history: [...history],
      actions: actions.map(({ name }) => name),
      tools: mayCall ? tools.map(({ name }) => name) : [],
      ...(problem !== '' && { problem }),
    },
    ...shared(loop),
    question: [
      progressText(loop.progress),
      changedActions(loop, actions),
      budgetText(context.budget().calls),
      `Iteration ${iteration} of ${options.maxIterations}. What next?\n`,
    ],
    schema: REPLY,
  }
}

export function reflectBrief(loop: Loop, level: ReflectionLevel, spins: number): Brief {
  const { brief, iteration, circles } = loop
  const why = lookBackReason(loop, level, spins)
  const deep =
    level === 'deep' || level === 'critical' ? 'Question the approach itself, not only the last step.\n' : ''
  return {
    kind: 'dual/reflect',
    version: 4,
    role: 'judge',
    input: { ...inputOf(brief), level, iteration, spins, circles },
    ...shared(loop),
    question: [REFLECT_QUESTION, why, deep, `Look back (${level}).\n`],
    schema: REPLY,
  }
}

function lookBackReason({ options, circles }: Loop, level: ReflectionLevel, spins: number): string {
  if (level === 'critical') return 'The last action failed.\n'
  const n = options.sameActionTypeSpinThreshold
  if (spins > 0) return `The last ${n} actions were the same, and nothing new came of them.\n`
  return circles > 0 ? 'When you last looked back you were going round in circles.\n' : ''
}

/** What the requests of one loop begin with, byte by byte. */
function shared(
  loop: Loop,
): Pick<Brief, 'system' | 'tools' | 'toolRule'> & { conversation: Loop['conversation'] } {
  const { context, conversation, tools, listed } = loop
  const mayCall = listed.some(({ name }) => name === REQUIRE_TOOL)
  return {
    system: [
      REACT_RULES,
      `Actions:\n${actionLines(listed.filter(({ name }) => name !== REQUIRE_TOOL))}`,
      blueprintText(loop),
      PROGRESS_RULES,
      promptOf(loop),
      withheldRule(context),
      FENCE_RULE,
    ],
    conversation,
    ...(mayCall && { tools, toolRule: TOOL_RULE }),
  }
}

export function compactBrief({ brief }: Loop, text: string): Brief {
  return {
    kind: 'dual/compact',
    version: 3,
    role: 'compact',
    input: { ...inputOf(brief), text },
    system: [COMPACT_RULES, FENCE_RULE],
    sections: [
      { need: 'whole', title: 'The task:', items: [{ text: `${brief.name}: ${brief.goal}` }] },
      { need: 'first', title: 'What was done and said:', items: [{ text, data: 'loop' }] },
    ],
    question: 'Sum it up.',
    schema: REPLY,
  }
}

export function closeBrief({ brief, conversation }: Loop, reason: string): Brief {
  return {
    kind: 'dual/close',
    version: 3,
    role: 'synthesize',
    input: { ...inputOf(brief), reason },
    system: [CLOSE_RULES, FENCE_RULE],
    conversation,
    question: `The task "${brief.name}" ends here: ${reason}\nWhat is its result?`,
    schema: REPLY,
  }
}

function inputOf({ goal, request, name, index, attempt, redo }: TaskBrief) {
  return { goal, request, name, index, attempt, ...(redo !== undefined && { redo }) }
}

function progressText({ progress, current }: Loop['progress']): string {
  if (progress === '') return ''
  const nonce = nonceOf('progress', progress + current)
  return `<|PROGRESS_TASK_${nonce}|>\n${progress}\n\n--- CURRENT_TASK ---\n${current}\n--- CURRENT_TASK_END ---\n<|PROGRESS_TASK_END_${nonce}|>\n`
}

/** Only when it is short: a number that matters is read. */
function budgetText(calls: number): string {
  return calls > FEW_CALLS ? '' : `Only ${calls} model calls are left for all that is still to be done.\n`
}

const FEW_CALLS = 20

/** The rules list the actions that there were at first: what is different now. */
function changedActions({ listed, background }: Loop, actions: readonly Action[]): string {
  const gone = listed.filter((action) => !actions.includes(action)).map(({ name }) => name)
  const come = actions.filter((action) => !listed.includes(action))
  const running =
    background === null ? '' : `${background.action.name} is still running; "${WAIT}" waits for it.\n`
  return [
    running,
    come.length === 0 ? '' : `Also available now:\n${actionLines(come)}`,
    gone.length === 0 ? '' : `Not available now: ${gone.join(', ')}.\n`,
  ].join('')
}

/** The known blueprints, for the action that uses one. */
function blueprintText({ options, listed }: Loop): string {
  const { knownBlueprints = [] } = options
  if (knownBlueprints.length === 0 || !listed.some(({ name }) => name === 'require_ai_blueprint')) return ''
  return `Blueprints:\n${knownBlueprints.map(({ name, text }) => `- ${name}: ${text}\n`).join('')}`
}

function actionLines(actions: readonly Action[]): string {
  const lines = actions.map(({ name, description, params, required, mayRunInBackground }) => {
    const optional = Object.keys(params).filter((param) => !required.includes(param))
    const fields = [
      ...required,
      ...optional.map((param) => `${param}?`),
      ...(mayRunInBackground ? ['aside?'] : []),
    ]
    return `- ${name} {${fields.join(', ')}}: ${description}\n`
  })
  return lines.join('')
}
