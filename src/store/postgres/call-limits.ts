/**
 * The limits of providers, shared by all processes that use a database. The rules and the tables are in slots-schema.ts.
 *
 * 1. A slot belongs to a session (session.ts). Of a process that is gone, others take the slots away within seconds; of one that hangs, when
 *    it has not said for 15 seconds that it lives.
 * 2. Whoever gives a slot back gives it to the next one and notifies its process. Processes that wait look all the same from time to time,
 *    the one whose turn is next more often: for the slots of those who are gone, for pauses and minutes that have passed, for a message
 *    that was lost.
 * 3. While the database does not answer, a call waits; after two minutes it is an outage, so that the step stays open and the run waits.
 *    What is given back then is given back when it answers.
 * 4. The calls of a process that lost its session go on counting when it has another.
 */
import type { CallLimiter, LimiterFor, ReleaseSlot } from '../../kernel/call-limiter.ts'
import { systemClock } from '../../kernel/clock.ts'
import { pause } from '../../kernel/pause.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { type CallLimits, ThinkonError } from '../../protocol/index.ts'
import type { Database } from './connect.ts'
import { openSession, type Session } from './session.ts'

export interface SharedLimits {
  readonly limiterFor: LimiterFor
  /** Gives everything back. */
  close(): Promise<void>
}

export interface SharedLimitsOptions {
  /** Shorter in tests. */
  readonly minuteMs?: number
  /** How often a process that waits looks, unless its turn is next: then it looks three times as often. Shorter in tests. */
  readonly looksMs?: number
}

const MINUTE_MS = 60_000
const LOOKS_MS = 3_000
/** How often a process says that it lives, while it has tickets; slots-schema.ts has the time after which it hangs. */
const BEAT_MS = 5_000
const PATIENCE_MS = 120_000
const RETRY_MS = 500

export function sharedLimits(database: Database, options: SharedLimitsOptions = {}): SharedLimits {
  const slots = new Slots(database, options)
  return {
    limiterFor: (provider, limits) => slots.limiterFor(provider, limits),
    close: () => slots.close(),
  }
}

/** What a call has asked for. */
interface Ticket {
  readonly number: number
  readonly provider: string
  readonly limits: CallLimits
  readonly tokens: number
  isGiven: boolean
  /** Settles when the last time it was asked for is over: it may be given until then. */
  asking: Promise<unknown>
  /** Called when it is given, or has to be asked for again. */
  changed: () => void
}

interface Asked extends Turn {
  readonly is_given: boolean
}

/** Of the first of those who wait for a provider. */
interface Turn {
  readonly wait_ms: number | null
  readonly is_first: boolean | null
}

class Slots {
  private readonly database: Database
  private readonly minuteMs: number
  private readonly looksMs: number
  private readonly closing = new AbortController()
  private opening: Promise<Session> | null = null
  private session: Session | null = null
  /** By number: those that are waited for or given. */
  private readonly tickets = new Map<number, Ticket>()
  private numbers = 0
  /** By provider. */
  private readonly looks = new Map<string, NodeJS.Timeout>()
  private beating: NodeJS.Timeout | undefined
  private beatMs = Number.NEGATIVE_INFINITY
  private beaten: Promise<unknown> = Promise.resolve()

  constructor(database: Database, { minuteMs = MINUTE_MS, looksMs = LOOKS_MS }: SharedLimitsOptions) {
    this.database = database
    this.minuteMs = minuteMs
    this.looksMs = looksMs
  }

  limiterFor(provider: string, limits: CallLimits): CallLimiter {
    return {
      acquire: (signal, tokens) => this.acquire(provider, limits, tokens, signal),
      pause: (ms) => void this.inTheEnd(() => this.database.query(PAUSE, [provider, Math.ceil(ms)])),
    }
  }

  async close(): Promise<void> {
    this.closing.abort(new ThinkonError('INTERRUPTED', 'the store was closed'))
    for (const timer of [this.beating, ...this.looks.values()]) clearTimeout(timer)
    const session = await this.opening?.catch(() => null)
    if (session === null || session === undefined) return
    await this.database.query('DELETE FROM thinkon.slots WHERE owner = $1', [session.key]).catch(() => {})
    await session.close().catch(() => {})
  }

