import { isObject } from '../../protocol/index.ts'

/** So many of one stream; whoever asks for more is told of these. */
const MAX_URIS = 100

/** The URIs of resources whose changes a `subscriptions/listen` wants to hear of; none of any other message. */
export function listenedTo(message: unknown): string[] {
  if (!isObject(message) || message.method !== 'subscriptions/listen') return []
  const filter = isObject(message.params) ? message.params.notifications : undefined
  const uris = isObject(filter) ? filter.resourceSubscriptions : undefined
  if (!Array.isArray(uris)) return []
  return [...new Set(uris.filter((uri) => typeof uri === 'string'))].slice(0, MAX_URIS)
}
