/** Self-reflection after an action: how hard depends on what happened; from `standard` on a model looks at it. */
import { type ModelReply, shorten } from '../../../protocol/index.ts'
import { tryValue } from '../../read-value.ts'
import { reflectPrompt } from '../prompts/index.ts'
import type { Observation } from './action.ts'
import { lastItems } from './history.ts'
import { type Loop, resultOf } from './loop.ts'
import { asksModel, reflectionLevel } from './reflection-level.ts'
import { sameActionSpin } from './spin.ts'

const SHOWN_ITEMS = 20
const KEPT_REFLECTIONS = 3

export async function reflectOn(loop: Loop, observations: readonly Observation[]): Promise<void> {
  const { context, iteration, reflections } = loop
  const spins = sameActionSpin(loop.records) ? loop.spins : 0
  const failed = observations.some((observation) => observation.failed)
  const level = reflectionLevel({ enabled: context.options.reflection, iteration, failed, spins })
  if (!asksModel(level)) return
  const request = reflectPrompt(loop, level, spins, lastItems(loop.history, SHOWN_ITEMS))
  const reply = await resultOf(context, context.model(request))
  const value = reply.ok ? (tryValue(reply.value as ModelReply) as Reflection | undefined) : undefined
  const text = typeof value?.advice === 'string' ? value.advice : ''
  const spinning = value?.spinning === true
  context.emit('dual/loop-reflected', { iteration, level, spinning, advice: shorten(text, 300) })
  // Different actions that mean the same are spinning, too; what is equal was counted already.
  if (spinning && spins === 0) loop.spins++
  if (text !== '') reflections.push(`[${iteration}] ${level}: ${shorten(text, 600)}`)
  reflections.splice(0, Math.max(0, reflections.length - KEPT_REFLECTIONS))
}

interface Reflection {
  readonly advice?: unknown
  readonly spinning?: unknown
}
