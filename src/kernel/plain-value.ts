/**
 * Copies a value that a model or tool object returned, as JSON has it: the result is what `JSON.parse(JSON.stringify(value))` returns.
 *
 * 1. The value is not trusted: getters, proxies and `toJSON` may throw, and a value may contain itself. Each throws NotPlain.
 * 2. Depth and size are bounded while it is copied, so that a value that contains one part many times ends, too.
 */
import { errorText, MAX_DEPTH } from '../protocol/index.ts'

export interface PlainBounds {
  /** Of the value as JSON text. */
  readonly maxBytes: number
  readonly maxDepth?: number
}

export class NotPlain extends Error {
  readonly kind: 'foreign' | 'deep' | 'large'

  constructor(kind: NotPlain['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Undefined for a value that JSON leaves out, such as a function. Throws NotPlain. */
export function plainValue(value: unknown, bounds: PlainBounds): unknown {
  const copying = new Copying(bounds)
  const copy = copying.copy(value, '', 0)
  copying.checkSize(copy)
  return copy
}

class Copying {
  private readonly maxBytes: number
  private readonly maxDepth: number
  /** A lower bound of the bytes so far. */
  private bytes = 0

  constructor({ maxBytes, maxDepth = MAX_DEPTH }: PlainBounds) {
    this.maxBytes = maxBytes
    this.maxDepth = maxDepth
  }

  copy(given: unknown, key: string, depth: number): unknown {
    const value = asWritten(given, key)
    switch (typeof value) {
      case 'string':
        this.count(value.length + 2)
        return value
      case 'number':
        this.count(1)
        return Number.isFinite(value) ? value + 0 : null
      case 'boolean':
        this.count(4)
        return value
      case 'bigint':
        throw new NotPlain('foreign', `${at(key)}a BigInt is no JSON value`)
      case 'object':
        // Its first bracket: the last one takes the place of a separator.
        this.count(1)
        if (value === null) return null
        if (depth >= this.maxDepth)
          throw new NotPlain('deep', `nested deeper than ${this.maxDepth} levels: make it flatter`)
        return this.copyParts(value, key, depth)
      default:
        return undefined
    }
  }

  /** Counts characters of several bytes and escapes, too. */
  checkSize(copy: unknown): void {
    if (this.bytes * MOST_BYTES_COUNTED_AS_ONE <= this.maxBytes || copy === undefined) return
    if (Buffer.byteLength(JSON.stringify(copy)) > this.maxBytes) throw this.tooLarge()
  }

  private copyParts(value: object, key: string, depth: number): unknown {
    try {
      return Array.isArray(value) ? this.copyList(value, depth) : this.copyObject(value, depth)
    } catch (thrown) {
      if (thrown instanceof NotPlain) throw thrown
      throw new NotPlain('foreign', `${at(key)}${errorText(thrown)}`)
    }
  }

  private copyList(list: readonly unknown[], depth: number): unknown[] {
    const copies: unknown[] = []
    const { length } = list
    for (let i = 0; i < length; i++) {
      this.count(1)
      copies.push(this.copy(list[i], String(i), depth + 1) ?? null)
    }
    return copies
  }

  private copyObject(parts: object, depth: number): unknown {
    const copies: Record<string, unknown> = {}
    for (const name of Object.keys(parts)) {
      const part = this.copy(parts[name as keyof typeof parts], name, depth + 1)
      if (part === undefined) continue
      this.count(name.length + 4)
      if (name === '__proto__')
        Object.defineProperty(copies, name, {
          value: part,
          enumerable: true,
          configurable: true,
          writable: true,
        })
      else copies[name] = part
    }
    return copies
  }

  private count(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > this.maxBytes) throw this.tooLarge()
  }

  private tooLarge(): NotPlain {
    return new NotPlain('large', `larger than ${this.maxBytes} bytes`)
  }
}

/** `-5e-324`, counted as 1; and `\u0000` for one UTF-16 unit. */
const MOST_BYTES_COUNTED_AS_ONE = 24

/** The value that JSON writes in place of this one: the result of its `toJSON`, and the value of a boxed one. */
function asWritten(given: unknown, key: string): unknown {
  if (
    (typeof given !== 'object' || given === null) &&
    typeof given !== 'bigint' &&
    typeof given !== 'function'
  )
    return given
  try {
    const { toJSON } = given as { toJSON?: unknown }
    const value: unknown = typeof toJSON === 'function' ? toJSON.call(given, key) : given
    if (value instanceof Number) return Number(value)
    if (value instanceof String) return String(value)
    return value instanceof Boolean || value instanceof BigInt ? value.valueOf() : value
  } catch (thrown) {
    throw new NotPlain('foreign', `${at(key)}${errorText(thrown)}`)
  }
}

function at(key: string): string {
  return key === '' ? '' : `at "${key.slice(0, 100)}": `
}
