/** What Thinkon costs per model call, against the same work by hand. See overhead-work.ts for the work. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Built, build } from './built.ts'
import type { Figures } from './index.ts'
import { median, rounded, rounds } from './measure.ts'
import {
  contenders,
  NAMES,
  newEngine,
  type Pair,
  type PerShape,
  pairOf,
  perShape,
  solve,
} from './overhead-sides.ts'
import { MODELS, type Ruler, SHAPES } from './overhead-work.ts'

export const about =
  'µs per model call with a model that answers at once, against a hand-written loop in the same run'

/** Each process compiles the same code a little differently: the one in the middle counts. */
const PROCESSES = 5

/** Of the harder ruler, the one whose model does not read its prompt. */
const GOALS = {
  memory: { linear: 4, tree: 8, chain: 6 },
  normal: { linear: 2, tree: 2, chain: 2 },
  full: { linear: 1.2, tree: 1.2, chain: 1.2 },
}

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-overhead-'))
  const built = build()
  try {
    const reading = await measured('reading', folder, built)
    const unread = await measured('unread', folder, built)
    const growth = lengths(built)
    const rss = (shape: string) =>
      built.measure('bench/overhead-child.js', ['thinkon', shape], 5).rssKb /
      built.measure('bench/overhead-child.js', ['bare', shape], 5).rssKb
    const rssRatio = perShape((shape) => rounded(rss(shape)))
    const importRatio = rounded(
      built.measure('src/index.js', [], 15).ms / built.measure('empty.js', [], 15).ms,
    )
    return {
      figures: { ...figuresOf(reading), unread: figuresOf(unread), growth, rssRatio, importRatio },
      lines: [
        'against a loop whose model does not read its prompt (the goals are of this ruler):',
        ...linesOf(unread, GOALS),
        'against a loop whose model reads its prompt:',
        ...linesOf(reading),
        `${'long against short run'.padEnd(24)} linear ${growth.linear} × (10,000 calls; goal 1.2), tree ${growth.tree} × (30 trees; goal 1.2), 5,461 blocks in one tree ${growth.wideTree} × (goal 1.3)`,
        `${'memory (RSS)'.padEnd(24)} ${NAMES.map((shape) => `${shape} ${rssRatio[shape]} ×`).join(', ')} (goal 1.3)`,
        `${'import'.padEnd(24)} ${importRatio} × an empty process (goal 1.5)`,
      ],
    }
  } finally {
    built.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Lengths = Record<'linear' | 'tree' | 'wideTree', number>
type Measured = Record<keyof typeof GOALS, Pair>

async function measured(ruler: Ruler, folder: string, built: Built): Promise<Measured> {
  return {
    memory: inMemory(ruler, built),
    normal: await onDisk(folder, ruler, 'normal', 30),
    full: await onDisk(folder, ruler, 'full', 30),
  }
}

/** In processes of its own: what the compiler has learned from a store on disk is of no use to it here. */
function inMemory(ruler: Ruler, built: Built): Pair {
  const pairs = Array.from({ length: PROCESSES }, (): Pair => {
    return JSON.parse(built.output('bench/overhead-memory.js', [ruler]))
  })
  const middle = perShape((shape) => {
    const sorted = pairs.toSorted((a, b) => ratiosOf(a)[shape] - ratiosOf(b)[shape])
    return sorted[PROCESSES >> 1] as Pair
  })
  return {
    bare: perShape((shape) => middle[shape].bare[shape]),
    thinkon: perShape((shape) => middle[shape].thinkon[shape]),
  }
}

function lengths(built: Built): Lengths {
  const all = Array.from({ length: PROCESSES }, (): Lengths => {
    return JSON.parse(built.output('bench/overhead-lengths.js', []))
  })
  const middle = (key: keyof Lengths) => median(all.map((lengths) => lengths[key]))
  return { linear: middle('linear'), tree: middle('tree'), wideTree: middle('wideTree') }
}

async function onDisk(
  folder: string,
  ruler: Ruler,
  synchronous: 'normal' | 'full',
  count: number,
): Promise<Pair> {
  const database = new DatabaseSync(join(folder, `bare-${ruler}-${synchronous}.db`))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  database.exec('CREATE TABLE replies (id INTEGER PRIMARY KEY, body TEXT)')
  const insert = database.prepare('INSERT INTO replies (body) VALUES (?)')
  const record = (text: string) => void insert.run(text)
  const engine = newEngine(ruler, join(folder, `thinkon-${ruler}-${synchronous}.db`), synchronous)
  const work = contenders({ model: MODELS[ruler], record }, 1, (shape) =>
    solve(engine, SHAPES[shape].strategy),
  )
  await rounds(3, work)
  const times = await rounds(count, work)
  await engine.close()
  database.close()
  return pairOf(times, 1)
}

function figuresOf({ memory, normal, full }: Measured) {
  return {
    bareUs: inShort(memory.bare),
    memoryUs: inShort(memory.thinkon),
    bareRowUs: inShort(normal.bare),
    journalNormalUs: inShort(normal.thinkon),
    bareFsyncUs: inShort(full.bare),
    journalFullUs: inShort(full.thinkon),
    ratio: { memory: ratiosOf(memory), normal: ratiosOf(normal), full: ratiosOf(full) },
  }
}

function inShort(figures: PerShape): PerShape {
  return perShape((shape) => rounded(figures[shape]))
}

function ratiosOf({ bare, thinkon }: Pair): PerShape {
  return perShape((shape) => rounded(thinkon[shape] / bare[shape]))
}

function linesOf({ memory, normal, full }: Measured, goals?: typeof GOALS): string[] {
  return [
    row('in memory', memory, goals?.memory),
    row('journal, NORMAL', normal, goals?.normal),
    row('journal, FULL', full, goals?.full),
  ]
}

function row(name: string, pair: Pair, goals?: PerShape): string {
  const ratios = ratiosOf(pair)
  const parts = NAMES.map((shape) => {
    const goal = goals === undefined ? '' : ` (goal ${goals[shape]})`
    return `${shape} ${rounded(pair.thinkon[shape])} µs = ${ratios[shape]} × ${rounded(pair.bare[shape])} µs${goal}`
  })
  return `${name.padEnd(24)} ${parts.join(', ')}`
}
