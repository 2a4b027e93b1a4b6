/**
 * The runs that a process owns, and what it writes to them.
 *
 * 1. An append is one statement, which checks the epoch and that the run's last event is the one that this process wrote last.
 * 2. Appends to a run are made one after the other, whoever calls.
 * 3. If the connection breaks during an append, the run's last event shows whether it was committed: the caller learns its seq or that
 *    nothing was written, and never has it written twice.
 */
import {
  type Draft,
  type NewRun,
  ownershipLost,
  runExists,
  runLocked,
  statusAfter,
  unknownRun,
} from '../../kernel/store.ts'
import type { Signer } from '../signatures.ts'
import { type Database, repeated } from './connect.ts'
import { EventEncoder, signed } from './encode.ts'
import { asBusy, isBroken } from './errors.ts'
import { needsOf } from './needs.ts'
import { ownerIsDead, untilCertain } from './owners.ts'
import type { Ownership } from './ownership.ts'
import { searchText } from './runs.ts'
import { APPEND, APPEND_SOON, CREATE, type Written, written } from './statements.ts'

interface OwnedRun {
  readonly no: number
  readonly epoch: number
  readonly encoder: EventEncoder
  seq: number
  /** Of the last row. */
  signature: string | null
  /** May have been committed, or not. */
  unsure: readonly Draft[] | null
  /** The last append, whether it succeeds or not. */
  last: Promise<unknown>
  /** See needs.ts. */
  needs: ReadonlySet<string>
  /** How many signals had been sent when `pending` was called last. */
  signals: number | null
}

export type OwnedRuns = Pick<ReturnType<typeof ownedRuns>, 'forget' | 'signalsSeen'>

/** `create`, `acquire`, `release` and `append` of the store. `full`: replies are on disk before anyone sees them. */
export function ownedRuns(database: Database, owner: Ownership, full: boolean, signer: Signer | null) {
  const runs = new Map<string, OwnedRun>()

  function own(id: string, state: Owned): OwnedRun {
    const { no, epoch, seq, signature, needs } = state
    const made: OwnedRun = {
      no,
      epoch,
      seq,
      signature,
      encoder: new EventEncoder(),
      unsure: null,
      last: Promise.resolve(),
      needs: new Set(needs),
      signals: null,
    }
    runs.set(id, made)
    owner.epochs.set(id, epoch)
    return made
  }

  async function create({ id, goal, strategy }: NewRun, first: Draft): Promise<number> {
    await owner.hold()
    const root = signer?.root(id) ?? null
    const { rows, last } = signed(new EventEncoder().encode(1, [first]), signer, root)
    const made = [id, first.atMs, 1, owner.key, owner.name]
    const texts = [JSON.stringify(goal), strategy, searchText({ id, goal })]
    const values = [...made, ...texts, ...written(rows, [first], 1)]
    const insert = async () => {
      const [answer] = await database.query<Written>(CREATE, values, 'create run')
      const { no } = answer as Written
      if (no !== null) own(id, { no, epoch: 1, seq: 1, signature: last, needs: [] })
      else if (!(await isMine(id))) throw runExists(id)
    }
    await repeated(insert)
    return 1
  }

  /** Whether this process has created the run just now, and the answer was lost. */
  async function isMine(id: string): Promise<boolean> {
    const state = await stateOf(id)
    // Another caller of this process may have created it, and has heard of it by now.
    if (state === null || state.owner !== owner.key || runs.has(id)) return false
    own(id, state)
    return true
  }

  async function acquire(id: string): Promise<number> {
    await owner.hold()
    let state: State | null = null
    const taken = await untilCertain(database.query, takeOver, async () => {
      state = await stateOf(id)
      return state?.owner ?? null
    })
    if (taken !== null) return own(id, taken).epoch
    state ??= await stateOf(id)
    if (state === null) throw unknownRun(id)
    throw runLocked(id, state.owner_name ?? 'another process')

    async function takeOver(): Promise<State | null> {
      const values = [id, owner.key, owner.name, owner.version ?? null]
      const [state] = await repeated(() => database.query<State>(TAKE_OVER, values, 'take over'))
      return state ?? null
    }
  }

  async function release(id: string, epoch: number): Promise<void> {
    await runs.get(id)?.last
    const [row] = await repeated(() => database.query(RELEASE, [id, epoch]))
    if (runs.get(id)?.epoch === epoch) forget(id)
    if (row === undefined) throw unknownRun(id)
  }

  /** This process no longer owns it. */
  function forget(id: string): void {
    runs.delete(id)
    owner.epochs.delete(id)
  }

  async function append(
    id: string,
    epoch: number,
    drafts: readonly Draft[],
    flush: boolean,
  ): Promise<number> {
    const run = runs.get(id) ?? own(id, (await stateOf(id)) ?? unknown(id))
    const appended = run.last.then(() => appendTo(id, run, epoch, drafts, full && flush))
    run.last = appended.catch(() => {})
    return appended
  }

  async function appendTo(
    id: string,
    run: OwnedRun,
    epoch: number,
    drafts: readonly Draft[],
    flush: boolean,
  ): Promise<number> {
    if (run.epoch !== epoch) throw ownershipLost(id)
    await owner.hold()
    for (let tries = 1; ; tries++) {
      const first = run.seq + 1
      const written = await write(run, drafts, flush, tries)
      if (!written) run.encoder.forget()
      if (written || (await wasCommitted(id, run, drafts))) return first
    }
  }

  /** False if nothing was written, or if that is not known. */
  async function write(
    run: OwnedRun,
    drafts: readonly Draft[],
    flush: boolean,
    tries: number,
  ): Promise<boolean> {
    const { rows, last } = signed(run.encoder.encode(run.seq + 1, drafts), signer, run.signature)
    const expected = [run.no, run.epoch, run.seq]
    const needs = newNeeds(run, drafts)
    const changes = [drafts.length, (drafts.at(-1) as Draft).atMs, statusOf(drafts), needs]
    const values = [...expected, ...changes, ...written(rows, drafts, run.seq + 1)]
    const [text, name] = flush ? [APPEND, 'append'] : [APPEND_SOON, 'append soon']
    try {
      const [answer] = await database.query<Written>(text, values, name)
      if ((answer as Written).no === null) return false
    } catch (thrown) {
      run.encoder.forget()
      if (!isBroken(thrown)) throw thrown
      run.unsure = drafts
      if (tries >= MAX_TRIES) throw asBusy(thrown)
      return false
    }
    run.seq += drafts.length
    if (needs !== null) run.needs = new Set(needs)
    run.signature = last
    run.unsure = null
    return true
  }

  /** After an append that wrote nothing: true if it had been committed before, false if it is to be made again. */
  async function wasCommitted(id: string, run: OwnedRun, drafts: readonly Draft[]): Promise<boolean> {
    const state = (await stateOf(id)) ?? unknown(id)
    if (state.epoch !== run.epoch || state.no !== run.no) throw ownershipLost(id)
    if (state.seq === run.seq) return false
    const { unsure } = run
    if (unsure === null || state.seq !== run.seq + unsure.length) throw ownershipLost(id)
    run.seq = state.seq
    run.signature = state.signature
    run.unsure = null
    return unsure === drafts
  }

  async function stateOf(id: string): Promise<State | null> {
    const [state] = await database.read<State>(STATE, [id])
    return state ?? null
  }

  return {
    ...{ create, acquire, release, append, forget },
    /** This process knows all `count` signals that were sent to the run. */
    noteSignals(id: string, count: number): void {
      const run = runs.get(id)
      if (run !== undefined) run.signals = count
    },
    signalsSeen: (id: string): number | null => runs.get(id)?.signals ?? null,
  }
}