  private async acquire(
    provider: string,
    limits: CallLimits,
    tokens: number,
    given: AbortSignal,
  ): Promise<ReleaseSlot> {
    const signal = AbortSignal.any([given, this.closing.signal])
    const ticket: Ticket = {
      number: ++this.numbers,
      provider,
      limits,
      tokens,
      isGiven: false,
      asking: Promise.resolve(),
      changed() {},
    }
    this.tickets.set(ticket.number, ticket)
    try {
      while (!ticket.isGiven) await this.ask(ticket, signal)
    } catch (thrown) {
      this.end(ticket)
      throw thrown
    }
    return (tokens) => this.end(ticket, tokens)
  }

  /** Returns when the ticket is given, or has to be asked for again. */
  private async ask(ticket: Ticket, signal: AbortSignal): Promise<void> {
    const { number, provider, limits, tokens } = ticket
    const changed = new Promise<void>((resolve) => {
      ticket.changed = resolve
    })
    const { maxConcurrent = null, requestsPerMinute = null, tokensPerMinute = null } = limits
    const asking = patiently(provider, signal, async () => {
      const session = await this.opened()
      await this.beat(session)
      const limits = [maxConcurrent, requestsPerMinute, tokensPerMinute, this.minuteMs]
      const values = [provider, session.key, number, tokens, ...limits]
      const [row] = await this.database.query<Asked>(ASK, values, 'ask-slot')
      // A session that was lost meanwhile has nothing.
      return session === this.session ? row : undefined
    })
    ticket.asking = asking
    const asked = await unlessAborted(asking, signal)
    if (asked === undefined) return
    if (asked.is_given) ticket.isGiven = true
    else {
      this.lookAfter(provider, asked)
      await unlessAborted(changed, signal)
    }
  }

  private end({ number, provider, asking }: Ticket, tokens?: number): void {
    if (!this.tickets.delete(number)) return
    const { opening } = this
    void this.inTheEnd(async () => {
      await asking.catch(() => {})
      const session = await opening
      // The slots of a session that is gone are taken away.
      if (session === null || session !== this.session) return
      await this.database.query(
        END,
        [provider, session.key, number, tokens ?? null, this.minuteMs],
        'end-slot',
      )
    })
  }

  // --- looking

  private lookAfter(provider: string, { wait_ms, is_first }: Turn = NOT_FIRST): void {
    clearTimeout(this.looks.get(provider))
    // Not all at the same time.
    const atMost = (is_first ? this.looksMs / 3 : this.looksMs) * (0.8 + Math.random() * 0.2)
    const ms = is_first && wait_ms !== null ? Math.min(wait_ms, atMost) : atMost
    // The session's connection keeps the process alive.
    this.looks.set(provider, setTimeout(() => void this.look(provider), ms).unref())
  }

  private async look(provider: string): Promise<void> {
    const waiting = [...this.tickets.values()].filter((one) => one.provider === provider && !one.isGiven)
    if (waiting.length === 0 || this.closing.signal.aborted) return
    const turn = await this.see(provider, waiting).catch(() => NOT_FIRST) // the next look finds out more
    if (!this.closing.signal.aborted) this.lookAfter(provider, turn)
  }

  private async see(provider: string, waiting: readonly Ticket[]): Promise<Turn | undefined> {
    const { key } = await this.opened()
    const [turn] = await this.database.query<Turn>(LOOK, [provider, key, this.minuteMs], 'look-slots')
    const numbers = waiting.map(({ number }) => number)
    const rows = await this.database.query<{ ticket: number; is_given: boolean }>(SEE, [key, numbers])
    const seen = new Map(rows.map(({ ticket, is_given }) => [ticket, is_given]))
    for (const ticket of waiting) {
      if (seen.get(ticket.number)) this.given(ticket.number)
      else if (!seen.has(ticket.number)) ticket.changed()
    }
    return turn
  }

  /** That a ticket is given; or, that one of ours is the first of those who wait for a provider. */
  private heard(message: string): void {
    const { ticket, provider } = JSON.parse(message) as { ticket?: number; provider?: string }
    if (ticket !== undefined) this.given(ticket)
    if (provider !== undefined) void this.look(provider)
  }

  private given(number: number): void {
    const ticket = this.tickets.get(number)
    if (ticket === undefined) return
    ticket.isGiven = true
    ticket.changed()
  }

  // --- the session

