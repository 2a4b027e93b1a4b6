/** Starts and resumes runs. The caller's input is checked and redacted before anything begins. */
import { promptBudget } from '../kernel/brief/prompt-budget.ts'
import { checkedError } from '../kernel/checked-error.ts'
import type { RunHandle, RunSpec } from '../kernel/durable.ts'
import type { Model } from '../kernel/model.ts'
import { choicesOf, type ModelChoices, modelConfig } from '../kernel/model-choice.ts'
import { PERSON } from '../kernel/model-spec.ts'
import { eventAt } from '../kernel/store.ts'
import type { Solver } from '../kernel/strategy.ts'
import { knownSecrets, redactDeep } from '../models/secrets.ts'
import {
  type ApprovalConfig,
  errorText,
  type Goal,
  goalText,
  type KnownTool,
  type Limits,
  ROLES,
  type Role,
  type RunConfig,
  ThinkonError,
} from '../protocol/index.ts'
import { DEFAULT_STRATEGY } from '../strategies/registry.ts'
import { VERSION } from '../version.ts'
import type { OutcomeOf, ResumeRunOptions, RunEndingAs, StartOptions } from './api.ts'
import { checkCalls, checkRouting, checkStrategy } from './check-routing.ts'
import { checkGoal, limitsOf, newRunId, raisableLimits } from './input.ts'
import { type EngineParts, openStateOf, requireRun } from './parts.ts'
import { requirePrices } from './require-prices.ts'
import { type Attached, listenerOf, runHandle } from './run-handle.ts'
import { attachOutput, detachOutput, readOutput } from './run-output.ts'
import { type RunPlace, runPlace } from './run-workspace.ts'
import { requireSameRun } from './same-run.ts'
import type { GivenSchema } from './schemas/given-schema.ts'
import { listedProblems } from './schemas/issues.ts'
import type { CallerTool } from './tools/caller-tools.ts'

export async function startRun<Output extends GivenSchema>(
  parts: EngineParts,
  asked: Goal,
  options: StartOptions<Output> = {},
): Promise<RunEndingAs<OutcomeOf<Output>>> {
  const { spec, output } = await newRun(parts, asked, options)
  if (options.id !== undefined) await requireKnownRun(parts, spec, options)
  const listening = await listenerOf(parts, spec.id, spec.config.workspace, options.onEvent)
  return begun(
    parts,
    spec.id,
    { output, signal: options.signal, onQuestion: options.onQuestion, listening },
    () => parts.host.start(spec, listening.listener),
  )
}

/** If there is a run with this id, it must be the same. */
async function requireKnownRun(
  { store }: EngineParts,
  spec: RunSpec,
  asked: StartOptions<GivenSchema>,
): Promise<void> {
  const { id, goal, options } = spec
  if (!(await store.has(id))) return
  const start = await eventAt(store, id, 1)
  if (start?.type !== 'run-start') return
  const set = Object.keys(asked.options ?? {}).map((key) => [key, Object(options)[key]])
  requireSameRun(start, { id, goal, strategy: asked.strategy, options: Object.fromEntries(set) })
}

/** What a host needs to start it. */
export async function newRun<Output extends GivenSchema>(
  parts: EngineParts,
  asked: Goal,
  options: StartOptions<Output> = {},
) {
  const { model, clock } = parts
  checkGoal(asked)
  // One look at the environment for all of it.
  const secrets = knownSecrets()
  const goal = redactDeep(asked, secrets)
  const { strategy = DEFAULT_STRATEGY, id = newRunId(clock.nowMs()), seed = id } = options
  checkStrategy(strategy, parts.strategies)
  const solver = await parts.strategies.get(strategy)?.load()
  const given = withoutSecrets({ ...options, ...runPlace(options, parts.workspace) }, secrets)
  await checkRouting(given, parts.strategies)
  const own = { ...given.strategyOptions?.[strategy], ...given.options }
  const limits = checkOptions(parts, strategy, solver, own, options.budget ?? {})
  if (!solver?.withoutModel) {
    requirePrices(parts, options.budget ?? {})
    refuseGoal(model, goalText(goal))
  }
  const output = await readOutput(options.output)
  const callers = options.callerTools?.length ? await callerTools(options.callerTools) : []
  const config = configOf(parts, { ...given, output: output?.json, callers })
  return { spec: { id, goal, strategy, options: own, limits, seed, config }, output }
}

/** Throws why the model can't work on the goal at all. */
function refuseGoal(model: Model, goal: string): void {
  let refusal: unknown
  try {
    refusal = model.refusal?.(goal)
  } catch (thrown) {
    throw checkedError(thrown, 'MODEL_ERROR')
  }
  if (refusal) throw checkedError(refusal, 'MODEL_ERROR')
}

/** Resumes a run that was stopped. */
export async function resumeRun<Output extends GivenSchema>(
  parts: EngineParts,
  id: string,
  { signal, onEvent, onQuestion, strict, budget, follow, output: schema }: ResumeRunOptions<Output> = {},
): Promise<RunEndingAs<OutcomeOf<Output>>> {
  await requireRun(parts, id)
  knownSecrets()
  const start = await eventAt(parts.store, id, 1)
  const workspace = start?.type === 'run-start' ? start.config.workspace : undefined
  const listening = await listenerOf(parts, id, workspace, onEvent)
  const raised = budget && raisableLimits(budget)
  requirePrices(parts, raised ?? {})
  const output = await readOutput(schema)
  const wasPerson = start?.type === 'run-start' && namesPerson(start.config)
  return begun(parts, id, { output, signal, onQuestion, listening }, async () => {
    const handle = await parts.host.resume(id, listening.listener, { strict, budget: raised, follow })
    if (wasPerson) await handOver(parts, id)
    return handle
  })
}

