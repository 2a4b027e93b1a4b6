/** Starts and resumes runs. The caller's input is checked and redacted before anything begins. */
import { promptBudget } from '../kernel/brief/prompt-budget.ts'
import { choicesOf, type ModelChoices, modelConfig } from '../kernel/model-choice.ts'
import type { Solver } from '../kernel/strategy.ts'
import { knownSecrets, redactDeep } from '../models/secrets.ts'
import {
  type ApprovalConfig,
  type Goal,
  goalText,
  type Limits,
  ROLES,
  type Role,
  type RunConfig,
} from '../protocol/index.ts'
import { DEFAULT_STRATEGY } from '../strategies/registry.ts'
import { VERSION } from '../version.ts'
import type { Engine, Run, StartOptions } from './api.ts'
import { checkCalls, checkRouting } from './check-routing.ts'
import { checkGoal, checkLimits, checkPromptTokens, newRunId, raisableLimits } from './input.ts'
import { type EngineParts, requireRun } from './parts.ts'
import { listenerOf, runHandle } from './run-handle.ts'

export async function startRun(parts: EngineParts, asked: Goal, options: StartOptions = {}): Promise<Run> {
  const { host, model, kernel, clock } = parts
  checkGoal(asked)
  // One look at the environment for all of it.
  const secrets = knownSecrets()
  const goal = redactDeep(asked, secrets)
  const { strategy = DEFAULT_STRATEGY, id = newRunId(clock.nowMs()), seed = id } = options
  const solver = await parts.strategies.get(strategy)?.load()
  const refusal = solver?.withoutModel ? null : model.refusal?.(goalText(goal))
  if (refusal) throw refusal
  kernel.identify(strategy)
  const given = withoutSecrets(options, secrets)
  await checkRouting(given, parts.strategies)
  const own = { ...given.strategyOptions?.[strategy], ...given.options }
  const limits = checkOptions(parts, solver, own, options.budget ?? {})
  const spec = { id, goal, strategy, options: own, limits, seed, config: configOf(parts, given) }
  const listener = await listenerOf(parts, id, given.workspace, options.onEvent)
  return runHandle(parts, await host.start(spec, listener), options.signal)
}

/** Resumes a run that was stopped. */
export async function resumeRun(
  parts: EngineParts,
  id: string,
  { signal, onEvent, strict, budget }: NonNullable<Parameters<Engine['resume']>[1]> = {},
): Promise<Run> {
  requireRun(parts, id)
  knownSecrets()
  const [start] = parts.store.read(id, 1, 1)
  const workspace = start?.type === 'run-start' ? start.config.workspace : undefined
  const listener = await listenerOf(parts, id, workspace, onEvent)
  const raised = budget && raisableLimits(budget)
  return runHandle(parts, await parts.host.resume(id, listener, { strict, budget: raised }), signal)
}

type Given = ReturnType<typeof withoutSecrets>

/** The options that are recorded, redacted. */
function withoutSecrets(given: StartOptions, secrets: readonly string[]) {
  const { options, workspace, approval, routes, fallbacks, strategyOptions } = given
  return redactDeep({ options, workspace, approval, routes, fallbacks, strategyOptions }, secrets)
}

/** Checks the strategy's options; returns the limits that they and the caller set. */
function checkOptions(
  { strategies }: EngineParts,
  strategy: Solver | undefined,
  given: Readonly<Record<string, unknown>>,
  budget: Partial<Limits>,
): Limits {
  const options = strategy?.options(given)
  checkCalls(strategy?.calls?.(options) ?? [], strategies)
  return checkLimits(budget, strategy?.limits?.(options) ?? {})
}

/** What is recorded with the run, for a process that resumes it. */
function configOf(parts: EngineParts, given: Given): RunConfig {
  const config = plainConfigOf(parts, given)
  const signature = parts.options.sign?.(config) ?? null
  return signature === null ? config : { ...config, signature }
}

function plainConfigOf(
  parts: EngineParts,
  { workspace, approval, routes, fallbacks, strategyOptions }: Given,
): RunConfig {
  const { known, withheld } = toolsUnder(parts, approval)
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
    checkPromptTokens(configured)
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
