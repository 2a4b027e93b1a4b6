/** What goes over Restate: names, keys and numbers. Goals, effects and values stay in the store, so nothing is too large. */
import type * as restate from '@restatedev/restate-sdk'

export const BLOCK = 'thinkon-block'
export const EFFECTS = 'thinkon-effects'

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

export interface BlockApi {
  run(context: restate.WorkflowContext): Promise<string>
  ring(context: restate.WorkflowSharedContext, bell: Bell): Promise<void>
}

export interface EffectsApi {
  perform(context: restate.Context, at: StepKey): Promise<string>
}

/** A workflow's key. Runs may have any name; a path has no slash. */
export function keyOf(run: string, path: string): string {
  return `${run}/${path}`
}

export function placeOfKey(key: string): { run: string; path: string } {
  const slash = key.lastIndexOf('/')
  return { run: key.slice(0, slash), path: key.slice(slash + 1) }
}

export function bellOf(name: string, number: number): string {
  return `${name}-${number}`
}