function namesPerson({ model, models = {} }: RunConfig): boolean {
  return [model, ...Object.values(models)].includes(PERSON)
}

/** What a person was asked as the model is the business of the model that is here now, if that is another. */
async function handOver(parts: EngineParts, id: string): Promise<void> {
  const { blocks } = await openStateOf(parts, id)
  for (const { questions } of blocks.values())
    for (const question of questions)
      if (question.request !== undefined && !parts.modelOf(question.request.role).asksPerson)
        await parts.host.answer(id, question.id, null)
}

/** The caller's schema, and a caller that answers questions, are there before the run goes on, and as long as the run is worked on here. */
async function begun<Ended>(
  parts: EngineParts,
  id: string,
  attached: Attached,
  begin: () => Promise<RunHandle>,
): Promise<RunEndingAs<Ended>> {
  const { output, onQuestion } = attached
  if (output === null && onQuestion === undefined) return runHandle(parts, await begin(), attached)
  if (output !== null) await attachOutput(parts, id, output)
  const leave = onQuestion && parts.attendance.join(id)
  const detach = () => {
    leave?.()
    if (output !== null) detachOutput(parts, id, output)
  }
  try {
    const handle = await begin()
    handle.outcome.then(detach, detach)
    return runHandle(parts, handle, attached)
  } catch (thrown) {
    detach()
    throw thrown
  }
}

type Given = ReturnType<typeof withoutSecrets> & {
  readonly output: RunConfig['output'] | undefined
  readonly callers: readonly KnownTool[]
}

/** Loaded where there are some. */
async function callerTools(given: readonly CallerTool[]): Promise<readonly KnownTool[]> {
  return (await import('./tools/caller-tools.ts')).knownCallerTools(given)
}

/** The options that are recorded, redacted. */
function withoutSecrets(
  given: Omit<StartOptions<GivenSchema>, keyof RunPlace> & RunPlace,
  secrets: readonly string[],
) {
  const { options, workspace, approval, routes, fallbacks, strategyOptions, startedBy } = given
  return redactDeep({ options, workspace, approval, routes, fallbacks, strategyOptions, startedBy }, secrets)
}

/** Checks the strategy's options; returns the limits that they and the caller set. */
function checkOptions(
  { strategies }: EngineParts,
  name: string,
  strategy: Solver | undefined,
  given: Readonly<Record<string, unknown>>,
  budget: Partial<Limits>,
): Limits {
  try {
    const options = strategy?.options(given)
    checkCalls(strategy?.calls?.(options) ?? [], strategies)
    return limitsOf(budget, strategy?.limits?.(options) ?? {})
  } catch (cause) {
    if (ThinkonError.isInstance(cause)) throw cause
    const problems = listedProblems(cause, 'the options')
    if (problems !== null)
      throw new ThinkonError('BAD_INPUT', `${name}: ${problems.join('; ')}`, { cause, data: { problems } })
    const message = `the options of the strategy "${name}" can't be checked: ${errorText(cause)}`
    throw new ThinkonError('STRATEGY_ERROR', message, { cause })
  }
}

/** What is recorded with the run, for a process that resumes it. */
function configOf(parts: EngineParts, given: Given): RunConfig {
  const { workspace, approval, routes, fallbacks, strategyOptions, startedBy, output, callers } = given
  const { known: ours, withheld } = toolsUnder(parts, approval)
  const isTheirs = ({ name }: KnownTool) => callers.some((tool) => tool.name === name)
  const known = callers.length === 0 ? ours : [...ours.filter((tool) => !isTheirs(tool)), ...callers]
  const { isDefault: _, ...names } = parts.models
  return {
    thinkon: VERSION,
    ...names,
    promptTokens: promptTokensOf(parts),
    ...windowsOf(parts),
    ...(workspace !== undefined && { workspace }),
    ...(approval !== undefined && { approval }),
    ...(routes !== undefined && routes.length > 0 && { routes }),
    ...(hasEntries(fallbacks) && { fallbacks }),
    ...(hasEntries(strategyOptions) && { strategyOptions }),
    ...(output !== undefined && { output }),
    ...(startedBy !== undefined && { startedBy }),
    ...(known.length > 0 && { tools: redactDeep(known) }),
    ...(withheld.length > 0 && { withheld }),
  }
}

/** A tool that could never be called is not the run's: models are not told of it. */
function toolsUnder({ toolbox }: EngineParts, approval: ApprovalConfig | undefined) {
  const withheld = approval === undefined ? [] : toolbox.withheld(approval)
  const known =
    withheld.length === 0 ? toolbox.known : toolbox.known.filter(({ name }) => !withheld.includes(name))
  return { known, withheld }
}

/** What each role's requests may carry, from the configuration and the windows of the models that are open now. */
function promptTokensOf({ options, modelOf }: EngineParts): Record<Role, number> {
  const budgets = ROLES.map((role) => {
    const configured = ownPromptTokens(options.models?.[role] ?? options.model) ?? options.promptTokens
    return [role, promptBudget(modelOf(role).window, configured)]
  })
  return Object.fromEntries(budgets)
}

function windowsOf({ modelOf }: EngineParts): Pick<RunConfig, 'windows'> {
  const known = ROLES.flatMap((role) => {
    const { window } = modelOf(role)
    return window === undefined ? [] : [[role, window] as const]
  })
  return known.length === 0 ? {} : { windows: Object.fromEntries(known) }
}

/** What fits all of the models. */
function ownPromptTokens(given: ModelChoices | undefined): number | undefined {
  const own = (given === undefined ? [] : choicesOf(given)).flatMap(
    (choice) => modelConfig(choice).promptTokens ?? [],
  )
  return own.length === 0 ? undefined : Math.min(...own)
}

function hasEntries(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0
}
