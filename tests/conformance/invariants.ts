// What must hold for the journal of any run, whatever the strategy, the host, the failures and the signals. The numbers
// are those of the kernel's promises in docs/architecture.md.

import { isDeepStrictEqual } from 'node:util'
import {
  doneText,
  type Event,
  type EventOf,
  foldEvents,
  isInside,
  LIMIT_NAMES,
  type Limits,
  levelOf,
  NO_USAGE,
  parentPath,
  ROOT_PATH,
  type Usage,
} from '../../src/protocol/index.ts'

export interface Checked {
  /** The run has ended: everything that was begun has ended too. */
  ended?: boolean
  /** The strategy waits for all its children before it asks the model again: K1 can then be seen at every model call. */
  waitsForChildren?: boolean
}

/** What is wrong with the journal, one line for each; none when all is well. */
export function violations(
  events: readonly Event[],
  { ended = true, waitsForChildren = false }: Checked = {},
) {
  return [
    ...order(events, ended),
    ...pairs(events, ended),
    ...numbers(events),
    ...silenceAfterTheEnd(events),
    ...archiveFirst(events, waitsForChildren),
    ...bounded(events),
    ...usages(events),
    ...oneTruth(events),
    ...endings(events, ended),
  ]
}

function order(events: readonly Event[], ended: boolean): string[] {
  const found: string[] = []
  let last = ''
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) found.push(`seq ${event.seq} stands at place ${index + 1}`)
    if (event.ts < last) found.push(`seq ${event.seq} is earlier than the one before`)
    last = event.ts
  }
  if (events[0]?.type !== 'run-start') found.push('the journal does not begin with run-start')
  const ends = events.filter((event) => event.type === 'run-end').length
  if (ended && (ends !== 1 || events.at(-1)?.type !== 'run-end'))
    found.push('run-end is not the one last event')
  return found
}

const ENDS: Record<string, string> = {
  'model-start': 'model-end',
  'tool-start': 'tool-end',
  'signal-asked': 'signal-answered',
  'block-start': 'block-end',
}

function pairs(events: readonly Event[], ended: boolean): string[] {
  const found: string[] = []
  const open = new Map<string, number>()
  const seen = new Set<string>()
  for (const event of events) {
    const n = 'n' in event ? event.n : undefined
    const ending = ENDS[event.type]
    const key = `${event.path} ${n}`
    if (ending !== undefined) {
      if (seen.has(`${ending} ${key}`)) found.push(`seq ${event.seq}: ${event.type} ${key} comes twice`)
      seen.add(`${ending} ${key}`)
      open.set(`${ending} ${key}`, event.seq)
    } else if (Object.values(ENDS).includes(event.type) && !open.delete(`${event.type} ${key}`)) {
      found.push(`seq ${event.seq}: ${event.type} ${key} ends what is not open`)
    }
  }
  if (ended) for (const [what, seq] of open) found.push(`seq ${seq} has no end: ${what}`)
  return found
}

/** Operations of a block are numbered from 1 in the order they were made; only a `first` that was never answered has none. */
function numbers(events: readonly Event[]): string[] {
  const found: string[] = []
  const made = new Map<string, number[]>()
  const outside = new Set<string>()
  for (const event of events) {
    if (event.type === 'block-end' && event.outside) outside.add(event.path)
    const at = event.type === 'block-start' ? parentPath(event.path) : event.path
    const ends = Object.values(ENDS).includes(event.type) || event.type.startsWith('part-')
    if (at === null || ends || !('n' in event) || event.n === undefined) continue
    const list = made.get(at) ?? []
    list.push(event.n)
    made.set(at, list)
  }
  const endedByItself = (path: string) =>
    events.some((event) => event.type === 'block-end' && event.path === path) && !outside.has(path)
  for (const [path, list] of made) {
    const sorted = [...new Set(list)].sort((a, b) => a - b)
    if (sorted.length !== list.length) found.push(`${path}: an operation's number is used twice: ${list}`)
    if (endedByItself(path) && sorted.at(-1) !== sorted.length)
      found.push(`${path}: numbers have gaps: ${sorted}`)
  }
  return found
}

function silenceAfterTheEnd(events: readonly Event[]): string[] {
  const found: string[] = []
  const ended: string[] = []
  for (const event of events) {
    if (event.type.startsWith('run-')) continue
    const over = ended.find((path) => isInside(event.path, path))
    if (over !== undefined)
      found.push(`seq ${event.seq}: ${event.type} at ${event.path} after ${over} had ended`)
    if (event.type === 'block-end') ended.push(event.path)
  }
  return found
}

