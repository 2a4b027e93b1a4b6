/** Self-reflection after an action: how hard depends on what happened; from `standard` on a model looks at it. */
import { shorten } from '../../../protocol/index.ts'
import { REFLECTION_LEVELS, type ReflectionLevel } from '../notes.ts'
import { lastItems } from '../prompts/history.ts'
import type { Observation } from '../prompts/observation.ts'
import { fieldsOf, resultOf } from '../scope.ts'
import type { Loop } from './loop.ts'
import { reflectPrompt } from './prompts.ts'
import { sameActionSpin } from './spin.ts'

const SHOWN_ITEMS = 20
const KEPT_REFLECTIONS = 3

export async function reflectOn(loop: Loop, observations: readonly Observation[]): Promise<void> {
  const { context, options, iteration, reflections } = loop
  const spins = sameActionSpin(loop.records) ? loop.spins : 0
  const failed = observations.some((observation) => observation.failed)
  const level = reflectionLevel({ enabled: options.reflection, iteration, failed, spins })
  if (!asksModel(level)) return
  const request = reflectPrompt(loop, level, spins, lastItems(loop.history, SHOWN_ITEMS))
  const reflection = fieldsOf(await resultOf(context, context.model(request)))
  const advice = typeof reflection.advice === 'string' ? reflection.advice : ''
  const spinning = reflection.spinning === true
  context.emit('dual/loop-reflected', { iteration, level, spinning, advice: shorten(advice, 300) })
  // Different actions that mean the same are spinning, too; equal ones were counted already.
  if (spinning && spins === 0) loop.spins++
  if (advice !== '') reflections.push(`[${iteration}] ${level}: ${shorten(advice, 600)}`)
  reflections.splice(0, Math.max(0, reflections.length - KEPT_REFLECTIONS))
}

const REFLECTION_INTERVAL = 8

export interface LastIteration {
  /** Whether reflection is switched on. */
  readonly enabled: boolean
  /** From 1. */
  readonly iteration: number
  /** The action failed. */
  readonly failed: boolean
  /** Spins of this loop up to now when this iteration spins, itself included; otherwise 0. */
  readonly spins: number
}

export function reflectionLevel({ enabled, iteration, failed, spins }: LastIteration): ReflectionLevel {
  if (!enabled) return 'none'
  if (failed) return 'critical'
  if (spins > 1) return 'deep'
  if (spins === 1 || iteration % REFLECTION_INTERVAL === 0) return 'standard'
  return 'minimal'
}

/** The lower levels take no call: the prompt says all there is to say already. */
export function asksModel(level: ReflectionLevel): boolean {
  return REFLECTION_LEVELS.indexOf(level) >= REFLECTION_LEVELS.indexOf('standard')
}
