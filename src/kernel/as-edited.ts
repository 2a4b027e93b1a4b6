import type { EventBody, Reserve } from '../protocol/index.ts'
import type { Effect } from './durable.ts'
import { cleanRequest, modelReserve } from './model-effect.ts'
import type { KernelServices } from './services.ts'

type ModelEffect = Effect & { kind: 'model' }

/** Nothing of what a person says is paid by the token. */
export const ONE_CALL: Reserve = { calls: 1, tokens: 0, costUsd: 0 }

/**
 * A model call as it is asked: where a person has edited its recorded request in a fork, with that one, whatever the strategy makes now.
 *
 * 1. Only this request is another: what the strategy holds as its conversation stays its own.
 * 2. What it may cost is reserved for the edited request (K3), which is without secrets (K9) as any other.
 * 3. It has no input that it was rendered from: a program that answers inputs can't answer it.
 */
export function asEdited(
  effect: ModelEffect,
  recorded: EventBody | null,
  { model, clean }: KernelServices,
): ModelEffect {
  if (recorded?.type !== 'model-start' || !recorded.edited) return effect
  // Another call than the edited one is for the host to refuse.
  if (recorded.request.kind !== effect.request.kind) return effect
  const request = cleanRequest(recorded.request, clean)
  const answering = model(request.role)
  const reserve = answering.asksPerson ? ONE_CALL : modelReserve(request, answering, 0)
  return { kind: 'model', request, reserve, closing: effect.closing, edited: true }
}
