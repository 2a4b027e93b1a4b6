/** How a run stands: one vocabulary for its state and for every list. */
import type { Status } from './outcome.ts'
import type { Answerer } from './signal.ts'

/**
 * `waiting`: it has an open question, or has stopped until its model can be reached. `running`: a process works on it. `stopped`: it has
 * not ended, and no process works on it.
 */
export type Standing = 'running' | 'waiting' | 'stopped' | Status

/** A person's answer, the caller's result of a tool, or a model that can't be reached. */
export type WaitsFor = Answerer | 'model'

export const ENDED: readonly Status[] = ['completed', 'partial', 'failed', 'skipped', 'cancelled']

export const STANDINGS: readonly Standing[] = ['running', 'waiting', 'stopped', ...ENDED]
