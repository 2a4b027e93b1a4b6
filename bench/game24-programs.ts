/** Programs as agents, on every solvable puzzle: they propose every legal move and give a cheap value that is often wrong. */
import { nextSteps, type Puzzle, type Step, solvePuzzle, verifyAnswer } from '../src/arithmetic/puzzle.ts'
import { parseRational, type Rational, rational } from '../src/arithmetic/rational.ts'
import { createEngine } from '../src/index.ts'
import type { StrategyModule } from '../src/strategies/index.ts'
import { treeOfThoughts } from '../src/strategies/tree-of-thoughts/index.ts'
import type { ThoughtNode } from '../src/strategies/tree-of-thoughts/protocol.ts'
import { rounded } from './measure.ts'
import { UNLIMITED } from './overhead-work.ts'

const TARGET = rational(24)

/** Every four numbers from 1 to 13 that make 24, smallest first. */
export function solvableQuadruples(most = 13): number[][] {
  return quadruples(most).filter((numbers) => solvePuzzle(puzzleOf(numbers)) !== null)
}

export function quadruples(most: number): number[][] {
  const found: number[][] = []
  for (let a = 1; a <= most; a++)
    for (let b = a; b <= most; b++)
      for (let c = b; c <= most; c++) for (let d = c; d <= most; d++) found.push([a, b, c, d])
  return found
}

/** Nothing is pruned: if its values mislead it, a search visits every state. */
const EVERY_MOVE = { threshold: 0, branching: 1_000, max_nodes: 1e6, widen: false, concurrency: 1 }

export const PROGRAM_SEARCHES = {
  bfs: { ...EVERY_MOVE, search: 'BFS', beam: 1_000 },
  dfs: { ...EVERY_MOVE, search: 'DFS' },
} as const

/** Three moves of each state, by the cheap value: most puzzles need others. Revised, the moves that failed are not proposed again. */
const FEW_MOVES = { ...PROGRAM_SEARCHES.bfs, branching: 3, beam: 3 }

export const REVISED_SEARCHES = {
  never: FEW_MOVES,
  three: { ...FEW_MOVES, revise: 3 },
  ten: { ...FEW_MOVES, revise: 10 },
} as const

export interface Expansions {
  puzzles: number
  /** Solved, with the answer verified once more here. */
  solved: number
  /** Nodes whose moves were requested. */
  expanded: number
  expandedMean: number
  expandedMost: number
}

export async function solveByPrograms(
  puzzles: readonly (readonly number[])[],
  options: Readonly<Record<string, unknown>>,
): Promise<Expansions> {
  let expanded = 0
  let most = 0
  let solved = 0
  const strategy = programSearch(() => expanded++)
  for (const numbers of puzzles) {
    const before = expanded
    const engine = createEngine({ strategies: [strategy] })
    const goal = `Make 24 from ${numbers.join(', ')}`
    const run = await engine.start(goal, { strategy: strategy.name, options, budget: UNLIMITED })
    const { status, result } = await run.outcome
    if (status === 'completed' && verifyAnswer(result, puzzleOf(numbers)).ok) solved++
    most = Math.max(most, expanded - before)
    await engine.close()
  }
  const expandedMean = rounded(expanded / puzzles.length)
  return { puzzles: puzzles.length, solved, expanded, expandedMean, expandedMost: most }
}

function programSearch(onExpand: () => void): StrategyModule {
  return treeOfThoughts({
    name: 'game24-programs',
    agents: {
      generator({ payload }) {
        onExpand()
        const failed = new Set(payload.context.failed?.map(({ content }) => content))
        const steps = nextSteps(numbersLeft(payload.parent_node)).filter(({ text }) => !failed.has(text))
        return {
          candidates: bestSteps(steps, payload.num_candidates).map(({ text }, i) => ({
            temp_id: `move_${i + 1}`,
            content: text,
            action_type: 'equation',
          })),
        }
      },
      evaluator: ({ payload }) => ({
        evaluations: payload.candidates.map((node) => ({
          node_id: node.id,
          score: Math.max(0, 10 - nearest(numbersLeft(node).map(roughly))),
          confidence: 0.5,
          reasoning: 'how near to 24 it comes at first sight',
        })),
        ranking: [],
        pruning_suggestions: [],
      }),
    },
  })
}

/** All where as many are asked for; otherwise those that come nearest to 24 at first sight. */
function bestSteps(steps: readonly Step[], most: number): readonly Step[] {
  if (steps.length <= most) return steps
  const distance = ({ left }: Step) => nearest(left.map(roughly))
  return steps.toSorted((a, b) => distance(a) - distance(b)).slice(0, most)
}

/** The search has computed what is left after each move. */
function numbersLeft({ metadata }: ThoughtNode): Rational[] {
  const state = String(metadata?.state ?? '')
  return state.split(' ').flatMap((text) => parseRational(text) ?? [])
}

/** At first sight: from the smallest number to the largest, without dividing. Often wrong in both directions. */
function nearest([made = 0, next, ...rest]: readonly number[]): number {
  if (next === undefined) return Math.abs(24 - made)
  return Math.min(...[made + next, next - made, made * next].map((value) => nearest([value, ...rest])))
}

function roughly(value: Rational): number {
  return Number(value.n) / Number(value.d)
}

function puzzleOf(numbers: readonly number[]): Puzzle {
  return { numbers: numbers.map((value) => rational(value)), target: TARGET }
}
