/**
 * A blueprint, ready to be carried out: found, its parameters extracted against its schema and reviewed, and filled in. What
 * happens on the way is marked in the journal with the document's marks.
 */
import { askUntilValid } from '../../../kernel/ask-until-valid.ts'
import { Conversation } from '../../../kernel/brief/conversation.ts'
import { oneLine, shorten, ThinkonError } from '../../../protocol/index.ts'
import { asObject, tryValue } from '../../read-value.ts'
import { reviewParams } from '../review/ask-review.ts'
import type { DualOptions, NamedText } from '../schema.ts'
import { hasHidden, resultOf, type Scope } from '../scope.ts'
import type { Plan } from '../tasks/task.ts'
import { paramsBrief, paramsSections } from './prompts.ts'

const MAX_ASKS = 3
const MAX_MARK = 200

type Params = Readonly<Record<string, unknown>>

interface Blueprint {
  readonly name: string
  readonly verbose_name: string
  readonly description: string
  readonly parameters: Params
  readonly review: boolean
}

interface ParamSchema {
  readonly enum?: readonly unknown[]
  readonly description?: string
}

interface FilledBlueprint {
  readonly prompts: Readonly<Record<'init_prompt' | 'persistent_prompt' | 'result_prompt', string>>
  readonly plan: Plan | null
  readonly tools: readonly string[] | null
}

/** What a coordinator needs of a blueprint: its options, and its instructions for planning. */
export interface PreparedBlueprint {
  readonly options: Pick<DualOptions, 'plan' | 'tools' | 'prompt' | 'close'>
  readonly init: string
}

/** Where the parameters are taken from: those that are given, and a text that says the others. */
export interface ParamsSource {
  readonly params: Params | undefined
  readonly by: 'person' | 'model'
  readonly task: string
}

/** `marks` collects the document's timeline marks, for prompts that report them. */
export async function prepareBlueprint(
  scope: Scope,
  name: string,
  from: ParamsSource,
  marks: string[],
): Promise<PreparedBlueprint> {
  const { context, options } = scope
  const mark = (text: string, about: string) => {
    context.emit('dual/blueprint-marked', { mark: text, about })
    marks.push(`${text} ${shorten(oneLine(about), MAX_MARK)}`)
  }
  const failed = (message: string): ThinkonError => {
    mark('[BLUEPRINT_INVOKE_FAILED]', message)
    return new ThinkonError('BAD_INPUT', message)
  }
  if (name.trim() === '') {
    mark('[BLUEPRINT_EMPTY_NAME]', 'the blueprint has no name')
    throw new ThinkonError('BAD_INPUT', 'a blueprint is called by its name')
  }
  mark('[BLUEPRINT_INVOKE_START]', name)
  const loaded = await resultOf(context, context.tool('blueprint__load', { name }))
  if (!loaded.ok) {
    mark('[BLUEPRINT_NOT_FOUND]', name)
    throw failed(loaded.error.message)
  }
  const found = loaded.value as Blueprint | null
  if (found === null) {
    mark('[BLUEPRINT_NULL_INSTANCE]', name)
    throw failed(`the blueprint "${name}" is empty`)
  }
  mark('[BLUEPRINT_FOUND]', `${found.name} (${found.verbose_name})`)
  const confirmed = await confirmations(scope, found, from)
  const denied = Object.keys(confirmed).find((param) => confirmed[param] !== true)
  if (denied !== undefined) throw failed(`"${denied}" of the blueprint "${name}" was not confirmed`)
  const conversation = new Conversation(paramsSections(scope, found, from.task))
  return askUntilValid<PreparedBlueprint>({
    maxAsks: MAX_ASKS,
    async ask([problem = '']) {
      const params = { ...(await paramsFor(scope, found, from, { conversation, problem })), ...confirmed }
      const reviewed = found.review ? await reviewParams(scope, found.name, params) : params
      if (reviewed === null) throw failed(`a person does not want "${name}"`)
      const filled = await resultOf(context, context.tool('blueprint__fill', { name, params: reviewed }))
      if (!filled.ok) return { ok: false, problems: [filled.error.message] }
      return { ok: true, value: prepared(filled.value as FilledBlueprint, options.tools) }
    },
    giveUp([problem = '']) {
      throw failed(problem)
    },
  })
}

/** The blueprints to choose from: looked up once, by the outermost coordinator. */
export async function listBlueprints({ context, options }: Scope): Promise<readonly NamedText[]> {
  const { allowAIForge, nested, knownBlueprints } = options
  if (knownBlueprints !== undefined) return knownBlueprints
  if (!allowAIForge || nested === true || !hasHidden(context, 'blueprint__list')) return []
  const listed = await resultOf(context, context.tool('blueprint__list', {}))
  if (!listed.ok) return []
  return (listed.value as readonly Blueprint[]).map(({ name, description }) => {
    return { name, text: oneLine(description) }
  })
}

/** A parameter that can only be true is somebody's word: a model can't give it, so the person is asked. */
async function confirmations(
  { context, options }: Scope,
  { name, parameters }: Blueprint,
  { params, by }: ParamsSource,
): Promise<Params> {
  const said: Record<string, unknown> = {}
  const properties = (parameters.properties ?? {}) as Record<string, ParamSchema>
  for (const [param, { enum: values, description = param }] of Object.entries(properties)) {
    if (values?.length !== 1 || values[0] !== true) continue
    if (by === 'person' && params?.[param] === true) continue
    const text = `${name}, ${param}: ${description}. Is that so?`
    const question = { text, choices: ['no', 'yes'], fallback: 'no' }
    const answer = options.allowUserInteract
      ? await context.one(context.ask(question, { name: 'confirm-params' }))
      : 'no'
    said[param] = answer === 'yes' || answer === true
  }
  return said
}

/** What a person gave stands; the model's own parameters give way to better ones. */
async function paramsFor(
  scope: Scope,
  blueprint: Blueprint,
  { params, by, task }: ParamsSource,
  { conversation, problem }: { conversation: Conversation; problem: string },
): Promise<Params> {
  if (params !== undefined && problem === '') return params
  const { context } = scope
  if (problem !== '') {
    const used = conversation.isEmpty ? ` ${JSON.stringify(params)}` : ''
    conversation.say(`These parameters can't be used:${used} ${problem} Answer again.`)
  }
  const reply = await context.one(context.model(paramsBrief(scope, blueprint, task, conversation)))
  conversation.reply(reply)
  const { params: read } = asObject(tryValue(reply) ?? {})
  const extracted = typeof read === 'object' && read !== null ? read : {}
  return by === 'person' ? { ...extracted, ...params } : { ...params, ...extracted }
}

/** `allowed`: the tools of a blueprint that this one is used in; it has no others. */
function prepared(
  { prompts, plan, tools }: FilledBlueprint,
  allowed: readonly string[] | undefined,
): PreparedBlueprint {
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
