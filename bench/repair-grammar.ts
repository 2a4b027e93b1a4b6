/**
 * The generated half of repair-corpus-2/: a value that fits its schema is written down, broken in one way or two, and the truth is
 * known because it was there first. `node bench/repair-grammar.ts` makes it again, the same each time.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { isUnread, SECOND, UNREAD } from './repair.ts'
import * as around from './repair-around.ts'
import type { Break, Made, Start } from './repair-breaks.ts'
import * as breaks from './repair-breaks.ts'
import { type Layout, tokensOf } from './repair-tokens.ts'
import { VALUES } from './repair-values.ts'

export interface Generated extends Made {
  readonly id: string
  readonly kind: string
  readonly schema: string
}

interface Kind {
  readonly count: number
  readonly make: Break
  /** What may be put around it: nothing where it would change the truth. */
  readonly inside?: 'json' | 'yaml'
}

const KINDS: Readonly<Record<string, Kind>> = {
  'trailing-comma': { count: 3, make: breaks.trailingComma, inside: 'json' },
  'lost-comma': { count: 6, make: breaks.lostComma, inside: 'json' },
  'double-comma': { count: 4, make: breaks.doubleComma, inside: 'json' },
  'bare-keys': { count: 4, make: breaks.bareKeys, inside: 'json' },
  'single-quotes': { count: 2, make: breaks.singleQuotes, inside: 'json' },
  apostrophes: { count: 4, make: breaks.apostrophes, inside: 'json' },
  python: { count: 3, make: breaks.pythonLiterals, inside: 'json' },
  javascript: { count: 3, make: breaks.javascript, inside: 'json' },
  comment: { count: 4, make: breaks.comment, inside: 'json' },
  'raw-newline': { count: 3, make: breaks.rawNewline, inside: 'json' },
  'inner-quotes': { count: 5, make: breaks.innerQuotes, inside: 'json' },
  'inner-items': { count: 3, make: breaks.innerItems, inside: 'json' },
  closers: { count: 4, make: breaks.closers },
  'cut-off': { count: 8, make: breaks.cutOff },
  'full-width': { count: 2, make: breaks.fullWidth, inside: 'json' },
  'curly-quotes': { count: 2, make: breaks.curlyQuotes, inside: 'json' },
  entities: { count: 2, make: breaks.htmlEntities },
  'encoded-twice': { count: 3, make: breaks.encodedTwice },
  invisible: { count: 3, make: breaks.invisible, inside: 'json' },
  latex: { count: 6, make: breaks.latex, inside: 'json' },
  patterns: { count: 3, make: breaks.patterns, inside: 'json' },
  tricky: { count: 8, make: breaks.trickyText, inside: 'json' },
  'yaml-plain': { count: 4, make: breaks.plainYaml, inside: 'yaml' },
  'yaml-sign': { count: 9, make: breaks.yamlSign, inside: 'yaml' },
  'yaml-comment': { count: 2, make: breaks.yamlComment, inside: 'yaml' },
  'yaml-continued': { count: 3, make: breaks.yamlContinued },
  ellipsis: { count: 2, make: breaks.ellipsis, inside: 'json' },
  placeholder: { count: 2, make: breaks.placeholder, inside: 'json' },
  'same-key-twice': { count: 3, make: breaks.sameKeyTwice, inside: 'json' },
  misfit: { count: 5, make: around.misfit, inside: 'json' },
  wrapper: { count: 7, make: around.wrapper, inside: 'json' },
  'list-of-one': { count: 2, make: around.listOfOne, inside: 'json' },
  'tool-call': { count: 3, make: around.toolCall },
  thinking: { count: 5, make: around.thinking },
  prose: { count: 4, make: around.prose },
  remark: { count: 3, make: around.remark },
  correction: { count: 4, make: around.correction },
  'example-first': { count: 4, make: around.exampleFirst },
  'two-answers': { count: 3, make: around.twoAnswers },
}

/** With another seed, other replies: for tests that are about none in particular. */
export function generate(seed = SEED): Generated[] {
  const draw = drawing(seed)
  const texts = new Set<string>()
  return Object.entries(KINDS).flatMap(([kind, { count, make, inside }]) => {
    const made: Generated[] = []
    const [first, offset] = [Math.floor(draw() * 1000), Math.floor(draw() * 1000)]
    for (let turn = first; made.length < count; turn++) {
      if (turn > first + 1000) throw new Error(`${kind}: only ${made.length} of ${count} can be made`)
      const { schema, ...start } = startAt(turn, offset + made.length, draw)
      const one = make({ schema, ...start })
      if (one === undefined) continue
      const text = inside === undefined ? one.text : around.surrounded(one.text, inside, { schema, ...start })
      if (texts.has(text)) continue
      texts.add(text)
      const id = `g-${kind}-${String(made.length + 1).padStart(2, '0')}`
      made.push({ id, kind, schema, text, expect: one.expect })
    }
    return made
  })
}

const SEED = 20_261_116

/** Places and schemas change from turn to turn, what is put there from reply to reply, all else is drawn. */
function startAt(turn: number, count: number, draw: () => number): Start {
  const pick = <T>(list: readonly T[]) => list[Math.floor(draw() * list.length)] as T
  const vary = <T>(list: readonly T[]) => list[count % list.length] as T
  const schemas = Object.keys(VALUES)
  const schema = schemas[(turn * 5) % schemas.length] as string
  const values = VALUES[schema] as readonly unknown[]
  // The first value of a schema has the most places to break.
  const which = pick([0, 0, 0, 1, 2])
  const value = values[which]
  const layout = pick<Layout>(['tight', 'spaced', 'lines'])
  const place = <T>(list: readonly T[]) =>
    [list[0], list[list.length >> 1], list.at(-1)][turn % 3] as T | undefined
  return {
    schema,
    value,
    decoy: values[(which + 1) % values.length],
    layout,
    tokens: tokensOf(value, layout),
    place,
    vary,
    pick,
  }
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function drawing(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Writes both parts; the hand-made replies of the unread third stay. */
function write(): void {
  const lines = (replies: readonly Generated[]) =>
    replies.map((reply) => `${JSON.stringify(reply)}\n`).join('')
  const all = generate()
  const byHand = gunzipSync(readFileSync(UNREAD))
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('{"id":"h-'))
    .map((line) => `${line}\n`)
    .join('')
  writeFileSync(join(SECOND, 'generated.jsonl'), lines(all.filter(({ id }) => !isUnread(id))))
  writeFileSync(UNREAD, gzipSync(byHand + lines(all.filter(({ id }) => isUnread(id)))))
}

if (import.meta.main) write()
