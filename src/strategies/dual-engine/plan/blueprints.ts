/**
 * Blueprints: found, their parameters extracted against the schema and reviewed, filled in, and carried out as a plan below.
 * What happens on the way is marked in the journal with the document's marks.
 */
import type { Context } from '../../../kernel/strategy.ts'
import {
  errorData,
  type Outcome,
  oneLine,
  type Result,
  shorten,
  ThinkonError,
} from '../../../protocol/index.ts'
import { asObject, tryValue } from '../../read-value.ts'
import { paramsPrompt } from '../prompts/index.ts'
import type { Observation, Params } from '../react/action.ts'
import { hasHidden, type Loop, resultOf } from '../react/loop.ts'
import { childObservation } from '../react/observations.ts'
import { reviewParams } from '../review/review.ts'
import { type DualOptions, inheritedOptions, type NamedText } from '../schema.ts'
import type { Plan } from './plan-schema.ts'

const MAX_ASKS = 3
const MAX_MARK = 200
const MAX_LISTED = 20

interface Found {
  readonly name: string
  readonly verbose_name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly review: boolean
}

interface Filled {
  readonly prompts: {
    readonly init_prompt: string
    readonly persistent_prompt: string
    readonly result_prompt: string
  }
  readonly plan: Plan | null
  readonly tools: readonly string[] | null
}

/** What a coordinator needs of a blueprint: its options, and what whoever plans or closes is told. */
export interface Prepared {
  readonly options: Pick<DualOptions, 'plan' | 'tools' | 'prompt' | 'close'>
  readonly init: string
}

/** What there is to choose from: looked up once, by the outermost coordinator. */
export async function listBlueprints(context: Context<DualOptions>): Promise<readonly NamedText[]> {
  const { allowAIForge, nested, knownBlueprints } = context.options
  if (knownBlueprints !== undefined) return knownBlueprints
  if (!allowAIForge || nested === true || !hasHidden(context, 'blueprint__list')) return []
  const listed = await resultOf(context, context.tool('blueprint__list', {}))
  if (!listed.ok) return []
  return (listed.value as readonly Found[])
    .slice(0, MAX_LISTED)
    .map(({ name, description }) => ({ name, text: shorten(oneLine(description), MAX_MARK) }))
}

/** As an action: the plan runs below, its outcome comes back. */
export async function useBlueprint(loop: Loop, name: string, given?: Params): Promise<Observation> {
  const { context, brief } = loop
  const marks: string[] = []
  try {
    const task = `${brief.goal}\n${brief.request}`
    const from = { params: given, by: 'model', task } as const
    const { options, init } = await prepareBlueprint(context, name, from, marks)
    const goal = init === '' ? brief.goal : `${brief.goal}\n${init}`
    const inherited = inheritedOptions(context.options)
    const op = context.call(goal, { options: { ...inherited, ...options, nested: true } })
    const observation = childObservation((await resultOf(context, op)) as Result<Outcome>)
    return { ...observation, text: `${marks.join('\n')}\n${observation.text}` }
  } catch (thrown) {
    const { code, message } = errorData(thrown, 'STRATEGY_ERROR')
    if (code === 'LIMIT' || code === 'LOOP') throw thrown
    const text = [...marks, `the blueprint could not be used (${code})`].join('\n')
    return { text, data: message, failed: true }
  }
}

/** Where the parameters are taken from: those that are there, and a text that says the others. */
export interface ParamsSource {
  readonly params: Params | undefined
  readonly by: 'person' | 'model'
  readonly task: string
}

