import type { Model } from '../kernel/model.ts'

/** The model with some of its members replaced. All others stay, bound to it: it may be of a class. */
export function decorateModel(model: Model, changes: Partial<Model>): Model {
  const { refusal, cost } = model
  // Does not compile when the port has a member that is not kept here.
  const kept: Record<keyof Model, unknown> = {
    id: model.id,
    call: model.call.bind(model),
    window: model.window,
    maxOutputTokens: model.maxOutputTokens,
    thinkingTokens: model.thinkingTokens,
    maxReplyBytes: model.maxReplyBytes,
    asksPerson: model.asksPerson,
    free: model.free,
    alternatives: model.alternatives,
    refusal: refusal?.bind(model),
    cost: cost?.bind(model),
  }
  const present = Object.entries(kept).filter(([, member]) => member !== undefined)
  return { ...(Object.fromEntries(present) as unknown as Model), ...changes }
}
