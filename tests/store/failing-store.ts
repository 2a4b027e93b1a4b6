// A store that fails where a test wants it to.

import type { Store } from '../../src/kernel/store.ts'
import { ThinkonError } from '../../src/protocol/index.ts'

export const METHODS = [
  'create',
  'acquire',
  'release',
  'append',
  'has',
  'read',
  'pick',
  'outline',
  'keepOutline',
  'row',
  'list',
  'count',
  'delete',
  'sweep',
  'import',
  'fork',
  'send',
  'pending',
  'version',
  'close',
] as const satisfies readonly (keyof Store)[]

export type Method = (typeof METHODS)[number]

export interface Failure {
  method: Method
  /** Which call of it fails, from 1. */
  call: number
  /** Every later one, too. */
  forGood: boolean
}

export interface FailingStore extends Store {
  /** How often the method was called. */
  calls(method: Method): number
  /** No call fails from now on. */
  mend(): void
}

export function failingStore(store: Store, failure: Failure): FailingStore {
  const counts = new Map<string, number>()
  let mended = false
  const fails = (method: string) => {
    const call = (counts.get(method) ?? 0) + 1
    counts.set(method, call)
    if (mended || method !== failure.method) return false
    return failure.forGood ? call >= failure.call : call === failure.call
  }
  const wrapped = {
    calls: (method: Method) => counts.get(method) ?? 0,
    mend: () => {
      mended = true
    },
  }
  return new Proxy(store, {
    get(target, key) {
      if (key in wrapped) return wrapped[key as keyof typeof wrapped]
      const value = target[key as keyof Store]
      if (typeof value !== 'function') return value
      return (...given: never[]) => {
        const failed = fails(String(key))
        const answer = failed && key !== 'read' && key !== 'pick' ? null : (value as never as Call)(...given)
        if (!failed) return answer
        // Reading fails in the middle.
        if (key === 'read' || key === 'pick') return failsAfterOne(answer as Iterable<unknown>, String(key))
        throw diskError(String(key))
      }
    },
  }) as FailingStore
}

type Call = (...given: never[]) => unknown

function* failsAfterOne(items: Iterable<unknown>, method: string): Generator<unknown> {
  for (const item of items) {
    yield item
    break
  }
  throw diskError(method)
}

export function diskError(method: string): ThinkonError {
  return new ThinkonError('STORE_IO', `the disk failed in ${method}`)
}
