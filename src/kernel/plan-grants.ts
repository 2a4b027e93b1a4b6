/**
 * What a person has allowed for a whole plan, `always in the plan`: it holds in the block that asked, in the one that called it, and in
 * all below that. It stands in the journal as a note and is read from there, so that it holds in every process that goes on with
 * the run. Whether a call was asked about is on record with the call: what is allowed later changes nothing that has happened.
 */
import { type Event, isInside, isObject, parentPath } from '../protocol/index.ts'
import type { Call } from './approval.ts'
import type { Events } from './store.ts'
import type { ToolInfo } from './tool.ts'

export const ALLOWED_NOTE = 'tool-allowed'

export interface PlanGrant {
  /** The block that it holds in, with all below it. */
  readonly within: string
  readonly tool: string
  readonly input: unknown
}

export type ReadJournal = (run: string, from: number) => Events

/** The block whose plan the block at `path` is part of: the one that called it. */
export function planAround(path: string): string {
  return parentPath(path) ?? path
}

/** The calls that a person has allowed for the plan that a block is part of. */
export function grantedInPlan(
  { grants, tools }: { grants: PlanGrants | null; tools: ReadonlyMap<string, ToolInfo> },
  run: string,
  path: string,
): readonly Call[] {
  const inPlan = grants?.of(run, path) ?? []
  return inPlan.flatMap(({ tool: name, input }) => {
    const tool = tools.get(name)
    return tool === undefined ? [] : { tool, input }
  })
}

const MAX_RUNS = 32

/** What was read of a run's journal so far. */
interface Known {
  next: number
  readonly grants: PlanGrant[]
}

/** A journal that can be read at once is read whenever it is asked about; of another one, `learn` reads what others have allowed. */
export class PlanGrants {
  private readonly journal: ReadJournal
  /** Of the runs that were last asked about. */
  private readonly known = new Map<string, Known>()

  constructor(journal: ReadJournal) {
    this.journal = journal
  }

  /** Those that hold in a block. */
  of(run: string, path: string): readonly PlanGrant[] {
    const known = this.knownOf(run)
    const events = this.journal(run, known.next)
    if (Symbol.iterator in events) for (const event of events) follow(known, event)
    return known.grants.filter(({ within }) => path === within || isInside(path, within))
  }

  /** Reads what was allowed so far, by other processes too, where the journal can't be read at once. */
  async learn(run: string): Promise<void> {
    const known = this.knownOf(run)
    const events = this.journal(run, known.next)
    if (Symbol.asyncIterator in events) for await (const event of events) follow(known, event)
  }

  /** A person has allowed it just now; it is about to be recorded. */
  add(run: string, grant: PlanGrant): void {
    this.knownOf(run).grants.push(grant)
  }

  private knownOf(run: string): Known {
    const known = this.known.get(run) ?? { next: 1, grants: [] }
    this.known.delete(run)
    this.known.set(run, known)
    for (const oldest of this.known.keys()) if (this.known.size > MAX_RUNS) this.known.delete(oldest)
    return known
  }
}

function follow(known: Known, event: Event): void {
  if (event.seq < known.next) return
  known.next = event.seq + 1
  if (event.type === 'note' && event.name === ALLOWED_NOTE && isGrant(event.data))
    known.grants.push(event.data)
}

function isGrant(data: unknown): data is PlanGrant {
  return isObject(data) && typeof data.within === 'string' && typeof data.tool === 'string'
}