/** `marks` gets the document's timeline marks, for whoever is told of it in a prompt. */
export async function prepareBlueprint(
  context: Context<DualOptions>,
  name: string,
  from: ParamsSource,
  marks: string[],
): Promise<Prepared> {
  const mark = (text: string, about: string) => {
    context.emit('dual/blueprint-marked', { mark: text, about })
    marks.push(`${text} ${shorten(oneLine(about), MAX_MARK)}`)
  }
  const failed = (error: { code: string; message: string }): never => {
    mark('[BLUEPRINT_INVOKE_FAILED]', error.message)
    throw new ThinkonError('BAD_INPUT', error.message)
  }
  if (name.trim() === '') {
    mark('[BLUEPRINT_EMPTY_NAME]', 'the blueprint has no name')
    throw new ThinkonError('BAD_INPUT', 'a blueprint is called by its name')
  }
  mark('[BLUEPRINT_INVOKE_START]', name)
  const loaded = await resultOf(context, context.tool('blueprint__load', { name }))
  if (!loaded.ok) {
    mark('[BLUEPRINT_NOT_FOUND]', name)
    return failed(loaded.error)
  }
  const found = loaded.value as Found | null
  if (found === null) {
    mark('[BLUEPRINT_NULL_INSTANCE]', name)
    return failed({ code: 'BAD_INPUT', message: `the blueprint "${name}" is empty` })
  }
  mark('[BLUEPRINT_FOUND]', `${found.name} (${found.verbose_name})`)
  const confirmed = await confirmations(context, found, from)
  const denied = Object.keys(confirmed).find((param) => confirmed[param] !== true)
  if (denied !== undefined)
    return failed({ code: 'DENIED', message: `"${denied}" of the blueprint "${name}" was not confirmed` })
  let problem = ''
  for (let asks = 0; asks < MAX_ASKS; asks++) {
    const params = { ...(await paramsOf(context, found, from, problem)), ...confirmed }
    const reviewed = found.review ? await reviewParams(context, found.name, params) : params
    if (reviewed === null) return failed({ code: 'DENIED', message: `a person does not want "${name}"` })
    const filled = await resultOf(context, context.tool('blueprint__fill', { name, params: reviewed }))
    if (filled.ok) return preparedOf(filled.value as Filled, context.options.tools)
    problem = filled.error.message
  }
  return failed({ code: 'BAD_INPUT', message: problem })
}

/** What a person gave stands; the model's own parameters give way to better ones. */
async function paramsOf(
  context: Context<DualOptions>,
  found: Found,
  { params, by, task }: ParamsSource,
  problem: string,
): Promise<Params> {
  if (params !== undefined && problem === '') return params
  const extracted = await extractParams(context, found, task, problem)
  return by === 'person' ? { ...extracted, ...params } : { ...params, ...extracted }
}

/** A parameter that can only be true is somebody's word: a model can't give it, so the person is asked. */
async function confirmations(
  context: Context<DualOptions>,
  { name, parameters }: Found,
  { params, by }: ParamsSource,
): Promise<Params> {
  const said: Record<string, unknown> = {}
  const properties = (parameters.properties ?? {}) as Record<
    string,
    { enum?: unknown[]; description?: string }
  >
  for (const [param, { enum: values, description = param }] of Object.entries(properties)) {
    if (values?.length !== 1 || values[0] !== true) continue
    if (by === 'person' && params?.[param] === true) continue
    const text = `${name}, ${param}: ${description}. Is that so?`
    const answer = context.options.allowUserInteract
      ? await context.one(
          context.ask({ text, choices: ['no', 'yes'], fallback: 'no' }, { name: 'confirm-params' }),
        )
      : 'no'
    said[param] = answer === 'yes' || answer === true
  }
  return said
}

async function extractParams(
  context: Context<DualOptions>,
  found: Found,
  task: string,
  problem: string,
): Promise<Params> {
  const reply = await context.one(context.model(paramsPrompt(context, found, task, problem)))
  const { params } = asObject(tryValue(reply) ?? {}) as { params?: unknown }
  return typeof params === 'object' && params !== null ? (params as Params) : {}
}

/** `allowed`: the tools of a blueprint that this one is used in; it has no others. */
function preparedOf({ prompts, plan, tools }: Filled, allowed: readonly string[] | undefined): Prepared {
  const own = tools === null ? allowed : tools.filter((tool) => allowed?.includes(tool) ?? true)
  return {
    options: {
      ...(plan !== null && { plan }),
      ...(own !== undefined && { tools: own }),
      ...(prompts.persistent_prompt !== '' && { prompt: prompts.persistent_prompt }),
      ...(prompts.result_prompt !== '' && { close: prompts.result_prompt }),
    },
    init: prompts.init_prompt,
  }
}
