/**
 * What a list of runs shows besides their rows: what each has spent, and what it asks. It is read from the outline, so that a long run
 * costs little, and kept until the run's journal grows: a page that asks again every second costs next to nothing.
 */
import type { Engine } from '../engine/api.ts'
import type { RunFigures, RunRow } from '../kernel/run-query.ts'
import { isObject, type Outcome, ThinkonError } from '../protocol/index.ts'

/** Null for a run that can't be read, or is gone meanwhile: the list of the others is shown all the same. */
export async function figuresOf(
  engine: Pick<Engine, 'outline'>,
  rows: readonly RunRow[],
): Promise<(RunFigures | null)[]> {
  const found = new Array<RunFigures | null>(rows.length).fill(null)
  const left = rows.entries()
  const work = async () => {
    for (const [at, row] of left) found[at] = await read(engine, row)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}

const AT_ONCE = 8
/** The pages that several people look at, of the longest kind. */
const MAX_KEPT = 5_000

interface Kept {
  readonly seq: number
  /** Another run may have got the id of one that was deleted. */
  readonly createdAt: string
  readonly figures: RunFigures
}

const keptBy = new WeakMap<object, Map<string, Kept>>()

async function read(engine: Pick<Engine, 'outline'>, row: RunRow): Promise<RunFigures | null> {
  const { id, seq, createdAt } = row
  const kept = keptBy.get(engine) ?? new Map<string, Kept>()
  keptBy.set(engine, kept)
  const known = kept.get(id)
  kept.delete(id)
  const isFresh = known?.seq === seq && known.createdAt === createdAt
  const entry = isFresh ? known : await readNow(engine, row)
  if (entry === null) return null
  kept.set(id, entry)
  // Those that were asked for longest ago stand first.
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break
    kept.delete(oldest)
  }
  return entry.figures
}

async function readNow(engine: Pick<Engine, 'outline'>, { id, createdAt }: RunRow): Promise<Kept | null> {
  try {
    const { seq, config, usage, activeMs, openQuestions, outcome } = await engine.outline(id)
    const score = scoreOf(outcome)
    const model = config.model ?? null
    return { seq, createdAt, figures: { model, usage, activeMs, openQuestions, score } }
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && UNREADABLE.has(thrown.code)) return null
    throw thrown
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['UNKNOWN_RUN', 'STORE_CORRUPT', 'TOO_LARGE'])

function scoreOf(outcome: Outcome | null): number | null {
  const value = outcome?.value
  return isObject(value) && typeof value.score === 'number' ? value.score : null
}
