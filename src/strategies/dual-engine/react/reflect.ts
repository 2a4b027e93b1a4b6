/** Self-reflection after an action: how hard depends on what happened; from `standard` on a model looks at it. */
import { nonceOf } from '../../../kernel/fence.ts'
import { shorten, stableJson } from '../../../protocol/index.ts'
import { REFLECTION_LEVELS, type ReflectionLevel } from '../notes.ts'
import type { Observation } from '../prompts/observation.ts'
import { fieldsOf, resultOf } from '../scope.ts'
import { compact } from './compact.ts'
import type { ActionRecord, Loop } from './loop.ts'
import { reflectBrief } from './prompts.ts'

export async function reflectOn(loop: Loop, observations: readonly Observation[]): Promise<void> {
  const { context, conversation, options, iteration, circles } = loop
  const spins = sameActionSpin(loop.records, options.sameActionTypeSpinThreshold) ? loop.spins : 0
  const failed = observations.some((observation) => observation.failed)
  const level = reflectionLevel({ enabled: options.reflection, iteration, failed, spins, circles })
  if (!asksModel(level)) return
  const brief = reflectBrief(loop, level, spins)
  await compact(loop, brief)
  const reflection = fieldsOf(await resultOf(context, context.model(brief)))
  const advice = typeof reflection.advice === 'string' ? reflection.advice : ''
  const spinning = reflection.spinning === true
  context.emit('dual/loop-reflected', { iteration, level, spinning, advice: shorten(advice, 300) })
  loop.circles = spinning ? circles + 1 : 0
  if (advice !== '') conversation.say(`Looking back (${level}): ${advice}`)
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
  /** How often in a row the model has judged that the loop goes round in circles. */
  readonly circles: number
}

/** What was judged to go round in circles is looked at again at once: it has gone another way, or it has not. */
export function reflectionLevel(last: LastIteration): ReflectionLevel {
  const { enabled, iteration, failed, spins, circles } = last
  if (!enabled) return 'none'
  if (failed) return 'critical'
  if (spins > 1 || circles > 0) return 'deep'
  if (spins === 1 || iteration % REFLECTION_INTERVAL === 0) return 'standard'
  return 'minimal'
}

/** The lower levels take no call: the prompt says all there is to say already. */
export function asksModel(level: ReflectionLevel): boolean {
  return REFLECTION_LEVELS.indexOf(level) >= REFLECTION_LEVELS.indexOf('standard')
}

export function actionRecord(action: Omit<ActionRecord, 'result_digest'>, result: unknown): ActionRecord {
  return { ...action, result_digest: digestOf(result) }
}

/**
 * The loop goes round in circles: the same action with the same parameters, or the same ones at once, so many times in a row, and
 * nothing new came of it. Whether different actions mean the same is for a model to judge.
 */
export function sameActionSpin(history: readonly ActionRecord[], threshold: number): boolean {
  return repeatsOf(history, threshold) >= threshold || equalAtEnd(turnsOf(history, threshold)) >= threshold
}

/** How many actions at the end are equal to the last one, itself included. Looks at no more than `most`. */
export function repeatsOf(history: readonly ActionRecord[], most = history.length): number {
  return equalAtEnd(history.slice(-most).map(keyOf))
}

function equalAtEnd(keys: readonly string[]): number {
  return keys.length - 1 - keys.findLastIndex((key) => key !== keys.at(-1))
}

/** What was done in each of the last iterations: native calls may be several at once, in any order. */
function turnsOf(history: readonly ActionRecord[], most: number): string[] {
  const turns = Map.groupBy(history, ({ iteration_index }) => iteration_index)
  return [...turns.values()].slice(-most).map((turn) => turn.map(keyOf).sort().join('\n'))
}

function keyOf({ action_name, action_params, result_digest }: ActionRecord): string {
  return `${action_name} ${result_digest} ${stableJson(action_params)}`
}

/**
 * The same for the same words, whatever the order of fields and whatever the numbers in them: a counter, a time or a size that
 * has changed is nothing new to a loop that does the same again.
 */
export function digestOf(value: unknown): string {
  return nonceOf('result', stableJson(value).replace(NUMBERS, '#'))
}

const NUMBERS = /\p{Nd}+(?:[.,]\p{Nd}+)*/gu
