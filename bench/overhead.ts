/** What Thinkon costs per model call, against the same work by hand. See overhead-work.ts for the work. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createEngine, type Engine } from '../src/index.ts'
import { build } from './built.ts'
import type { Figures } from './index.ts'
import { rounded, rounds } from './measure.ts'
import {
  bareLinear,
  bareTree,
  forest,
  instantModel,
  linear,
  tree,
  treeBlocks,
  UNLIMITED,
} from './overhead-work.ts'

export const about =
  'µs per model call with a model that answers at once, against a hand-written loop in the same run'

const CALLS = 200
const LONG_CALLS = 10_000
const BLOCKS = treeBlocks()
const LONG_TREES = 30
const WIDE_LEVELS = 6

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-overhead-'))
  const built = build()
  try {
    const memory = await inMemory()
    const normal = await onDisk(folder, 'normal', 40)
    const full = await onDisk(folder, 'full', 8)
    const growth = await lengths()
    const rss = (shape: string) =>
      built.measure('bench/overhead-child.js', ['thinkon', shape], 5).rssKb /
      built.measure('bench/overhead-child.js', ['bare', shape], 5).rssKb
    const rssRatio = { linear: rounded(rss('linear')), tree: rounded(rss('tree')) }
    const importRatio = rounded(
      built.measure('src/index.js', [], 15).ms / built.measure('empty.js', [], 15).ms,
    )
    const figures = {
      bareUs: memory.bare,
      memoryUs: memory.thinkon,
      bareRowUs: normal.bare,
      journalNormalUs: normal.thinkon,
      bareFsyncUs: full.bare,
      journalFullUs: full.thinkon,
      growth,
      rssRatio,
      importRatio,
    }
    return {
      figures,
      lines: [
        row('in memory', memory, 8, 8),
        row('journal, NORMAL', normal, 4, 6),
        row('journal, FULL', full, 2, 2),
        `${'long against short run'.padEnd(24)} linear ${growth.linear} × (10,000 calls; goal 1.2), tree ${growth.tree} × (30 trees; goal 1.2), 5,461 blocks at once ${growth.wideTree} ×`,
        `${'memory (RSS)'.padEnd(24)} linear ${rssRatio.linear} ×, tree ${rssRatio.tree} × (goal 1.3)`,
        `${'import'.padEnd(24)} ${importRatio} × an empty process (goal 1.5)`,
      ],
    }
  } finally {
    built.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Pair {
  bare: { linear: number; tree: number }
  thinkon: { linear: number; tree: number }
}

async function inMemory(): Promise<Pair> {
  const contenders = {
    bareLinear: () => bareLinear(CALLS),
    linear: () => inNewEngine((engine) => runLinear(engine, CALLS)),
    bareTree: () => bareTree(0),
    tree: () => inNewEngine(runTree),
  }
  // Warm up first: the JIT compiler is not what is measured.
  await rounds(60, contenders)
  return pair(await rounds(100, contenders))
}

async function onDisk(folder: string, synchronous: 'normal' | 'full', count: number): Promise<Pair> {
  const database = new DatabaseSync(join(folder, `bare-${synchronous}.db`))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  database.exec('CREATE TABLE replies (id INTEGER PRIMARY KEY, body TEXT)')
  const insert = database.prepare('INSERT INTO replies (body) VALUES (?)')
  const record = (text: string) => void insert.run(text)
  const engine = newEngine(join(folder, `thinkon-${synchronous}.db`), synchronous)
  const contenders = {
    bareLinear: () => bareLinear(CALLS, record),
    linear: () => runLinear(engine, CALLS),
    bareTree: () => bareTree(0, record),
    tree: () => runTree(engine),
  }
  await rounds(3, contenders)
  const times = await rounds(count, contenders)
  await engine.close()
  database.close()
  return pair(times)
}

/** Cost per call of long runs relative to short ones, in memory, and of a tree whose blocks are all open at once. */
async function lengths(): Promise<{ linear: number; tree: number; wideTree: number }> {
  const times = await rounds(7, {
    short: () => repeat(LONG_CALLS / CALLS, () => inNewEngine((engine) => runLinear(engine, CALLS))),
    long: () => inNewEngine((engine) => runLinear(engine, LONG_CALLS)),
    shortTree: () => repeat(LONG_TREES, () => inNewEngine(runTree)),
    longTree: () => inNewEngine((engine) => runForest(engine, LONG_TREES)),
    wideTree: () => inNewEngine((engine) => runTree(engine, WIDE_LEVELS)),
  })
  const { short = 0, long = 0, shortTree = 1, longTree = 0, wideTree = 0 } = times
  const wide = wideTree / treeBlocks(WIDE_LEVELS) / (shortTree / LONG_TREES / BLOCKS)
  return { linear: rounded(long / short), tree: rounded(longTree / shortTree), wideTree: rounded(wide) }
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await work()
}

function newEngine(store: string, synchronous: 'normal' | 'full' = 'normal'): Engine {
  return createEngine({ model: instantModel, strategies: [linear, tree, forest], store, synchronous })
}

async function inNewEngine(work: (engine: Engine) => Promise<unknown>): Promise<void> {
  const engine = newEngine(':memory:')
  await work(engine)
  await engine.close()
}

async function runLinear(engine: Engine, calls: number): Promise<void> {
  await completed(
    await engine.start('bench', { strategy: 'bench-linear', options: { calls }, budget: UNLIMITED }),
  )
}

async function runTree(engine: Engine, levels?: number): Promise<void> {
  const options = levels === undefined ? {} : { levels }
  await completed(await engine.start('bench', { strategy: 'bench-tree', options, budget: UNLIMITED }))
}

async function runForest(engine: Engine, trees: number): Promise<void> {
  await completed(
    await engine.start('bench', { strategy: 'bench-forest', options: { trees }, budget: UNLIMITED }),
  )
}

async function completed(run: { outcome: Promise<{ status: string; reason?: string }> }): Promise<void> {
  const { status, reason } = await run.outcome
  if (status !== 'completed') throw new Error(`the run ended ${status}: ${reason}`)
}

function pair(times: Record<string, number>): Pair {
  const { bareLinear: bl = 0, linear: l = 0, bareTree: bt = 0, tree: t = 0 } = times
  return {
    bare: { linear: rounded(bl / CALLS), tree: rounded(bt / BLOCKS) },
    thinkon: { linear: rounded(l / CALLS), tree: rounded(t / BLOCKS) },
  }
}

function row(name: string, { bare, thinkon }: Pair, goalLinear: number, goalTree: number): string {
  const part = (shape: 'linear' | 'tree', goal: number) =>
    `${shape} ${thinkon[shape]} µs = ${rounded(thinkon[shape] / bare[shape], 1)} × ${bare[shape]} µs (goal ${goal})`
  return `${name.padEnd(24)} ${part('linear', goalLinear)}, ${part('tree', goalTree)}`
}
