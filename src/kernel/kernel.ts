/** The kernel as hosts see it: which strategies there are, how a block is solved, how an effect is performed. */

import { isOutage, type ModelReply, type Role, ThinkonError, type ToolSpec } from '../protocol/index.ts'
import type { Approval } from './approval.ts'
import { READ_RESULT } from './brief/shown-result.ts'
import type { BlockSpec, Durable, Effect, EffectIo, Kernel, Performed, Solving } from './durable.ts'
import type { NamedModels } from './missing-parts.ts'
import { missingParts } from './missing-parts.ts'
import type { Model } from './model.ts'
import { withCap } from './model-effect.ts'
import type { KernelServices, OnOutage } from './services.ts'
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
  /** Their names, as runs record them. */
  readonly models?: NamedModels
  /** Default: `wait`. */
  readonly onOutage?: OnOutage
  readonly tools: readonly Tool[]
  /** Without it every call is allowed. */
  readonly approval?: Approval
  /** Takes secrets out of what a strategy says, before it is recorded or sent (K9); gives back what has none as it is. */
  clean?<T>(value: T): T
}

export function createKernel(parts: KernelParts): Kernel {
  const loaded = new Map<string, Solver>()
  const tools = new Map(parts.tools.map((tool) => [tool.name, tool]))
  const services: KernelServices = {
    model: parts.model,
    onOutage: parts.onOutage ?? 'wait',
    tools,
    reader: readerOf(tools.get(READ_RESULT)),
    approval: parts.approval ?? null,
    clean: parts.clean ?? ((value) => value),
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

  return {
    identify: (name) => `${name}@${entryOf(name).version}`,
    async preload(names) {
      const missing = [...names].filter((name) => parts.strategies.has(name) && !loaded.has(name))
      await Promise.all(missing.map(load))
    },
    missing: (start) =>
      missingParts(start, { loaded, tools, strategies: parts.strategies, models: parts.models }),
    solve(spec: BlockSpec, durable: Durable, frame): Solving {
      const strategy = loaded.get(spec.strategy)
      if (strategy !== undefined) return solveBlock(strategy, spec, durable, frame, services)
      let solving: Solving | null = null
      const outcome = load(spec.strategy).then((found) => {
        solving = solveBlock(found, spec, durable, frame, services)
        return solving.outcome
      })
      return {
        outcome,
        halt: (childEnd) => solving?.halt(childEnd) ?? { result: '', archived: [] },
        timeline: () => solving?.timeline() ?? [],
      }
    },
    perform(effect: Effect, io: EffectIo): Promise<Performed> {
      if (effect.kind === 'model') return performModel(effect, io, services)
      if (tools.has(effect.name) || !isOwnProgram(effect.name)) return performTool(effect, io, services)
      // A program of a strategy that another process of the cluster works with.
      const [owner = ''] = effect.name.split('/')
      return load(owner).then(() => performTool(effect, io, services))
    },
  }
}

function readerOf(tool: Tool | undefined): ToolSpec | null {
  if (tool === undefined) return null
  const { name, description, input } = tool
  return { name, description, schema: input?.json ?? {} }
}

function performModel(
  effect: Effect & { kind: 'model' },
  io: EffectIo,
  services: KernelServices,
): Promise<Performed> {
  // A model that throws at once fails its step like one that rejects.
  const model = services.model(effect.request.role)
  try {
    return model.call(withCap(effect.request, model), io).then(
      (reply) => ({ value: checkReply(reply), usage: priced(reply.usage, model) }),
      (error) => Promise.reject(withPolicy(error, model, services)),
    )
  } catch (error) {
    return Promise.reject(withPolicy(error, model, services))
  }
}

/** An outage names its model; where it is to fail the step, it is a model's error like any other. */
function withPolicy(error: unknown, { id }: Model, { onOutage }: KernelServices): unknown {
  if (!isOutage(error)) return error
  const { message, retryable, data } = error
  const code = onOutage === 'wait' ? 'MODEL_OUTAGE' : 'MODEL_ERROR'
  return new ThinkonError(code, message, { retryable, data: { model: id, ...data } })
}

/** What is seen now must be what a later process reads from the journal. */
function checkReply(reply: ModelReply): ModelReply {
  if (typeof reply?.text !== 'string' || typeof reply.usage !== 'object') {
    throw new ThinkonError('MODEL_ERROR', 'the model returned no reply: it needs a "text" and a "usage"')
  }
  return reply.value === undefined ? reply : { ...reply, value: JSON.parse(JSON.stringify(reply.value)) }
}

function priced(usage: ModelReply['usage'], model: Model): Performed['usage'] {
  if (usage.costUsd !== undefined || model.cost === undefined) return usage
  return { ...usage, costUsd: model.cost(usage) }
}

async function performTool(
  effect: Effect & { kind: 'tool' },
  io: EffectIo,
  services: KernelServices,
): Promise<Performed> {
  if (effect.denied !== undefined)
    throw new ThinkonError('DENIED', effect.denied, { data: { toolName: effect.name } })
  const tool = services.tools.get(effect.name)
  if (tool === undefined) {
    const available = [...services.tools.keys()]
    throw new ThinkonError(
      'NO_SUCH_TOOL',
      `no tool "${effect.name}"; there are: ${available.join(', ') || 'none'}`,
      {
        data: { toolName: effect.name, available },
      },
    )
  }
  // A copy: what a tool does to its input must not change what the journal says.
  const given = structuredClone(effect.input)
  const input = tool.input === undefined ? given : tool.input.check(given)
  const value = await tool.run(input, io)
  // What is seen now must be what a later process reads from the journal.
  return { value: value === undefined ? null : JSON.parse(JSON.stringify(value)), usage: NO_TOKENS }
}

const NO_TOKENS: Performed['usage'] = { inputTokens: 0, outputTokens: 0 }
