import { SourceMap } from 'node:module'
import { expect, it } from 'vitest'
import { lineMappings } from './line-map.ts'

const map = (mappings: string) =>
  new SourceMap({ version: 3, file: '', sources: ['a.ts'], sourcesContent: [], names: [], mappings } as never)

// What the compiler writes for the four lines
//   export function half(of: number): number {
//     if (of < 0)
//       throw new Error('less than nothing')
//     return of / 2 }
const COMPILED =
  'AAAA,MAAM,UAAU,IAAI,CAAC,EAAU;IAC7B,IAAI,EAAE,GAAG,CAAC;QACR,MAAM,IAAI,KAAK,CAAC,mBAAmB,CAAC,CAAA;IACtC,OAAO,EAAE,GAAG,CAAC,CAAA;AAAC,CAAC'

it('leads every position to the line that the whole map leads it to', () => {
  const short = lineMappings(COMPILED)
  expect(short.length).toBeLessThan(COMPILED.length / 3)
  const [whole, lines] = [map(COMPILED), map(short)]
  for (let line = 0; line < 5; line++)
    for (let column = 4; column < 40; column += 4) {
      const { originalLine } = whole.findEntry(line, column) as { originalLine: number }
      expect(lines.findEntry(line, column)).toMatchObject({ originalLine })
    }
})

it('keeps a second mapping of a line where it leads to another line of the source', () => {
  // Two lines of the source on one line; then far ones, forwards and backwards.
  const mappings = 'AAAA,GAAG,IACA,IAAI;AAgzDA,CAAC;AAjzDA'
  const [whole, lines] = [map(mappings), map(lineMappings(mappings))]
  for (const [line, column] of [
    [0, 0],
    [0, 4],
    [0, 7],
    [0, 20],
    [1, 0],
    [1, 3],
    [2, 0],
  ] as const) {
    const { originalLine } = whole.findEntry(line, column) as { originalLine: number }
    expect(lines.findEntry(line, column)).toMatchObject({ originalLine })
  }
})

it('leaves an empty map, and empty lines, as they are', () => {
  expect([lineMappings(''), lineMappings(';;')]).toEqual(['', ';;'])
})
