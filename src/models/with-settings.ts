/** A model with the settings that its role's configuration gives it. */
import type { Model } from '../kernel/model.ts'
import type { ModelSettings } from '../protocol/index.ts'
import { decorateModel } from './decorate-model.ts'

/** The user's settings override the strategy's, but a length that a strategy asks for is never raised. */
export function withSettings(model: Model, given: ModelSettings): Model {
  const { temperature, seed, maxOutputTokens } = given
  if (temperature === undefined && seed === undefined && maxOutputTokens === undefined) return model
  return decorateModel(model, {
    call(request, io) {
      const asked = request.settings
      const most = Math.min(maxOutputTokens ?? Infinity, asked?.maxOutputTokens ?? Infinity)
      const settings: ModelSettings = {
        ...asked,
        ...(temperature === undefined ? {} : { temperature }),
        ...(seed === undefined ? {} : { seed }),
        ...(most === Infinity ? {} : { maxOutputTokens: most }),
      }
      return model.call({ ...request, settings }, io)
    },
  })
}