  private opened(): Promise<Session> {
    this.opening ??= this.open()
    return this.opening
  }

  private async open(): Promise<Session> {
    let session: Session | null = null
    try {
      session = await openSession(this.database, (message) => this.heard(message))
      this.watch(session)
      await this.holdAgain(session)
      return session
    } catch (thrown) {
      this.lost()
      await session?.close().catch(() => {})
      throw thrown
    }
  }

  private watch(session: Session): void {
    this.session = session
    this.beatMs = Number.NEGATIVE_INFINITY
    void session.ended.then(() => {
      // There may be another one by now.
      if (this.session === session) this.lost()
    })
  }

  /** At once if it has said so a moment ago; from then on by itself, as long as there are tickets. */
  private async beat({ key }: Session): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.beatMs >= BEAT_MS) {
      this.beatMs = nowMs
      this.beaten = this.database.query(BEAT, [key]).catch((thrown) => {
        this.beatMs = Number.NEGATIVE_INFINITY
        throw thrown
      })
      this.beatAgain()
    }
    await this.beaten
  }

  private beatAgain(): void {
    clearTimeout(this.beating)
    this.beating = setTimeout(() => {
      this.beatMs = Number.NEGATIVE_INFINITY
      if (this.session !== null && this.tickets.size > 0) void this.beat(this.session).catch(() => {})
    }, BEAT_MS).unref()
  }

  /** Those who wait ask again. */
  private lost(): void {
    this.opening = null
    this.session = null
    for (const { isGiven, changed } of this.tickets.values()) if (!isGiven) changed()
  }

  private async holdAgain({ key }: Session): Promise<void> {
    const held = [...this.tickets.values()].filter(({ isGiven }) => isGiven)
    if (held.length === 0) return
    const rows = held.map(({ provider, number, tokens }) => ({ provider, ticket: number, tokens }))
    await this.database.query(HOLD, [key, JSON.stringify(rows)])
  }

  /** Nobody waits for it: it is repeated until it has happened, or everything is over. */
  private async inTheEnd(request: () => Promise<unknown>): Promise<void> {
    await patiently('', this.closing.signal, request, Infinity).catch(() => {})
  }
}

/** Repeats a request while the database can't be reached. */
async function patiently<T>(
  provider: string,
  signal: AbortSignal,
  request: () => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  for (const beganMs = systemClock.activeMs(); ; ) {
    signal.throwIfAborted()
    try {
      return await request()
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown
      if (systemClock.activeMs() - beganMs > patienceMs) throw outage(provider, thrown)
    }
    await pause(RETRY_MS, signal, systemClock)
  }
}

const NOT_FIRST: Turn = { wait_ms: null, is_first: false }

const ASK = 'SELECT * FROM thinkon.ask_slot($1, $2, $3, $4, $5, $6, $7, $8)'
const END = 'SELECT thinkon.end_slot($1, $2, $3, $4, $5)'
const LOOK = 'SELECT * FROM thinkon.look_slots($1, $2, $3)'
const BEAT = `
INSERT INTO thinkon.sessions (key) VALUES ($1) ON CONFLICT (key) DO UPDATE SET beat = now()`
const SEE = `
SELECT ticket, given IS NOT NULL AS is_given FROM thinkon.slots WHERE owner = $1 AND ticket = ANY($2::bigint[])`
const HOLD = `
INSERT INTO thinkon.slots (owner, provider, ticket, tokens, given)
SELECT $1, provider, ticket, tokens, thinkon.now_ms()
FROM json_to_recordset($2) AS held (provider text, ticket bigint, tokens bigint)
ON CONFLICT DO NOTHING`
const PAUSE = `
INSERT INTO thinkon.pauses VALUES ($1, thinkon.now_ms() + $2)
ON CONFLICT (provider) DO UPDATE SET until = greatest(pauses.until, excluded.until)`

/** The database can't be reached, or has lost the connection. */
function mayPass(thrown: unknown): thrown is ThinkonError {
  return ThinkonError.isInstance(thrown) && (thrown.code === 'STORE_BUSY' || thrown.code === 'STORE_IO')
}

function outage(provider: string, { message }: ThinkonError): ThinkonError {
  return new ThinkonError(
    'MODEL_OUTAGE',
    `the limits of ${provider} are kept in a database that does not answer: ${message}`,
    { retryable: true },
  )
}
