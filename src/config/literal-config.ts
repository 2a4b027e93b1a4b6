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
    else {
      let parent = root
      for (const step of path.slice(0, -1)) parent = (parent as Record<string | number, unknown>)?.[step]
      if (Array.isArray(parent)) parent[key as number] = value
      else if (isObject(parent) && key !== '__proto__') parent[key] = value
    }
  }
  return root
}

const PLAIN =
  /(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\$])*)`|(true|false|null|-?\d[\d_.]*))\s*(?:(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)\s*)*(?=[,}\])]|$)/y

function literalAt(text: string, offset: number): unknown {
  if (text[offset] === '{') return {}
  if (text[offset] === '[') return []
  PLAIN.lastIndex = offset
  const found = PLAIN.exec(text)
  if (found === null) return COMPUTED
  const [, single, double, template, word] = found
  if (word !== undefined) return parseJson(word.replaceAll('_', '')) ?? COMPUTED
  if (double !== undefined) return parseJson(`"${double}"`) ?? COMPUTED
  const inner = single ?? template ?? ''
  return inner.includes('\\') ? COMPUTED : inner
}
