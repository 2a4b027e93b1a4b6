/** The kernel as hosts see it: which strategies there are, how a block is solved, how an effect is performed. */

import { type Role, ThinkonError, type ToolSpec } from '../protocol/index.ts'
import type { Approval } from './approval.ts'
import { READ_RESULT } from './brief/shown-result.ts'
import type { BlockSpec, Durable, Effect, EffectIo, Kernel, Performed, Solving } from './durable.ts'
import type { NamedModels } from './missing-parts.ts'
import { missingParts } from './missing-parts.ts'
import type { Model } from './model.ts'
import { CHECK_VALUE, type OwnCheck } from './output/candidate.ts'
import type { performCheckValue } from './output/check-value.ts'
import { performModel } from './perform-model.ts'
import { performTool } from './perform-tool.ts'
import { PlanGrants, type ReadJournal } from './plan-grants.ts'
import type { CleanReplies, KernelServices, OnOutage } from './services.ts'
import { solveBlock } from './solve-block.ts'
import type { Solver } from './strategy.ts'
import { isOwnProgram, type Tool } from './tool.ts'

/** A strategy by name, loaded when it is first used. The version is known before, because the journal names it. */
export interface StrategyEntry {
  readonly version: number
  load(): Promise<Solver>
}

export interface KernelParts {
  readonly strategies: ReadonlyMap<string, StrategyEntry>
  model(role: Role): Model
  /** Reads what a person has answered as the model. */
  readonly person?: Model
  /** Their names, as runs record them. */
  readonly models?: NamedModels
  /** Default: `wait`. */
  readonly onOutage?: OnOutage
  readonly tools: readonly Tool[]
  /** Where tools work, of runs that record no folder. Default: the current folder. */
  readonly workspace?: string
  /** Without it every call is allowed. */
  readonly approval?: Approval
  /** Whether a caller in this process can answer the run's questions. Default: none can. */
  canAsk?(run: string): boolean
  /** Reads what a run's journal has so far. */
  readonly journal?: ReadJournal
  /** The callers' own checks of their runs' values. */
  readonly checkOutput?: OwnCheck
  /** Takes secrets out of what a strategy says, before it is recorded or sent (K9); gives back what has none as it is. */
  clean?<T>(value: T): T
  /** The same for what models say. */
  readonly replies?: CleanReplies
}

const AS_THEY_ARE: CleanReplies = {
  data: (value) => value,
  error: (thrown) => thrown,
  deltas: (push) => ({ push, end() {} }),
}

export function createKernel(parts: KernelParts): Kernel {
  const loaded = new Map<string, Solver>()
  /** One text for all blocks: blocks may be open by the thousand. */
  const identities = new Map<string, string>()
  const tools = new Map(parts.tools.map((tool) => [tool.name, tool]))
  const services: KernelServices = {
    model: parts.model,
    person: parts.person ?? null,
    onOutage: parts.onOutage ?? 'wait',
    tools,
    reader: readerOf(tools.get(READ_RESULT)),
    approval: parts.approval ?? null,
    canAsk: (run) => parts.canAsk?.(run) ?? false,
    workspace: parts.workspace ?? process.cwd(),
    journal: parts.journal ?? null,
    grants: parts.journal === undefined ? null : new PlanGrants(parts.journal),
    clean: parts.clean ?? ((value) => value),
    replies: parts.replies ?? AS_THEY_ARE,
  }

  function entryOf(name: string): StrategyEntry {
    const found = parts.strategies.get(name)
    if (found !== undefined) return found
    const available = [...parts.strategies.keys()]
    throw new ThinkonError('NO_SUCH_STRATEGY', `no strategy "${name}"; there are: ${available.join(', ')}`, {
      data: { name, available },
    })
  }

  async function load(name: string): Promise<Solver> {
    const strategy = await entryOf(name).load()
    loaded.set(name, strategy)
    for (const program of strategy.programs ?? []) tools.set(program.name, program)
    return strategy
  }

  async function performOther(effect: Effect & { kind: 'tool' }, io: EffectIo): Promise<Performed> {
    if (effect.name === CHECK_VALUE) return checkValue(effect, io, parts.checkOutput)
    if (!tools.has(effect.name) && isOwnProgram(effect.name)) {
      // A program of a strategy that another process of the cluster works with.
      const [owner = ''] = effect.name.split('/')
      await load(owner)
    }
    return performTool(effect, io, services)
  }

  return {
    models: parts.models,
    identify(name) {
      const known = identities.get(name)
      if (known !== undefined) return known
      const identity = `${name}@${entryOf(name).version}`
      identities.set(name, identity)
      return identity
    },
    async preload(names, run) {
      const missing = [...names].filter((name) => parts.strategies.has(name) && !loaded.has(name))
      await Promise.all(missing.map(load))
      const asks = run?.config.approval?.asks ?? 'person'
      if (run !== undefined && asks === 'person') await services.grants?.learn(run.id)
    },
    missing: (start) =>
      missingParts(start, { loaded, tools, strategies: parts.strategies, models: parts.models }),
    solve(spec: BlockSpec, durable: Durable, frame, solved): Solving {
      const strategy = loaded.get(spec.strategy)
      if (strategy !== undefined) return solveBlock(strategy, spec, durable, frame, services, solved)
      let solving: Solving | null = null
      load(spec.strategy)
        .then((found) => {
          solving = solveBlock(found, spec, durable, frame, services, solved)
        })
        .catch((thrown) => solved.failed(thrown))
      return {
        halt: (childEnd) => solving?.halt(childEnd) ?? { result: '', archived: [] },
        timeline: () => solving?.timeline() ?? [],
      }
    },
    perform: (effect, io) =>
      effect.kind === 'model' ? performModel(effect, io, services) : performOther(effect, io),
  }
}

/** Loaded when a run has an output: it reads what models write. */
async function checkValue(...given: Parameters<typeof performCheckValue>): Promise<Performed> {
  return (await import('./output/check-value.ts')).performCheckValue(...given)
}

function readerOf(tool: Tool | undefined): ToolSpec | null {
  if (tool === undefined) return null
  const { name, description, input } = tool
  return { name, description, schema: input?.json ?? {} }
}
