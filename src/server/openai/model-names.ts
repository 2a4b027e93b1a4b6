/** Each strategy is a model: `thinkon/tot` over the service's default model, `thinkon/tot@<spec>` over another that it offers. */
import { nearest, ThinkonError } from '../../protocol/index.ts'
import type { Service } from '../service.ts'
import type { StartRequest } from '../start-request.ts'

const OWNER = 'thinkon'

type Offered = Pick<Service, 'strategies' | 'models'>

export function modelNames({ strategies, models }: Offered): string[] {
  const names = [...strategies.keys()].map((name) => `${OWNER}/${name}`)
  const others = models.slice(1)
  return [...names, ...names.flatMap((name) => others.map((spec) => `${name}@${spec}`))]
}

/** Strategy and model by such a name; `thinkon/` may be left out. */
export function readModel(given: string, offered: Offered): Pick<StartRequest, 'strategy' | 'model'> {
  const plain = given.startsWith(`${OWNER}/`) ? given.slice(OWNER.length + 1) : given
  const at = plain.indexOf('@')
  const strategy = at === -1 ? plain : plain.slice(0, at)
  const model = at === -1 ? undefined : plain.slice(at + 1)
  const isOffered = model === undefined || offered.models.includes(model)
  if (offered.strategies.has(strategy) && isOffered)
    return { strategy, ...(model !== undefined && { model }) }
  const names = modelNames(offered)
  // What all names begin with makes none of them near.
  const near = nearest(
    plain,
    names.map((name) => name.slice(OWNER.length + 1)),
  )
  const hint = near === undefined ? `there are: ${names.join(', ')}` : `did you mean "${OWNER}/${near}"?`
  throw new ThinkonError('NO_SUCH_STRATEGY', `there is no model "${given.slice(0, 200)}": ${hint}`, {
    data: { param: 'model' },
  })
}

export function modelObject(id: string) {
  return { id, object: 'model' as const, created: 0, owned_by: OWNER }
}
