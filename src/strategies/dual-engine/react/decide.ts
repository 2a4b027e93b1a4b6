/** What the model wants to do next: one of the actions that are available now, with parameters that can be used. */
import { askUntilValid } from '../../../kernel/ask-until-valid.ts'
import type { Brief } from '../../../kernel/brief/brief.ts'
import { isObject, type ModelReply, ThinkonError } from '../../../protocol/index.ts'
import { tryValue } from '../../read-value.ts'
import { endBackground } from './act.ts'
import { REQUIRE_TOOL } from './action-names.ts'
import type { Action, Decision, Loop, Params } from './loop.ts'
import { decideBrief } from './prompts.ts'

const MAX_ASKS = 3

/** A decision that can't be taken is asked for again. Native tool calls are actions like any other, and may be several. */
export function decide(loop: Loop, actions: readonly Action[]): Promise<readonly Decision[]> {
  const { context, conversation, iteration } = loop
  return askUntilValid<readonly Decision[]>({
    maxAsks: MAX_ASKS,
    async ask([problem = '']) {
      const reply = await replyTo(loop, decideBrief(loop, actions, problem))
      conversation.reply(reply)
      const decisions: Decision[] = []
      for (const { value, callId } of wanted(reply)) {
        const read = readDecision(value, actions, loop)
        if (typeof read === 'string') return { ok: false, problems: [read] }
        decisions.push(callId === undefined ? read : { ...read, callId })
      }
      return { ok: true, value: decisions }
    },
    onRefused([problem = '']) {
      conversation.say(`This can't be used: ${problem} Answer again.`)
      context.emit('dual/action-refused', { iteration, problem })
    },
    giveUp([problem = '']) {
      throw new ThinkonError('INVALID_FORMAT', `the reply can't be used: ${problem}`)
    },
  })
}

/** The model's reply; an action that runs in the background and ends meanwhile is observed. */
async function replyTo(loop: Loop, brief: Brief): Promise<ModelReply> {
  const { context } = loop
  const op = context.model(brief)
  while (loop.background !== null) {
    if ((await context.first([op, ...loop.background.begun.ops])) === 0) break
    await endBackground(loop, loop.background)
  }
  return context.one(op)
}

function wanted({ toolCalls = [], ...reply }: ModelReply): readonly { value: unknown; callId?: string }[] {
  if (toolCalls.length === 0) return [{ value: tryValue(reply) }]
  return toolCalls.map(({ id, name, input }) => ({
    value: { action: REQUIRE_TOOL, tool: name, params: input },
    callId: id,
  }))
}

/** Those that are switched on and have something to work on. */
export function availableActions(all: readonly Action[], loop: Loop): readonly Action[] {
  return all.filter(
    ({ allowedBy, available }) =>
      (allowedBy === undefined || loop.options[allowedBy] !== false) && (available?.(loop) ?? true),
  )
}

/** The decision, or what is wrong with it, as a sentence for the model. */
function readDecision(value: unknown, actions: readonly Action[], loop: Loop): Decision | string {
  if (!isObject(value)) return 'Answer with one JSON object that has an "action".'
  const { action: name, human_readable_thought: thought, ...given } = value
  const action = actions.find((one) => one.name === name)
  if (action === undefined) {
    const names = actions.map((one) => one.name).join(', ')
    return `There is no action ${JSON.stringify(name) ?? 'given'}; there are: ${names}.`
  }
  const missing = action.required.filter((param) => isMissing(given[param]))
  if (missing.length > 0)
    return `The action ${action.name} needs ${missing.map((param) => `"${param}"`).join(', ')}.`
  const params = readParams(action, given)
  if (typeof params === 'string') return params
  const problem = action.verify?.(params, loop) ?? null
  return problem ?? { action, params, thought: typeof thought === 'string' ? thought : '' }
}

/** The parameters, a number or a truth where a text is meant as text, null as left out; or what is of the wrong type, as a sentence. */
function readParams({ name, params: schemas }: Action, given: Params): Params | string {
  const read: Record<string, unknown> = {}
  for (const [param, value] of Object.entries(given)) {
    if (value === null) continue
    if (schemas[param]?.type !== 'string') read[param] = value
    else if (typeof value === 'object')
      return `"${param}" of the action ${name} must be a text, not ${Array.isArray(value) ? 'a list' : 'an object'}.`
    else read[param] = String(value)
  }
  return read
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
