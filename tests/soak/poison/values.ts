/** Values that no honest object returns. Each is made anew for each call: some can be used only once. */

// biome-ignore lint/suspicious/noExplicitAny: what objects without types return
export type Untyped = any

export const circle = (): Untyped => {
  const value: Untyped = {}
  value.self = value
  return value
}

/** 2^60 parts in 60 lists. */
export const bomb = (): Untyped => {
  let value: Untyped = 'x'
  for (let level = 0; level < 60; level++) value = [value, value]
  return value
}

export const deep = (): Untyped => JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)

export const throwing = (): Untyped =>
  new Proxy(
    {},
    {
      get: raise,
      has: raise,
      ownKeys: raise,
      getPrototypeOf: raise,
      getOwnPropertyDescriptor: raise,
    },
  )

export const revoked = (): Untyped => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

export const withGetter = (name: string, rest: object = {}): Untyped =>
  Object.defineProperty({ ...rest }, name, { enumerable: true, get: raise })

export const withToJson = (): Untyped => ({ toJSON: raise })

/** Never settles. */
export const thenable = (): Untyped => Object.fromEntries([['then', () => {}]])

function raise(): never {
  throw new Error('poisoned')
}
