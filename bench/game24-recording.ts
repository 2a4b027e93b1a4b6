/** Agents that answer from GPT-4's recorded proposals and values, and the searches that use them. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createEngine, type Engine } from '../src/index.ts'
import type { Event, EventOf } from '../src/protocol/index.ts'
import type { StrategyModule } from '../src/strategies/index.ts'
import { agreement } from '../src/strategies/tree-of-thoughts/agents/tally.ts'
import { treeOfThoughts } from '../src/strategies/tree-of-thoughts/index.ts'
import type { ThoughtNode } from '../src/strategies/tree-of-thoughts/protocol.ts'
import { UNLIMITED } from './overhead-work.ts'

export interface RecordedPuzzle {
  readonly idx: number
  /** By the lines so far, each with its line break: the proposed next lines and the value of each. */
  readonly states: Readonly<Record<string, { readonly p: readonly string[]; readonly v: readonly Value[] }>>
  /** The final candidates of the recorded search, and whether each is right. */
  readonly final: readonly string[]
  readonly r: readonly number[]
}

/** The sum of three ratings; null is a recorded 0. */
type Value = number | null

/** By the four numbers, separated by spaces. */
export type Recording = Readonly<Record<string, RecordedPuzzle>>

const FILE = 'game24-gpt4.json'

export function recordingPath(): string {
  const folder = process.env.THINKON_FIXTURES ?? join(import.meta.dirname, '../../shared/fixtures')
  return join(resolve(folder), FILE)
}

/** Null if the file does not exist. */
export function loadRecording(path = recordingPath()): Recording | null {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).puzzles : null
}

/** As published: three operations and a line with the answer; nothing is merged, cached, computed or checked on the way. */
export function paperSearch(beam: number): SearchOptions {
  return {
    ...FROM_RECORDING,
    beam,
    depth: 4,
    merge: false,
    remember: false,
    recompute: false,
    verify: 'survivors',
  }
}

/** Thinkon's own search: one parent after the other, or all of a layer at once. */
export function ownSearch(beam: number, how: 'sequential' | 'concurrent'): SearchOptions {
  return { ...FROM_RECORDING, beam, ...(how === 'sequential' ? { concurrency: 1 } : {}) }
}

/** A layer at once, in which fewer survive where the recorded verdicts agree, and more where they don't. */
export function adaptiveSearch(beam: number): SearchOptions {
  return { ...ownSearch(beam, 'concurrent'), adaptive: true }
}

/** Three trees, one after the other until an answer is verified. */
export function threeTrees(beam: number): SearchOptions {
  return { ...ownSearch(beam, 'sequential'), trees: 3 }
}

export type SearchOptions = Readonly<Record<string, unknown>>

/** No threshold prunes values, and the recording has nothing for a second, wider search. */
const FROM_RECORDING: SearchOptions = { search: 'BFS', threshold: 0, widen: false }

export interface Requests {
  proposals: number
  values: number
  /** Proposals requested for states that the recording never expanded, so there are none. */
  unrecorded: number
}

export interface Searched extends Requests {
  solved: boolean
  /** The survivors of the last layer, as lines. */
  final: string[]
}

export async function searchRecorded(
  numbers: string,
  recorded: RecordedPuzzle,
  options: SearchOptions,
): Promise<Searched> {
  const requests: Requests = { proposals: 0, values: 0, unrecorded: 0 }
  const strategy = recordedStrategy(recorded, requests)
  const engine = createEngine({ strategies: [strategy] })
  try {
    const start = { strategy: strategy.name, options, budget: UNLIMITED, seed: numbers }
    const run = await engine.start(`Make 24 from ${numbers}`, start)
    const { status } = await run.outcome
    return { solved: status === 'completed', final: await lastSurvivors(engine, run.id), ...requests }
  } finally {
    await engine.close()
  }
}

export interface Tally extends Requests {
  solved: number
  /** Puzzles whose last candidates, and whether one of them is right, are as recorded. */
  asRecorded: number
}

export async function searchAll(recording: Recording, options: SearchOptions): Promise<Tally> {
  const tally: Tally = { solved: 0, proposals: 0, values: 0, unrecorded: 0, asRecorded: 0 }
  for (const [numbers, recorded] of Object.entries(recording)) {
    const found = await searchRecorded(numbers, recorded, options)
    if (found.solved) tally.solved++
    if (isAsRecorded(found, recorded)) tally.asRecorded++
    tally.proposals += found.proposals
    tally.values += found.values
    tally.unrecorded += found.unrecorded
  }
  return tally
}

