/**
 * A process that prints the cost per call of long runs relative to short ones, in memory, and per block of a tree of 5,461 blocks relative to
 * trees of 341.
 */
import { collectGarbage, rounded, rounds } from './measure.ts'
import { inNewEngine, repeat, solve } from './overhead-sides.ts'
import { SHAPES, treeBlocks } from './overhead-work.ts'

const LONG_CALLS = 10_000
const LONG_TREES = 30
const WIDE_LEVELS = 6

const long = (strategy: string, options: object) =>
  inNewEngine('reading', (engine) => solve(engine, strategy, options))
const work = {
  short: () => repeat(LONG_CALLS / SHAPES.linear.calls, () => long('bench-linear', {})),
  long: () => long('bench-linear', { calls: LONG_CALLS }),
  shortTree: () => repeat(LONG_TREES, () => long('bench-tree', {})),
  longTree: () => long('bench-forest', { trees: LONG_TREES }),
  wideTree: () => long('bench-tree', { levels: WIDE_LEVELS }),
}
await rounds(20, work)
const times = await rounds(11, work, collectGarbage)
const { short = 0, long: longLinear = 0, shortTree = 1, longTree = 0, wideTree = 0 } = times
const wide = wideTree / treeBlocks(WIDE_LEVELS) / (shortTree / LONG_TREES / treeBlocks())
const growth = { linear: longLinear / short, tree: longTree / shortTree, wideTree: wide }
process.stdout.write(
  JSON.stringify(growth, (_, value) => (typeof value === 'number' ? rounded(value) : value)),
)
