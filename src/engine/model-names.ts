/** The models of an engine by name, as its runs record them. */

import type { NamedModels } from '../kernel/missing-parts.ts'
import type { Model } from '../kernel/model.ts'
import { choicesOf, type ModelChoice, type ModelChoices } from '../kernel/model-choice.ts'
import { ROLES, type Role } from '../protocol/index.ts'
import type { EngineOptions } from './api.ts'

/** A later process can open a spec; a model object only has a name. */
export function modelNames({ model, models }: EngineOptions, modelOf: (role?: Role) => Model): NamedModels {
  const own = ROLES.flatMap((role) => {
    const choice = models?.[role]
    return choice === undefined ? [] : [[role, chosenSpec(choice) ?? modelOf(role).id] as const]
  })
  return {
    model: chosenSpec(model) ?? modelOf().id,
    ...(own.length > 0 && { models: Object.fromEntries(own) }),
    isDefault: model === undefined,
  }
}

/** The spec, if the model was chosen by one; of several, all. */
function chosenSpec(given: ModelChoices | undefined): string | null {
  const specs = given === undefined ? [] : choicesOf(given).map(oneSpec)
  return specs.length === 0 || specs.includes(null) ? null : specs.join(',')
}

function oneSpec(choice: ModelChoice): string | null {
  if (typeof choice === 'string') return choice
  return typeof choice === 'object' && 'model' in choice && typeof choice.model === 'string'
    ? choice.model
    : null
}
