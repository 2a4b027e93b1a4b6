/** Both sides of `overhead`: each shape of its work by hand and with Thinkon. */
import { createEngine, type Engine } from '../src/index.ts'
import {
  type ByHand,
  MODELS,
  type Ruler,
  SHAPES,
  type Shape,
  STRATEGIES,
  UNLIMITED,
} from './overhead-work.ts'

export const NAMES = Object.keys(SHAPES) as Shape[]

export type PerShape<T = number> = Record<Shape, T>

/** µs per call of both sides. */
export interface Pair {
  bare: PerShape
  thinkon: PerShape
}

/** Each shape by hand and with Thinkon, side by side; by hand `times` times. */
export function contenders(
  hand: ByHand,
  times: number,
  withThinkon: (shape: Shape) => Promise<void>,
): Record<string, () => Promise<unknown>> {
  return Object.fromEntries(
    NAMES.flatMap((shape) => [
      [`bare ${shape}`, () => repeat(times, () => SHAPES[shape].byHand(hand))],
      [shape, () => withThinkon(shape)],
    ]),
  )
}

export function newEngine(ruler: Ruler, store: string, synchronous: 'normal' | 'full' = 'normal'): Engine {
  return createEngine({ model: MODELS[ruler], strategies: STRATEGIES, store, synchronous })
}

export async function inNewEngine(ruler: Ruler, work: (engine: Engine) => Promise<unknown>): Promise<void> {
  const engine = newEngine(ruler, ':memory:')
  await work(engine)
  await engine.close()
}

export async function solve(engine: Engine, strategy: string, options: object = {}): Promise<void> {
  const run = await engine.start('bench', { strategy, options: { ...options }, budget: UNLIMITED })
  const { status, reason } = await run.outcome
  if (status !== 'completed') throw new Error(`the run ended ${status}: ${reason}`)
}

export async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await work()
}

export function pairOf(times: Record<string, number>, hands: number): Pair {
  const perCall = (name: string, shape: Shape) => (times[name] ?? 0) / SHAPES[shape].calls
  return {
    bare: perShape((shape) => perCall(`bare ${shape}`, shape) / hands),
    thinkon: perShape((shape) => perCall(shape, shape)),
  }
}

export function perShape<T>(figure: (shape: Shape) => T): PerShape<T> {
  return { linear: figure('linear'), tree: figure('tree'), chain: figure('chain') }
}
