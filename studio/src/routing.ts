/**
 * Where the person is: in the address behind the `#`, so that the page works below any path and from disk, and every view has an
 * address to share. `#/runs`, `#/runs/<run>?block=1-2&at=40&tab=requests`, `#/compare/<run>/<run>`.
 */
import { useSyncExternalStore } from 'react'

export interface Place {
  /** `['runs', '<run>']` */
  readonly segments: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

let place = read()
const listeners = new Set<() => void>()
window.addEventListener('hashchange', () => {
  place = read()
  for (const listener of listeners) listener()
})

export function usePlace(): Place {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => place,
  )
}

export function addressOf(
  segments: readonly string[],
  query: Readonly<Record<string, string | null>> = {},
): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== null && entry[1] !== '',
  )
  const search = new URLSearchParams(given).toString()
  return `#/${segments.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

export function goTo(segments: readonly string[], query: Readonly<Record<string, string | null>> = {}): void {
  location.hash = addressOf(segments, query)
}

/** Changes the query of where the person is. `null` takes a key out. It is no step back in the browser's history. */
export function setQuery(change: Readonly<Record<string, string | null>>): void {
  const address = addressOf(place.segments, { ...place.query, ...change })
  history.replaceState(null, '', address)
  place = read()
  for (const listener of listeners) listener()
}

function read(): Place {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return {
    segments: path.split('/').filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