/** K1. Every ended child is in its parent's `done` once, before the parent ends; with `strict`, before it asks again. */
function archiveFirst(events: readonly Event[], strict: boolean): string[] {
  const found: string[] = []
  const missing = new Map<string, Set<string>>()
  const archived = new Set<string>()
  const of = (path: string) => missing.get(path) ?? missing.set(path, new Set()).get(path)!
  for (const event of events) {
    const parent = parentPath(event.path)
    const from = archivedBy(event)
    if (from.length > 0) {
      for (const child of from) {
        if (archived.has(child)) found.push(`K1: seq ${event.seq} archives ${child} again`)
        if (!of(event.path).delete(child))
          found.push(`K1: seq ${event.seq} archives ${child}, which has not ended`)
        archived.add(child)
      }
    }
    const decides = event.type === 'block-end' || (strict && event.type === 'model-start')
    if (decides && of(event.path).size > 0) {
      found.push(
        `K1: seq ${event.seq}: ${event.type} at ${event.path} before ${[...of(event.path)]} was archived`,
      )
    }
    if (event.type === 'block-end' && parent !== null) of(parent).add(event.path)
  }
  const state = foldEvents(events)
  const told = new Map<string, string[]>()
  for (const event of events) {
    const from = archivedBy(event)
    if (from.length === 0) continue
    const texts = from.map((child) => doneText(state.blocks.get(child)!.outcome!))
    told.set(event.path, [...(told.get(event.path) ?? []), ...texts])
  }
  for (const [path, { done }] of state.blocks) {
    if (!isDeepStrictEqual(done, told.get(path) ?? []))
      found.push(`K1: ${path}: done is not what was archived`)
  }
  return found
}

function archivedBy(event: Event): readonly string[] {
  if (event.type === 'block-end') return event.archived ?? []
  return event.type === 'done-add' ? event.from : []
}

/** K3. At no event is more spent and held than a limit allows, for the run and for each block with limits of its own. */
function bounded(events: readonly Event[]): string[] {
  const found: string[] = []
  const ledgers: { path: string; limits: Partial<Limits>; calls: number; tokens: number; costUsd: number }[] =
    []
  const held = new Map<string, { calls: number; tokens: number; costUsd: number }>()
  const worked = new Set(events.filter((event) => event.type === 'model-start').map((event) => event.path))
  const change = (path: string, seq: number, calls: number, tokens: number, costUsd: number) => {
    for (const ledger of ledgers) {
      if (!isInside(path, ledger.path)) continue
      ledger.calls += calls
      ledger.tokens += tokens
      ledger.costUsd += costUsd
      for (const name of ['calls', 'tokens', 'costUsd'] as const) {
        const limit = ledger.limits[name] ?? Number.POSITIVE_INFINITY
        if (ledger[name] > limit + 1e-9) {
          found.push(
            `K3: seq ${seq}: ${ledger[name]} ${name} spent and held at ${ledger.path}, allowed are ${limit}`,
          )
        }
      }
    }
  }
  for (const event of events) {
    const { path, seq } = event
    if (event.type === 'run-start') ledgers.push({ path: ROOT_PATH, limits: event.limits, ...NOTHING })
    if (event.type === 'block-start' && event.limits) ledgers.push({ path, limits: event.limits, ...NOTHING })
    if (event.type === 'block-start') {
      for (const ledger of ledgers) {
        if (!isInside(path, ledger.path)) continue
        const deepest = levelOf(ledger.path) + (ledger.limits.depth ?? Number.POSITIVE_INFINITY)
        if (levelOf(path) > deepest && worked.has(path))
          found.push(`K3: ${path} is deeper than level ${deepest}`)
      }
    }
    if (event.type === 'model-start' || event.type === 'tool-start') {
      const { calls, tokens, costUsd } = event.reserve
      held.set(`${path} ${event.n}`, event.reserve)
      change(path, seq, calls, tokens, costUsd)
    }
    // What was under way in a kill is spent instead of held. That it is held once more, if it is, is a part's start.
    if (event.type === 'run-resume') {
      if (event.limits !== undefined && ledgers[0] !== undefined) ledgers[0].limits = event.limits
      for (const { path: at, n, usage } of event.lost ?? []) {
        const was = held.get(`${at} ${n}`) ?? NOTHING
        const { calls, inputTokens, outputTokens, costUsd = 0 } = usage
        change(at, seq, calls - was.calls, inputTokens + outputTokens - was.tokens, costUsd - was.costUsd)
        held.set(`${at} ${n}`, NOTHING)
      }
    }
    if (event.type === 'part-start') {
      const was = held.get(`${path} ${event.n}`) ?? NOTHING
      const { calls, tokens, costUsd } = event.reserve
      held.set(`${path} ${event.n}`, event.reserve)
      change(path, seq, calls - was.calls, tokens - was.tokens, costUsd - was.costUsd)
    }
    if (event.type === 'model-end' || event.type === 'tool-end' || event.type === 'part-end') {
      const was = held.get(`${path} ${event.n}`) ?? NOTHING
      held.set(`${path} ${event.n}`, NOTHING)
      const { calls, inputTokens, outputTokens, costUsd = 0 } = event.usage
      change(path, seq, calls - was.calls, inputTokens + outputTokens - was.tokens, costUsd - was.costUsd)
    }
  }
  return found
}

