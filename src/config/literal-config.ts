/** What a configuration in TypeScript or JavaScript says in plain literals, read without executing it. */
import { isObject, parseJson } from '../protocol/index.ts'
import { modulePositions } from './module-positions.ts'

/** Stands for a value that only execution tells. */
export const COMPUTED = Symbol('computed')

/** The default export as far as it is written out; what is computed, spread or imported is left out or COMPUTED. Never throws. */
export function literalConfig(text: string): unknown {
  let root: unknown = COMPUTED
  for (const [path, offset] of modulePositions(text).entries()) {
    const value = literalAt(text, offset)
    const key = path.at(-1)
    if (key === undefined) root = value
    else setOwn(path.slice(0, -1).reduce(ownValue, root), key, value)
  }
  return root
}

/** What an object inherits is not the configuration's. */
function ownValue(parent: unknown, key: string | number): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined
  return (parent as Record<string | number, unknown>)[key]
}

function setOwn(parent: unknown, key: string | number, value: unknown): void {
  if (Array.isArray(parent)) parent[key as number] = value
  else if (isObject(parent) && key !== '__proto__') parent[key] = value
}

const PLAIN =
  /(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\$])*)`|(true|false|null|-?\d[\d_.]*))\s*(?:(?:\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)\s*)*(?=[,}\])]|$)/y

function literalAt(text: string, offset: number): unknown {
  if (text[offset] === '{') return {}
  if (text[offset] === '[') return []
  PLAIN.lastIndex = offset
  const found = PLAIN.exec(text)
  if (found === null) return COMPUTED
  const [, single, double, template, word] = found
  if (word === 'null') return null
  if (word !== undefined) return parseJson(word.replaceAll('_', '')) ?? COMPUTED
  if (double !== undefined) return parseJson(`"${double}"`) ?? COMPUTED
  const inner = single ?? template ?? ''
  return inner.includes('\\') ? COMPUTED : inner
}
