// A kernel of test programs that stand on the durable port directly, so that a host is tested without the kernel's own
// Context in between.

import type {
  BlockAnswer,
  BlockFrame,
  BlockSpec,
  ChildEnd,
  Durable,
  Effect,
  EffectIo,
  Ended,
  Kernel,
  Op,
  Performed,
  RunSpec,
} from '../../src/kernel/durable.ts'
import { ancestorList } from '../../src/kernel/lineage.ts'
import { DEFAULT_LIMITS, ThinkonError } from '../../src/protocol/index.ts'

export type Program = (block: Durable, spec: BlockSpec, frame: BlockFrame) => Promise<string | BlockAnswer>
export type EffectFunction = (input: unknown, io: EffectIo) => unknown

export interface PortKernel extends Kernel {
  /** Effects that were begun: their names, in order. */
  readonly begun: string[]
  /** Effects that were performed to an end: `path name`, in order. */
  readonly performed: string[]
  /** Paths whose program was executed, in order. */
  readonly executed: string[]
  /** Its strategies, with their version. */
  readonly strategies: readonly string[]
}

/** Programs by strategy name, effects by tool name or model kind. */
export function portKernel(
  programs: Record<string, Program>,
  effects: Record<string, EffectFunction> = {},
  version = 1,
): PortKernel {
  const kernel: PortKernel = {
    begun: [],
    performed: [],
    executed: [],
    strategies: Object.keys(programs).map((name) => `${name}@${version}`),
    identify(name) {
      if (programs[name] === undefined) throw new ThinkonError('NO_SUCH_STRATEGY', `no strategy "${name}"`)
      return `${name}@${version}`
    },
    async preload() {},
    missing: () => [],
    solve(spec, durable, frame, solved) {
      kernel.executed.push(spec.path)
      const program = programs[spec.strategy] as Program
      program(durable, spec, frame).then(
        (answer) =>
          solved.answered(typeof answer === 'string' ? { status: 'completed', result: answer } : answer),
        (thrown) => solved.failed(thrown),
      )
      return {
        halt: () => ({ result: `what ${spec.path} has`, archived: [] }),
        timeline: () => [],
      }
    },
    perform: (effect, io) => perform(kernel, effects, effect, io),
  }
  return kernel
}

async function perform(
  kernel: PortKernel,
  effects: Record<string, EffectFunction>,
  effect: Effect,
  io: EffectIo,
): Promise<Performed> {
  const name = effect.kind === 'model' ? effect.request.kind : effect.name
  kernel.begun.push(name)
  const isModel = effect.kind === 'model'
  const given = await effects[name]?.(isModel ? effect.request.input : effect.input, io)
  // What a journal says of a model is a reply, whatever a test gives as its text.
  const value = isModel ? { text: String(given ?? '') } : given
  kernel.performed.push(`${io.path} ${name}`)
  if (effect.reserve.calls === 0)
    return { value: value ?? null, usage: { inputTokens: 0, outputTokens: 0 }, isFree: true }
  return { value: value ?? null, usage: { inputTokens: 10, outputTokens: 1 } }
}

export function read(name: string, input: unknown = null): Effect {
  return { kind: 'tool', name, input, access: 'read', reserve: { calls: 1, tokens: 0, costUsd: 0 } }
}

/** Nobody is paid for it. */
export function free(name: string, input: unknown = null): Effect {
  return { kind: 'tool', name, input, access: 'read', reserve: { calls: 0, tokens: 0, costUsd: 0 } }
}

export function write(name: string, input: unknown = null): Effect {
  return { kind: 'tool', name, input, access: 'write', reserve: { calls: 1, tokens: 0, costUsd: 0 } }
}

export function model(kind: string, tokens = 100): Effect {
  const request = { kind, version: 1, role: 'plan', messages: [{ role: 'user', content: kind }] } as const
  return { kind: 'model', request, reserve: { calls: 1, tokens, costUsd: 0 }, closing: false }
}

export function child(
  parent: BlockSpec,
  index: number,
  strategy: string,
  more: Partial<BlockSpec> = {},
): BlockSpec {
  const path = `${parent.path}-${index}`
  const ancestors = [{ path: parent.path, goal: parent.goal, todo: '' }, ...ancestorList(parent.ancestors)]
  return { path, goal: `goal of ${path}`, strategy, options: {}, ancestors, timeline: [], ...more }
}

/** Awaits one operation: its value, or throws what it failed with. */
export function one<T>(block: Durable, op: Op<T>): Promise<T> {
  return block.one(op, (ended) => valueOfEnd(ended as Ended<T>))
}

/** The text of a model's reply. */
export async function replyTo(block: Durable, effect: Effect): Promise<string> {
  return (await one<{ text: string }>(block, block.step(effect))).text
}

export function valueOfEnd<T>(ended: Ended<T>): T {
  if (ended.result.ok) return ended.result.value
  throw ThinkonError.fromJSON(ended.result.error)
}

export function codeOf(ended: Ended | undefined): string {
  return ended === undefined || ended.result.ok ? 'ok' : ended.result.error.code
}

export function outcomeOf(ended: Ended | undefined): ChildEnd['outcome'] {
  return valueOfEnd(ended as Ended<ChildEnd>).outcome
}

let runs = 0

export function runSpec(strategy: string, more: Partial<RunSpec> = {}): RunSpec {
  const id = `run-${process.pid}-${Date.now().toString(36)}-${++runs}`
  const limits = { ...DEFAULT_LIMITS }
  return {
    id,
    goal: 'a goal',
    strategy,
    options: {},
    limits,
    seed: 'seed',
    config: { thinkon: 'test' },
    ...more,
  }
}