const NOTHING = { calls: 0, tokens: 0, costUsd: 0 }

/** What a block says it spent is what its steps and those below it spent. */
function usages(events: readonly Event[]): string[] {
  const spent = new Map<string, Usage>()
  const found: string[] = []
  for (const event of events) {
    for (const { path: at, usage } of spendings(event)) {
      for (let path: string | null = at; path !== null; path = parentPath(path)) {
        spent.set(path, sum(spent.get(path) ?? NO_USAGE, usage))
      }
    }
    if (event.type !== 'block-end') continue
    const counted = spent.get(event.path) ?? NO_USAGE
    const { calls, inputTokens, outputTokens, costUsd = 0 } = event.outcome.usage
    const same =
      calls === counted.calls &&
      inputTokens === counted.inputTokens &&
      outputTokens === counted.outputTokens &&
      Math.abs(costUsd - (counted.costUsd ?? 0)) < 1e-9
    if (!same) {
      found.push(
        `K3: ${event.path} says it spent ${JSON.stringify(event.outcome.usage)}, its steps say ${JSON.stringify(counted)}`,
      )
    }
  }
  return found
}

function spendings(event: Event): readonly { path: string; usage: Usage }[] {
  if (event.type === 'run-resume') return event.lost ?? []
  return 'usage' in event ? [event] : []
}

/** K6. */
function oneTruth(events: readonly Event[]): string[] {
  return isDeepStrictEqual(foldEvents(events), foldEvents(structuredClone(events)))
    ? []
    : ['K6: two folds of the journal differ']
}

/** K8. */
function endings(events: readonly Event[], ended: boolean): string[] {
  const found: string[] = []
  const skipped = new Set<string>()
  const forked = events.some((event) => event.type === 'run-fork')
  let root: EventOf<'block-end'> | undefined
  for (const event of events) {
    if (event.type === 'signal-taken' && event.name === 'skip') skipped.add(event.to)
    if (event.type !== 'block-end') continue
    const { status, code, limit, reason } = event.outcome
    const wrong = (what: string) => found.push(`K8: seq ${event.seq}: ${event.path} is ${status}, ${what}`)
    if (event.path === ROOT_PATH) root = event
    if (!STATUSES.includes(status)) wrong('which is no status')
    if (status === 'completed' && (code !== undefined || limit !== undefined)) wrong(`with the code ${code}`)
    if (code === 'LIMIT' && status !== 'partial') wrong('though a limit was reached')
    if (code === 'LIMIT' && !(LIMIT_NAMES as readonly unknown[]).includes(limit)) wrong('and names no limit')
    // A fork can cut between the taking of a skip and its effect.
    if (
      forked
        ? status === 'skipped' && !skipped.has(event.path)
        : (status === 'skipped') !== skipped.has(event.path)
    )
      wrong('but who skipped it?')
    if (status === 'cancelled' && event.outside !== true) wrong('but ended by itself')
    if (event.outside && status !== 'cancelled' && status !== 'skipped') wrong('but was ended from outside')
    if (event.outside && !reason) wrong('without a reason')
  }
  const last = events.at(-1)
  if (ended && last?.type === 'run-end' && last.status !== root?.outcome.status) {
    found.push(`K8: the run ended ${last.status}, its root ${root?.outcome.status}`)
  }
  return found
}

const STATUSES = ['completed', 'partial', 'failed', 'skipped', 'cancelled']

function sum(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0),
  }
}
