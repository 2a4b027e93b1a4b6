/** What goes over Restate: names, keys and numbers. Goals, effects and values stay in the store, so nothing is too large. */
import type * as restate from '@restatedev/restate-sdk'

export const BLOCK = 'thinkon-block'
const EFFECTS = 'thinkon-effects'

/** The service that performs steps; each class of workers has its own. */
export function effectsOf(workers: string | undefined): string {
  return workers === undefined ? EFFECTS : `${EFFECTS}-${workers}`
}

/** A bell: signal `number` of `name` is in the inbox. One that ends the block has no number. */
export interface Bell {
  readonly name: string
  readonly number: number
}

export interface StepKey {
  readonly run: string
  readonly path: string
  readonly n: number
}

export type BlockApi = {
  run(context: restate.WorkflowContext): Promise<string>
  ring(context: restate.WorkflowSharedContext, bell: Bell): Promise<void>
}

export type EffectsApi = {
  perform(context: restate.Context, at: StepKey): Promise<string>
}

/** Where a block is in the engine. */
export interface BlockPlace {
  readonly run: string
  /** Raised when a run that the engine gave up is resumed: a key is never used again after a kill. */
  readonly generation: number
  readonly path: string
}

/** A workflow's key. Runs may have any name; a path has no slash. */
export function keyOf({ run, generation, path }: BlockPlace): string {
  return `${run}/${generation}/${path}`
}

export function placeOfKey(key: string): BlockPlace {
  const [, run, generation, path] = /^(.*)\/(\d+)\/([^/]+)$/s.exec(key) as unknown as string[]
  return { run: run as string, generation: Number(generation), path: path as string }
}

export function bellOf(name: string, number: number): string {
  return `${name}-${number}`
}
