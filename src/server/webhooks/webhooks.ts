/**
 * Tells the operator's receivers of runs that have ended or wait, by webhooks.
 *
 * 1. What is to be told follows from the journals. It is recorded before the first attempt, and told at least once, also if the process is
 *    killed at any moment; the same event has the same `webhook-id`, so that a receiver can drop a repeat.
 * 2. Any number of processes may work with the same record: one of them makes each attempt.
 * 3. A run never waits for it, and nothing that goes wrong here reaches a run.
 * 4. Addresses are the operator's; no request can name one.
 */
import { createHash } from 'node:crypto'
import { type WebhookConfig, type WebhookSettings, webhookSettings } from '../../config/index.ts'
import type { Engine } from '../../engine/api.ts'
import type { Listener } from '../../kernel/durable.ts'
import { errorText, type RunConfig, type RunState } from '../../protocol/index.ts'
import { originOf } from '../post-once.ts'
import { type Delivering, deliverTo } from './deliver.ts'
import {
  type DeliveryRecord,
  openDeliveryRecord,
  type RecordQuery,
  type WebhookDelivery,
} from './delivery-record.ts'
import { toldOf } from './payload.ts'
import { IN_MEMORY, recordFile } from './record-file.ts'
import { type RunWatch, watchRuns } from './watch-runs.ts'

export interface WebhooksOptions {
  /** As `webhooks` of the configuration. */
  receivers: readonly WebhookConfig[]
  /**
   * Where deliveries are recorded: a file (of SQLite) of its own, or what executes statements on the PostgreSQL of a cluster, with parameters
   * `$1`, `$2` …, in whose schema `thinkon` its tables are made. Without it nothing outlives the process.
   */
  record?: string | RecordQuery
  /** Before the second attempt, the third …; each a little more or less. By default 8 pauses, a day in all. */
  pausesMs?: readonly number[]
  /** Of an attempt. Default: 15 seconds. */
  timeoutMs?: number
  /** Attempts at once, for each receiver. Default: 4. */
  concurrency?: number
  /** How often the store is looked at for what other processes have left. Default: 10 seconds. */
  lookMs?: number
  /** Told of what goes wrong. A warning of the process, unless given. */
  onProblem?(message: string): void
}

/** For `webhooks` of `createService`, which opens and closes it. */
export interface Webhooks {
  /** Tells of the runs of this engine from now on, and what is left to tell of them. `isOwn`: by how a run was started. */
  open(engine: Engine, isOwn: (config: RunConfig) => boolean): void
  readonly onEvent: Listener
  /** The newest first; 100, unless given. */
  deliveries(limit?: number): Promise<WebhookDelivery[]>
  /** Before the engine is closed. What is not delivered yet stays recorded. */
  close(): Promise<void>
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const PAUSES_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 4 * HOUR, 7 * HOUR, 10 * HOUR]
const TIMEOUT_MS = 15 * SECOND
const CONCURRENCY = 4
const LOOK_MS = 10 * SECOND
const GRACE_MS = 2 * SECOND
const KEEP_MS = 7 * 24 * HOUR
const LISTED = 100

/** Throws BAD_INPUT if a receiver has no address or secret that can be used. */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const receivers = webhookSettings({ webhooks: options.receivers })
  const {
    pausesMs = PAUSES_MS,
    timeoutMs = TIMEOUT_MS,
    concurrency = CONCURRENCY,
    lookMs = LOOK_MS,
  } = options
  const onProblem = options.onProblem ?? ((message) => process.emitWarning(message, 'ThinkonWarning'))
  let opened: Promise<Opened> | null = null
  let watch: RunWatch | null = null
  const early: Parameters<Listener>[0][] = []

  async function openRecord(engine: Engine, isOwn: (config: RunConfig) => boolean): Promise<Opened> {
    const record = await openDeliveryRecord(placeOf(options.record))
    await record.forget(Date.now() - KEEP_MS)
    const told = receivers.map((receiver) => {
      const key = createHash('sha256').update(receiver.url).digest('base64url')
      const settings = { key, receiver, record, pausesMs, timeoutMs, concurrency, onProblem }
      return { key, receiver, delivering: deliverTo(settings) }
    })
    watch = watchRuns({
      record,
      engine,
      isOwn: ({ config }) => isOwn(config),
      tell: (state) => tell(state, record, told),
      onProblem,
      lookMs,
    })
    for (const event of early.splice(0)) watch.onEvent(event)
    for (const { delivering } of told) delivering.wake()
    return { record, watch, told }
  }

  return {
    open(engine, isOwn) {
      if (opened !== null || receivers.length === 0) return
      opened = openRecord(engine, isOwn)
      opened.catch((thrown) => {
        // The next request tries again.
        opened = null
        onProblem(
          `webhooks: nothing is told until the record of deliveries can be opened: ${errorText(thrown)}`,
        )
      })
    },
    onEvent(event) {
      if (watch !== null) watch.onEvent(event)
      else if ('seq' in event && opened !== null) early.push(event)
    },
    async deliveries(limit = LISTED) {
      return opened === null ? [] : (await opened).record.list(limit)
    },
    async close() {
      // What could not be opened was said, and has nothing to close.
      const parts = await opened?.catch(() => null)
      if (!parts) return
      opened = null
      await parts.watch.close()
      await Promise.all(parts.told.map(({ delivering }) => delivering.close(GRACE_MS)))
      await parts.record.close()
    },
  }
}

interface Receiver {
  readonly key: string
  readonly receiver: WebhookSettings
  readonly delivering: Delivering
}

interface Opened {
  readonly record: DeliveryRecord
  readonly watch: RunWatch
  readonly told: readonly Receiver[]
}

async function tell(state: RunState, record: DeliveryRecord, receivers: readonly Receiver[]): Promise<void> {
  for (const { id, type, payload } of toldOf(state)) {
    for (const { key, receiver, delivering } of receivers) {
      if (!receiver.events.includes(type)) continue
      const { url, content } = receiver
      const body = JSON.stringify(payload(content))
      const delivery = { id, receiver: key, address: originOf(url), type, run: state.run, body }
      if (await record.add(delivery, Date.now())) delivering.wake()
    }
  }
}

function placeOf(record: WebhooksOptions['record'] = IN_MEMORY) {
  if (typeof record === 'string') return recordFile(record)
  return { query: record, prefix: 'thinkon.', close() {} }
}
