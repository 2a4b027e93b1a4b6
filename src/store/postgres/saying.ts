/**
 * What is said of runs and not kept: text as it comes in, failed attempts. It goes to whoever hears the run, in any process.
 *
 * 1. Nobody waits for it. What is said within a few milliseconds goes in one statement, one at a time; what comes faster than
 *    PostgreSQL takes it is dropped, and so is what is said while it is down.
 * 2. What one process says arrives in order, or not at all.
 * 3. A process listens only while somebody hears.
 */
import type { Client } from 'pg'
import type { AsyncStore, Said } from '../../kernel/store.ts'
import type { Database } from './connect.ts'

const CHANNEL = 'thinkon_said'
const SAY_MS = 25
const LISTEN_AGAIN_MS = 500
/** What waits to be said, in characters. */
const MAX_WAITING = 256 * 1024
/** PostgreSQL takes 8,000 bytes; a character of a JSON text is up to three. */
const MAX_TEXT = 2_000
const MAX_BYTES = 7_900

const SAY = `
SELECT pg_notify('${CHANNEL}', said), set_config('synchronous_commit', 'off', true)
FROM unnest($1::text[]) WITH ORDINALITY AS saying (said, i) ORDER BY i`

export interface Saying extends Required<Pick<AsyncStore, 'say' | 'hear'>> {
  close(): Promise<void>
}

interface Hearer {
  readonly run: string
  readonly heard: (said: Said) => void
}

export function saying(database: Database): Saying {
  const hearers = new Set<Hearer>()
  let waiting: Said[] = []
  let waitingChars = 0
  let speaking: NodeJS.Timeout | undefined
  let listening: Promise<Client | null> | null = null
  let listenAgain: NodeJS.Timeout | undefined
  let isClosed = false

  async function speak(): Promise<void> {
    const said = waiting
    waiting = []
    waitingChars = 0
    // Numbered: of equal ones, PostgreSQL passes one on.
    const payloads = said.flatMap(payloadsOf).map((payload, i) => `${i} ${payload}`)
    await database.query(SAY, [payloads], 'say').catch(() => {})
    speaking = undefined
    speakLater()
  }

  function speakLater(): void {
    if (isClosed || waiting.length === 0) return
    speaking ??= setTimeout(() => void speak(), SAY_MS).unref()
  }

  /** Deltas of one reply are one. */
  function add(said: Said): void {
    const { what } = said
    const last = waiting.at(-1)
    if (
      what.type === 'text-delta' &&
      last?.what.type === 'text-delta' &&
      last.what.run === what.run &&
      last.what.path === what.path &&
      last.what.n === what.n &&
      last.what.text.length + what.text.length <= MAX_TEXT
    )
      waiting[waiting.length - 1] = { ...last, what: { ...what, text: last.what.text + what.text } }
    else waiting.push(said)
  }

  async function listen(): Promise<Client | null> {
    try {
      const client = await database.dedicated()
      const lost = () => {
        if (listening !== null) later()
        listening = null
        void client.end().catch(() => {})
      }
      client.on('error', lost)
      client.on('end', lost)
      client.on('notification', ({ payload }) => hear(payload ?? ''))
      await client.query(`LISTEN ${CHANNEL}`)
      return client
    } catch {
      listening = null
      later()
      return null
    }
  }

  function later(): void {
    if (isClosed || hearers.size === 0) return
    clearTimeout(listenAgain)
    listenAgain = setTimeout(() => {
      if (hearers.size > 0) listening ??= listen()
    }, LISTEN_AGAIN_MS).unref()
  }

  function hear(payload: string): void {
    const said = JSON.parse(payload.slice(payload.indexOf(' ') + 1)) as Said
    for (const { run, heard } of [...hearers]) if (run === said.what.run) heard(said)
  }

  async function stopListening(): Promise<void> {
    const client = listening
    listening = null
    clearTimeout(listenAgain)
    await (await client)?.end().catch(() => {})
  }

  return {
    say(said) {
      const chars = 'text' in said.what ? said.what.text.length : 0
      if (isClosed || waitingChars + chars > MAX_WAITING) return
      waitingChars += chars
      add(said)
      speakLater()
    },
    hear(run, heard) {
      const hearer = { run, heard }
      hearers.add(hearer)
      listening ??= listen()
      return () => {
        hearers.delete(hearer)
        if (hearers.size === 0) void stopListening()
      }
    },
    async close() {
      isClosed = true
      clearTimeout(speaking)
      await stopListening()
    },
  }
}

function payloadsOf(said: Said): string[] {
  const { what } = said
  if (what.type !== 'text-delta' || what.text.length <= MAX_TEXT) {
    const payload = JSON.stringify(said)
    return Buffer.byteLength(payload) > MAX_BYTES ? [] : [payload]
  }
  const parts: string[] = []
  for (let at = 0; at < what.text.length; at += MAX_TEXT)
    parts.push(JSON.stringify({ ...said, what: { ...what, text: what.text.slice(at, at + MAX_TEXT) } }))
  return parts
}
