/** What Thinkon costs per model call, against the same work by hand. See overhead-work.ts for the work. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createEngine, type Engine } from '../src/index.ts'
import { build } from './built.ts'
import type { Figures } from './index.ts'
import { collectGarbage, rounded, rounds } from './measure.ts'
import {
  type ByHand,
  MODELS,
  type Ruler,
  SHAPES,
  type Shape,
  STRATEGIES,
  treeBlocks,
  UNLIMITED,
} from './overhead-work.ts'

export const about =
  'µs per model call with a model that answers at once, against a hand-written loop in the same run'

const LONG_CALLS = 10_000
const LONG_TREES = 30
const WIDE_LEVELS = 6
/** About as long as one run, so that a busy machine interrupts both sides alike. */
const HANDS_IN_MEMORY = 6
const NAMES = Object.keys(SHAPES) as Shape[]

/** Of the harder ruler, the one whose model does not read its prompt. */
const GOALS = {
  memory: { linear: 4, tree: 8, chain: 6 },
  normal: { linear: 2, tree: 2, chain: 2 },
  full: { linear: 1.2, tree: 1.2, chain: 1.2 },
}

type PerShape = Record<Shape, number>

/** µs per call of both sides. */
interface Pair {
  bare: PerShape
  thinkon: PerShape
}

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-overhead-'))
  const built = build()
  try {
    const reading = await measured('reading', folder)
    const unread = await measured('unread', folder)
    const growth = await lengths()
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
        `${'long against short run'.padEnd(24)} linear ${growth.linear} × (10,000 calls; goal 1.2), tree ${growth.tree} × (30 trees; goal 1.2), 5,461 blocks at once ${growth.wideTree} × (goal 1.3)`,
        `${'memory (RSS)'.padEnd(24)} ${NAMES.map((shape) => `${shape} ${rssRatio[shape]} ×`).join(', ')} (goal 1.3)`,
        `${'import'.padEnd(24)} ${importRatio} × an empty process (goal 1.5)`,
      ],
    }
  } finally {
    built.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measured = Record<keyof typeof GOALS, Pair>

async function measured(ruler: Ruler, folder: string): Promise<Measured> {
  return {
    memory: await inMemory(ruler),
    normal: await onDisk(folder, ruler, 'normal', 30),
    full: await onDisk(folder, ruler, 'full', 6),
  }
}

async function inMemory(ruler: Ruler): Promise<Pair> {
  const model = MODELS[ruler]
  const work = contenders({ model }, HANDS_IN_MEMORY, (shape) =>
    inNewEngine(ruler, (engine) => solve(engine, SHAPES[shape].strategy)),
  )
  // Warm up first: the JIT compiler is not what is measured. After 40 rounds it has half of its work still to do.
  await rounds(500, work)
  return pairOf(await rounds(80, work), HANDS_IN_MEMORY)
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

/** Each shape by hand and with Thinkon, side by side; by hand `times` times. */
function contenders(
  hand: ByHand,
  times: number,
  withThinkon: (shape: Shape) => Promise<void>,
): Record<string, () => Promise<unknown>> {
  return Object.fromEntries(
    NAMES.flatMap((shape) => [
      [`bare ${shape}`, () => repeat(times, () => SHAPES[shape].byHand(hand))],
      [shape, () => withThinkon(shape)],
    ]),
  )
}

/** Cost per call of long runs relative to short ones, in memory, and of a tree whose blocks are all open at once. */
async function lengths(): Promise<{ linear: number; tree: number; wideTree: number }> {
  const long = (strategy: string, options: object) =>
    inNewEngine('reading', (engine) => solve(engine, strategy, options))
  const work = {
    short: () => repeat(LONG_CALLS / SHAPES.linear.calls, () => long('bench-linear', {})),
    long: () => long('bench-linear', { calls: LONG_CALLS }),
    shortTree: () => repeat(LONG_TREES, () => long('bench-tree', {})),
    longTree: () => long('bench-forest', { trees: LONG_TREES }),
    wideTree: () => long('bench-tree', { levels: WIDE_LEVELS }),
  }
  await rounds(2, work)
  const times = await rounds(11, work, collectGarbage)
  const { short = 0, long: longLinear = 0, shortTree = 1, longTree = 0, wideTree = 0 } = times
  const wide = wideTree / treeBlocks(WIDE_LEVELS) / (shortTree / LONG_TREES / treeBlocks())
  return { linear: rounded(longLinear / short), tree: rounded(longTree / shortTree), wideTree: rounded(wide) }
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await work()
}

function newEngine(ruler: Ruler, store: string, synchronous: 'normal' | 'full' = 'normal'): Engine {
  return createEngine({ model: MODELS[ruler], strategies: STRATEGIES, store, synchronous })
}

async function inNewEngine(ruler: Ruler, work: (engine: Engine) => Promise<unknown>): Promise<void> {
  const engine = newEngine(ruler, ':memory:')
  await work(engine)
  await engine.close()
}

async function solve(engine: Engine, strategy: string, options: object = {}): Promise<void> {
  const run = await engine.start('bench', { strategy, options: { ...options }, budget: UNLIMITED })
  const { status, reason } = await run.outcome
  if (status !== 'completed') throw new Error(`the run ended ${status}: ${reason}`)
}

function pairOf(times: Record<string, number>, hands: number): Pair {
  const perCall = (name: string, shape: Shape) => rounded((times[name] ?? 0) / SHAPES[shape].calls)
  return {
    bare: perShape((shape) => rounded(perCall(`bare ${shape}`, shape) / hands)),
    thinkon: perShape((shape) => perCall(shape, shape)),
  }
}

function perShape(figure: (shape: Shape) => number): PerShape {
  return { linear: figure('linear'), tree: figure('tree'), chain: figure('chain') }
}

function figuresOf({ memory, normal, full }: Measured) {
  return {
    bareUs: memory.bare,
    memoryUs: memory.thinkon,
    bareRowUs: normal.bare,
    journalNormalUs: normal.thinkon,
    bareFsyncUs: full.bare,
    journalFullUs: full.thinkon,
    ratio: { memory: ratiosOf(memory), normal: ratiosOf(normal), full: ratiosOf(full) },
  }
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
    return `${shape} ${pair.thinkon[shape]} µs = ${ratios[shape]} × ${pair.bare[shape]} µs${goal}`
  })
  return `${name.padEnd(24)} ${parts.join(', ')}`
}
