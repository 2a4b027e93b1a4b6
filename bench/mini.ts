/**
 * embedded:mini on goals that nothing was trained on: what it solves at once, and by each strategy, with the same cap of calls. Shares are
 * the same each time; those of puzzles are means of five seeds.
 */
import { fileURLToPath } from 'node:url'
import { createEngine, type Engine } from '../src/engine.ts'
import { checkAnswer, type OwnChecker } from '../src/lab/check/check-answer.ts'
import { DEPTHS } from '../src/lab/tasks/expressions.ts'
import { shippedTasks } from '../src/lab/tasks/shipped-tasks.ts'
import type { Task } from '../src/lab/tasks/task.ts'
import type { Ephemeral, Event } from '../src/protocol/index.ts'
import type { Figures } from './index.ts'
import { measureMiniSpeed } from './mini-speed.ts'

export const about =
  'embedded:mini on held-out goals: directly and by each strategy; its speed. About 5 minutes'

interface Setting {
  readonly name: string
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
}

const DIRECT: Setting = { name: 'direct', strategy: 'best-of', options: { samples: 1 } }
const ON_EXPRESSIONS: readonly Setting[] = [
  DIRECT,
  { name: 'best-of', strategy: 'best-of', options: { samples: 20, temperature: 1 } },
  ...['fractal', 'planner', 'tot', 'cot', 'dual'].map((strategy) => ({ name: strategy, strategy })),
]
/** At this temperature one of many samples is right most often (training/evaluate.py): the strongest baseline. */
const BEST_OF: Setting = { name: 'best-of', strategy: 'best-of', options: { samples: 30, temperature: 1 } }
/** One tree after the other until an answer is verified: a search that has failed begins anew with what calls are left. */
const TOT: Setting = { name: 'tot', strategy: 'tot', options: { trees: 4, concurrency: 1 } }

/** Calls of a run: an expression of depth 6 has up to 26 operations, each of which takes fractal two. */
const EXPRESSION_CALLS = 80
const PUZZLE_CALLS = 30
const SEEDS = [1, 2, 3, 4, 5]
const RUNS_AT_ONCE = 12
/** Of each depth; the deepest is what the goal is about. */
const countOf = (depth: number) => (depth === 6 ? 100 : 40)

export async function run(): Promise<Figures> {
  const engine = createEngine({ model: 'embedded:mini' })
  try {
    const puzzles = await onPuzzles(engine)
    const depths = await onExpressions(engine)
    const speed = await measureMiniSpeed(
      fileURLToPath(new URL('../src/models/embedded/mini/mini.gguf', import.meta.url)),
    )
    const figures = {
      depth6: depths.fractal?.[5],
      puzzles: puzzles.tot,
      bestOf: puzzles.bestOf,
      direct: { depth6: depths.direct?.[5], puzzles: puzzles.direct },
      depths,
      puzzleCalls: puzzles.calls,
      ...speed,
    }
    return { figures, lines: linesOf(figures) }
  } finally {
    await engine.close()
  }
}

/** By setting, a share for each depth. */
async function onExpressions(engine: Engine): Promise<Record<string, number[]>> {
  const shares: Record<string, number[]> = {}
  for (const setting of ON_EXPRESSIONS) {
    shares[setting.name] = []
    for (const depth of DEPTHS) {
      const tasks = heldOut('expressions', { depth }, countOf(depth))
      const runs = await solveAll(engine, tasks, { setting, seed: 1, calls: EXPRESSION_CALLS })
      shares[setting.name]?.push(shareOf(runs.map(({ isSolved }) => isSolved)))
    }
    process.stderr.write(`  ${setting.name}: ${shares[setting.name]?.join(' ')}\n`)
  }
  return shares
}

