/**
 * A blueprint, ready to be carried out: found, its parameters extracted against its schema and reviewed, and filled in. What
 * happens on the way is marked in the journal with the document's marks.
 */
import { oneLine, shorten, ThinkonError } from '../../../protocol/index.ts'
import type { DualOptions, NamedText } from '../schema.ts'
import { hasHidden, resultOf, type Scope } from '../scope.ts'
import { type Blueprint, type FilledBlueprint, fitBlueprint } from './fit-blueprint.ts'
import type { ParamsSource } from './prompts.ts'

const MAX_MARK = 200

type Params = Readonly<Record<string, unknown>>

interface ParamSchema {
  readonly enum?: readonly unknown[]
  readonly description?: string
}

/** What a coordinator needs of a blueprint, as options. */
export type PreparedBlueprint = Pick<DualOptions, 'plan' | 'tools' | 'prompt' | 'init' | 'close'>

/** `marks` collects the document's timeline marks, for a loop that reports them. */
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
  const loaded = await resultOf(context, context.ownTool('blueprint__load', { name }))
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
  const { filled, isChanged } = await fitBlueprint(scope, found, from, { confirmed, failed })
  if (isChanged) mark('[BLUEPRINT_PLAN_FITTED]', `${found.name}: its plan was changed as the task asks`)
  return prepared(filled, options, marks)
}

/** The blueprints to choose from: looked up once, by the outermost coordinator. */
export async function listBlueprints({ context, options }: Scope): Promise<readonly NamedText[]> {
  const { allowAIForge, nested, knownBlueprints } = options
  if (knownBlueprints !== undefined) return knownBlueprints
  if (!allowAIForge || nested === true || !hasHidden(context, 'blueprint__list')) return []
  const listed = await resultOf(context, context.ownTool('blueprint__list', {}))
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
    said[param] = answer === 'yes'
  }
  return said
}

/** `outer`: of a blueprint that this one is used in: what it says still holds, and there are no tools but its own. */
function prepared(
  { prompts, plan, tools }: FilledBlueprint,
  outer: DualOptions,
  marks: readonly string[],
): PreparedBlueprint {
  const { persistent_prompt, init_prompt, result_prompt } = prompts
  const allowed = tools === null ? outer.tools : tools.filter((tool) => outer.tools?.includes(tool) ?? true)
  const prompt = texts(outer.prompt, persistent_prompt)
  return {
    ...(plan !== null && { plan }),
    ...(allowed !== undefined && { tools: allowed }),
    ...(prompt !== '' && { prompt }),
    init: texts(outer.init, ...marks, init_prompt),
    ...(result_prompt !== '' && { close: result_prompt }),
  }
}

function texts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n')
}
