/** What the requests of each strategy are made of, and what their journal takes on disk. See README.md for the definitions. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createEngine, type UserTool } from '../src/index.ts'
import { type Event, oneLine, shorten } from '../src/protocol/index.ts'
import { sqliteStore } from '../src/store/sqlite.ts'
import type { Figures } from './index.ts'
import { rounded } from './measure.ts'
import { FRACTAL } from './prompts-fractal.ts'
import { COT, DUAL, TOT } from './prompts-loops.ts'
import {
  bytesSaid,
  cutsIn,
  doubledIn,
  prefixShare,
  type Request,
  requestsOf,
  tokensOf,
} from './prompts-measure.ts'
import { PLANNER } from './prompts-planner.ts'
import { type Program, programModel, READ, REALISTIC, type Sizes } from './prompts-programs.ts'
import { Texts } from './prompts-texts.ts'

export const about = 'what requests carry (scripted runs of realistic size), and the journal on disk'

export interface Scripted {
  readonly programs: Readonly<Record<string, Program>>
  readonly options?: (sizes: Sizes) => Record<string, unknown>
  readonly hasTools: boolean
}

export const STRATEGIES: Readonly<Record<string, Scripted>> = {
  fractal: { programs: FRACTAL, hasTools: true },
  planner: { programs: PLANNER, hasTools: true },
  tot: {
    programs: TOT,
    options: ({ depth }) => ({ task_type: 'architecture_design', branching: 4, beam: 2, depth }),
    hasTools: false,
  },
  cot: { programs: COT, options: ({ thoughts }) => ({ maxThoughts: thoughts + 2 }), hasTools: false },
  dual: { programs: DUAL, hasTools: true },
}

interface Measured {
  tokens: { requests: number; mean: number; max: number }
  prefix: number
  doubled: number
  cut: number
  disk: number
  /** Which kinds of request something stands in twice or is cut, for those who mend it. */
  where: string[]
}

export async function run(sizes: Sizes = REALISTIC): Promise<Figures> {
  const measured: Record<string, Measured> = {}
  for (const name of Object.keys(STRATEGIES)) measured[name] = await measure(name, sizes)
  const by = <K extends keyof Measured>(figure: K) =>
    Object.fromEntries(Object.entries(measured).map(([name, one]) => [name, one[figure]]))
  return {
    figures: {
      prefix: by('prefix'),
      doubled: by('doubled'),
      cut: by('cut'),
      disk: by('disk'),
      tokens: by('tokens'),
    },
    lines: Object.entries(measured).flatMap(([name, one]) => [lineOf(name, one), ...one.where]),
  }
}

function lineOf(name: string, { tokens, prefix, doubled, cut, disk }: Measured): string {
  const goal = name === 'cot' || name === 'dual' ? 0.9 : 0.7
  const size = `${tokens.requests} requests of ${tokens.mean} tokens (at most ${tokens.max})`
  return `${name.padEnd(8)} ${size}; prefix ${prefix} (goal ${goal}); doubled ${doubled}, cut ${cut} (goal 0); disk ${disk} × what was said (goal 2)`
}

async function measure(strategy: string, sizes: Sizes): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-prompts-'))
  try {
    const file = join(folder, 'store.db')
    const empty = emptyBytes(file)
    const texts = new Texts()
    const events = await runOnce(strategy, sizes, texts, file)
    const requests = requestsOf(events)
    const found = (texts: (request: Request) => string[]) =>
      requests.flatMap((request) => texts(request).map((text) => ({ kind: request.kind, text })))
    const doubled = found(doubledIn)
    const cut = found((request) => cutsIn(request, texts.planted))
    return {
      tokens: tokensOf(requests),
      prefix: rounded(prefixShare(requests), 3),
      doubled: doubled.length,
      cut: cut.length,
      disk: rounded(bytesGrown(file, empty) / bytesSaid(events)),
      where: [...linesOf('doubled', doubled), ...linesOf('cut', cut)],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** By kind of request: how many, and one of them. */
function linesOf(what: string, found: readonly { kind: string; text: string }[]): string[] {
  return [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, list]) => {
    const example = shorten(oneLine(list[0]?.text ?? ''), 70)
    return `${' '.repeat(8)} ${what} in ${kind}: ${list.length}, such as "${example}"`
  })
}

/** Runs it, and returns its journal as it is read back from the file. */
export async function runOnce(
  strategy: string,
  sizes: Sizes,
  texts: Texts,
  store: string,
): Promise<readonly Event[]> {
  const { programs, options, hasTools } = STRATEGIES[strategy] as Scripted
  const engine = createEngine({
    model: programModel(programs, texts, sizes),
    tools: hasTools ? [readTool(texts, sizes)] : [],
    store,
    synchronous: 'normal',
  })
  try {
    const goal = texts.plant('goal', sizes.goal)
    const run = await engine.start(goal, {
      strategy,
      ...(options && { options: options(sizes) }),
      seed: 'prompts',
    })
    const { status, reason } = await run.outcome
    if (status !== 'completed') throw new Error(`${strategy} ended ${status}: ${reason}`)
    return [...(await engine.events(run.id))]
  } finally {
    await engine.close()
  }
}

/** A tool with a description and a schema as long as those of real ones are. */
export function readTool(texts: Texts, sizes: Sizes): UserTool {
  return {
    name: READ,
    description:
      'Reads one of the reports that were handed in, whole, and returns its text. Reports are named by part; a part that was not handed in is an error.',
    access: 'read',
    input: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          description: 'the path of the report, relative to the folder of all reports',
        },
        encoding: {
          type: 'string',
          description: 'the encoding of the text, utf-8 unless the report says otherwise',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    run(input) {
      const { path } = input as { path: string }
      const number = Number(/\d+/.exec(path)?.[0] ?? 0)
      return texts.plant(`report ${number}`, sizes.result * (number % 13 === 0 ? 3 : 1))
    },
  }
}

/** By how much the file has grown since it was an empty store, when nothing is left in its log. */
function bytesGrown(file: string, empty: number): number {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return statSync(file).size - empty
}

/** The size of a store without runs. */
function emptyBytes(file: string): number {
  sqliteStore(file).close()
  return statSync(file).size
}