/** All 132 that are held out of 24 from 1 to 13, and five of 36. */
async function onPuzzles(engine: Engine) {
  const tasks = [...heldOut('puzzles', { target: 24 }, 132), ...heldOut('puzzles', { target: 36 }, 5)]
  const tot: Solved[] = []
  const bestOf: Solved[] = []
  for (const seed of SEEDS) {
    tot.push(...(await solveAll(engine, tasks, { setting: TOT, seed, calls: PUZZLE_CALLS })))
    bestOf.push(...(await solveAll(engine, tasks, { setting: BEST_OF, seed, calls: PUZZLE_CALLS })))
    process.stderr.write(`  puzzles, seed ${seed}: ${shareOf(tot.map(({ isSolved }) => isSolved))}\n`)
  }
  const mean = (runs: readonly Solved[]) =>
    rounded(runs.reduce((sum, { calls }) => sum + calls, 0) / runs.length)
  return {
    tot: shareOf(tot.map(({ isSolved }) => isSolved)),
    bestOf: shareOf(bestOf.map(({ isSolved }) => isSolved)),
    direct: shareOf(bestOf.map(({ isFirstRight }) => isFirstRight)),
    calls: { most: PUZZLE_CALLS, tot: mean(tot), bestOf: mean(bestOf) },
  }
}

function heldOut(set: string, options: Record<string, unknown>, count: number): Task[] {
  return shippedTasks({ set, options, count, seed: 'bench', split: 'held-out' })
}

interface Solved {
  readonly isSolved: boolean
  /** One sampled chain is what best-of begins with. */
  readonly isFirstRight: boolean
  readonly calls: number
}

interface Trials {
  readonly setting: Setting
  readonly seed: number
  readonly calls: number
}

async function solveAll(engine: Engine, tasks: readonly Task[], trials: Trials): Promise<Solved[]> {
  const solved: Solved[] = []
  const open = tasks.entries()
  const work = async () => {
    for (const [i, task] of open) solved[i] = await solve(engine, task, trials)
  }
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, work))
  return solved
}

async function solve(engine: Engine, task: Task, { setting, seed, calls }: Trials): Promise<Solved> {
  let isFirstRight = false
  const run = await engine.start(task.goal, {
    strategy: setting.strategy,
    options: setting.options ?? {},
    seed: `${seed}/${task.goal}`,
    budget: { calls },
    onEvent: (event) => {
      isFirstRight ||= isRightFirstSample(event)
    },
  })
  const { result, usage } = await run.outcome
  await engine.delete(run.id)
  return { isSolved: checkAnswer(result, task.check as OwnChecker).solved, isFirstRight, calls: usage.calls }
}

function isRightFirstSample(event: Event | Ephemeral): boolean {
  if (event.type !== 'note' || event.name !== 'best-of/sampled') return false
  const { sample, verdict } = event.data as { sample: number; verdict: string }
  return sample === 1 && verdict === 'verified'
}

function shareOf(all: readonly boolean[]): number {
  return rounded(all.filter(Boolean).length / all.length)
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

interface Shown {
  readonly depths: Readonly<Record<string, readonly number[]>>
  readonly puzzles: number
  readonly bestOf: number
  readonly direct: { readonly puzzles: number }
  readonly puzzleCalls: { readonly most: number; readonly tot: number; readonly bestOf: number }
  readonly tokensPerSecond: number
  readonly rssMb: number
  readonly loadMs: number
  readonly bytes: number
}

function linesOf({ depths, puzzles, bestOf, direct, puzzleCalls, ...speed }: Shown): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`.padStart(7)
  const { tokensPerSecond, rssMb, loadMs, bytes } = speed
  return [
    `${'solved by depth'.padEnd(16)}${DEPTHS.map((depth) => String(depth).padStart(7)).join('')}`,
    ...Object.entries(depths).map(([name, shares]) => `${name.padEnd(16)}${shares.map(percent).join('')}`),
    `puzzles, at most ${puzzleCalls.most} calls:${percent(direct.puzzles)} one sampled chain,${percent(bestOf)} best-of (${puzzleCalls.bestOf} calls),${percent(puzzles)} tot (${puzzleCalls.tot} calls)`,
    `${tokensPerSecond} tokens a second, ${rssMb} MB, loaded in ${loadMs} ms, ${bytes} bytes`,
  ]
}