function isAsRecorded({ solved, final }: Searched, recorded: RecordedPuzzle): boolean {
  return final.join('\0') === recorded.final.join('\0') && solved === recorded.r.includes(1)
}

function recordedStrategy({ states }: RecordedPuzzle, requests: Requests): StrategyModule {
  return treeOfThoughts({
    name: 'game24-recorded',
    agents: {
      generator({ payload }) {
        requests.proposals++
        const state = stateAt(states, linesTo(payload.parent_node))
        if (state === undefined) requests.unrecorded++
        const lines = state?.p ?? []
        return {
          candidates: lines.map((content, i) => ({
            temp_id: `line_${i + 1}`,
            content,
            action_type: 'equation',
          })),
        }
      },
      /** As in the recording, a repeated candidate in a layer has no value and is not requested. */
      evaluator({ payload }) {
        const seen = new Set<string>()
        const evaluations = payload.candidates.map((node) => {
          const lines = linesTo(node)
          const isFirst = !seen.has(lines)
          seen.add(lines)
          if (isFirst) requests.values++
          const verdicts = isFirst ? verdictsOf(recordedValue(states, node)) : []
          return { node_id: node.id, ...scoreOf(verdicts), reasoning: 'recorded' }
        })
        return { evaluations, ranking: [], pruning_suggestions: [] }
      },
    },
  })
}

function recordedValue(states: States, node: ThoughtNode): Value {
  const { p = [], v = [] } = stateAt(states, asLines(linesBefore(node))) ?? {}
  const at = p.indexOf(node.content)
  return v[at >= 0 ? at : p.findIndex((line) => operationsOf(line) === operationsOf(node.content))] ?? null
}

/** A line whose "left" was wrong is shown corrected: it is then known by its operation. */
function stateAt(states: States, lines: string): States[string] | undefined {
  if (states[lines] !== undefined) return states[lines]
  const operations = operationsOf(lines)
  return Object.entries(states).find(([recorded]) => operationsOf(recorded) === operations)?.[1]
}

function operationsOf(lines: string): string {
  return lines.replace(/\(left:[^)\n]*\)/g, '')
}

type States = RecordedPuzzle['states']

/** The scores of the verdicts that a value is the sum of: 20 for "sure", 1 for "likely", 0.001 for "impossible". */
function verdictsOf(value: Value): number[] {
  const left = value ?? 0
  const sure = Math.floor(left / 20)
  const likely = Math.floor(left - 20 * sure + 1e-9)
  const impossible = Math.round((left - 20 * sure - likely) * 1_000)
  return [...Array(sure).fill(20), ...Array(likely).fill(1), ...Array(impossible).fill(0.001)].map(
    (verdict) => verdict / 2,
  )
}

/** Three times "sure" is the protocol's best score; the less the verdicts agree, the less sure it is. */
function scoreOf(verdicts: readonly number[]): { score: number; confidence: number } {
  if (verdicts.length === 0) return { score: 0, confidence: 1 }
  const sum = verdicts.reduce((total, verdict) => total + verdict, 0)
  return { score: Math.min(10, sum / 3), confidence: agreement(verdicts) }
}

function linesTo(node: ThoughtNode): string {
  return node.depth === 0 ? '' : asLines([...linesBefore(node), node.content])
}

function linesBefore({ metadata }: ThoughtNode): readonly string[] {
  return (metadata?.path ?? []) as readonly string[]
}

function asLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

async function lastSurvivors(engine: Engine, run: string): Promise<string[]> {
  const nodes = new Map<string, ThoughtNode>()
  let kept: readonly string[] = []
  for (const event of await engine.events(run)) {
    if (!isNote(event)) continue
    const data = event.data as { nodes: ThoughtNode[]; kept: string[] }
    if (event.name === 'tot/nodes-added') for (const node of data.nodes) nodes.set(node.id, node)
    if (event.name === 'tot/layer-selected') kept = data.kept
  }
  return kept.map((id) => linesTo(nodes.get(id) as ThoughtNode))
}

function isNote(event: Event): event is EventOf<'note'> {
  return event.type === 'note'
}