/** The run's needs, if these events add to them. */
function newNeeds(run: OwnedRun, drafts: readonly Draft[]): string[] | null {
  const added = needsOf(drafts).filter((need) => !run.needs.has(need))
  return added.length === 0 ? null : [...run.needs, ...added]
}

/** Of an append whose connection breaks. */
const MAX_TRIES = 3

interface Owned extends Pick<OwnedRun, 'no' | 'epoch' | 'seq' | 'signature'> {
  readonly needs: readonly string[]
}

interface State extends Owned {
  readonly owner: number | null
  readonly owner_name: string | null
}

const STATE_COLUMNS = `no, epoch, seq, owner, owner_name, needs, (
  SELECT signature FROM thinkon.events WHERE run = no ORDER BY events.seq DESC LIMIT 1
) AS signature`
const STATE = `SELECT ${STATE_COLUMNS} FROM thinkon.runs WHERE id = $1`

/** Two that find a dead owner at once: the second waits for the first, and then finds one that lives. */
const TAKE_OVER = `
UPDATE thinkon.runs SET owner = $2, owner_name = $3, epoch = epoch + 1, version = version + 1, wake = NULL, told = NULL,
  needs = CASE WHEN host = 'local' OR $4::text IS NULL OR $4 = ANY (needs) THEN needs ELSE needs || $4 END
WHERE id = $1 AND (owner IS NULL OR owner = $2 OR ${ownerIsDead('owner')})
RETURNING ${STATE_COLUMNS}`

/** A run of workers that has not ended is due at once, whatever its owner failed with. */
const RELEASE = `
WITH released AS (
  UPDATE thinkon.runs SET owner = NULL, owner_name = NULL, version = version + 1, told = NULL,
    wake = CASE WHEN host = 'cluster' AND status = 'running' THEN 0 END
  WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL
)
SELECT no FROM thinkon.runs WHERE id = $1`

function statusOf(drafts: readonly Draft[]): string | null {
  return drafts.reduce<string | null>((status, draft) => statusAfter(draft) ?? status, null)
}

function unknown(id: string): never {
  throw unknownRun(id)
}
