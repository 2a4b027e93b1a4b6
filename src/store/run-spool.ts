/**
 * A run's file (export-run.ts) in a temporary database, which the system deletes with the process: checked to its last line, so that
 * a file that was cut short or changed is refused before anything else happens.
 */
import { createHash } from 'node:crypto'
import { DatabaseSync } from '../files/sqlite.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { type Event, isObject, isPath, type Signal, ThinkonError } from '../protocol/index.ts'
import { Conversations } from './conversations.ts'
import { EventDecoder, type EventRow } from './event-codec.ts'
import { RUN_FILE } from './export-run.ts'

export interface Spool {
  readonly run: string
  /** How many. */
  readonly events: number
  readonly createdMs: number
  readonly forkOf: string | null
  readonly signals: readonly Signal[]
  /** The events as those of the run `id`. Throws whatever a row that can't be read makes it throw. */
  read(id: string): Iterable<Event>
  close(): void
}

/** No text in a run is longer. */
const MAX_LINE = 256 * 1024 * 1024
const MAX_ROW_EVENTS = 1_024
/** In the first line of files from before the first release. */
const EARLIER_FILE = 'run'

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>
type Data = Readonly<Record<string, unknown>>

export async function spoolFile(file: Chunks): Promise<Spool> {
  // No name: a file that is deleted when it is closed.
  const database = new DatabaseSync('')
  try {
    database.exec(`
      PRAGMA journal_mode = OFF;
      CREATE TABLE rows (last INTEGER PRIMARY KEY, row TEXT NOT NULL);
      BEGIN`)
    const lines = new SpooledLines(database)
    for await (const { line, isWhole } of linesOf(file)) lines.take(line, isWhole)
    return lines.spool()
  } catch (thrown) {
    database.close()
    throw (thrown as { errcode?: number }).errcode === SQLITE_FULL ? noRoom(thrown) : thrown
  }
}

const SQLITE_FULL = 13

function noRoom(cause: unknown): ThinkonError {
  const message = 'there is no room for a temporary copy of the file: free some space, or set SQLITE_TMPDIR'
  return new ThinkonError('STORE_FULL', message, { cause })
}

export function badFile(what: string, data?: Record<string, unknown>): ThinkonError {
  return new ThinkonError('BAD_INPUT', `the file can't be imported: ${what}; nothing was written`, {
    ...(data && { data }),
  })
}

class SpooledLines {
  private readonly database: DatabaseSync
  private readonly sha256 = createHash('sha256')
  private readonly signals = new Map<string, Signal>()
  private readonly putRow
  private header: Data | null = null
  private lines = 0
  private last = 0
  private ended = false

  constructor(database: DatabaseSync) {
    this.database = database
    this.putRow = database.prepare('INSERT INTO rows (last, row) VALUES (?, ?)')
  }

  take(line: Buffer, isWhole: boolean): void {
    if (this.ended) throw badFile(`there is something after its end, in line ${this.lines + 1}`)
    const record = this.parsed(line, isWhole)
    if (this.header === null) this.header = headerOf(record)
    else if (isObject(record.end)) {
      this.end(record.end)
      return
    } else if (isObject(record.signal)) this.signal(record.signal)
    else if (isObject(record.row)) this.row(record.row)
    else throw this.bad('it is none of the records of such a file')
    this.sha256.update(line).update('\n')
    this.lines++
  }

  spool(): Spool {
    if (this.header === null) throw badFile('it is empty')
    const { run, events, createdAt, forkOf } = this.header as unknown as Header
    if (!this.ended) throw this.cutShort()
    if (this.last !== events) throw badFile(`it has ${this.last} events, and says that there are ${events}`)
    const { database } = this
    return {
      run,
      events,
      createdMs: Date.parse(createdAt),
      forkOf,
      signals: [...this.signals.values()],
      *read(id) {
        const rowFrom = database.prepare('SELECT last, row FROM rows WHERE last >= ? ORDER BY last LIMIT 1')
        const decoder = new EventDecoder({
          run: id,
          budget: new DecodingBudget('the file'),
          conversations: new Conversations(),
          row: (seq) => rowOf(rowFrom.get(seq) as unknown as SpooledRow),
        })
        for (const row of database.prepare('SELECT last, row FROM rows ORDER BY last').iterate())
          yield* decoder.decode(rowOf(row as unknown as SpooledRow))
      },
      close: () => database.close(),
    }
  }

  private parsed(line: Buffer, isWhole: boolean): Data {
    let record: unknown = null
    try {
      record = JSON.parse(line.toString())
    } catch {
      // Below.
    }
    if (isObject(record)) return record
    if (this.lines === 0) throw badFile('it is not a file of thinkon export')
    throw isWhole ? this.bad('it is not JSON') : this.cutShort()
  }

  private signal(signal: Data): void {
    const { path, name, number, value = null } = signal
    const isSignal =
      typeof path === 'string' &&
      isPath(path) &&
      typeof name === 'string' &&
      Number.isSafeInteger(number) &&
      (number as number) > 0
    const key = JSON.stringify([path, name, number])
    if (!isSignal || this.signals.has(key)) throw this.bad('it is not a signal')
    this.signals.set(key, { path, name, number: number as number, value })
  }

  private row(row: Data): void {
    const { at, type, path, body, deflated, count } = row
    const isRow =
      Number.isSafeInteger(at) &&
      typeof type === 'string' &&
      typeof path === 'string' &&
      (typeof body === 'string') !== (typeof deflated === 'string') &&
      Number.isSafeInteger(count) &&
      (count as number) > 0 &&
      (count as number) <= MAX_ROW_EVENTS
    if (!isRow) throw this.bad('it is not a row of a journal')
    this.last += count as number
    this.putRow.run(this.last, JSON.stringify(row))
  }

  private end({ lines, sha256 }: Data): void {
    if (lines !== this.lines || sha256 !== this.sha256.digest('hex'))
      throw badFile('it was changed: its check sum is another')
    this.ended = true
  }

  private cutShort(): ThinkonError {
    const { events: of } = this.header as unknown as Header
    return badFile(`it was cut short: it has ${this.last} of ${of} events, and no end`, {
      events: this.last,
      of,
    })
  }

  private bad(what: string): ThinkonError {
    return badFile(`line ${this.lines + 1}: ${what}`, { line: this.lines + 1 })
  }
}

interface Header {
  readonly run: string
  readonly events: number
  readonly createdAt: string
  readonly forkOf: string | null
}

function headerOf(record: Data): Data {
  if (record.thinkon === EARLIER_FILE) {
    throw new ThinkonError(
      'STORE_OLDER',
      "the file was written by a Thinkon from before the first release, and can't be read",
      { data: { supported: RUN_FILE.version } },
    )
  }
  if (record.thinkon !== RUN_FILE.thinkon) throw badFile('it is not a file of thinkon export')
  const { version, run, events, createdAt, forkOf } = record
  if (typeof version === 'number' && version > RUN_FILE.version) {
    throw new ThinkonError(
      'STORE_NEWER',
      `the file was written by a newer Thinkon (version ${version}, this one reads ${RUN_FILE.version}): update thinkon`,
      { data: { version, supported: RUN_FILE.version } },
    )
  }
  const isHeader =
    version === RUN_FILE.version &&
    isRunId(run) &&
    Number.isSafeInteger(events) &&
    typeof createdAt === 'string' &&
    !Number.isNaN(Date.parse(createdAt)) &&
    (forkOf === null || isRunId(forkOf))
  if (!isHeader) throw badFile('line 1: it does not say which run this is')
  return record
}

/** Any text that can be shown on a line. */
export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}]{1,200}$/u.test(value)
}

interface SpooledRow {
  readonly last: number
  /** JSON. */
  readonly row: string
}

function rowOf({ last, row }: SpooledRow): EventRow {
  const { at, type, path, body, deflated } = JSON.parse(row)
  return { seq: last, at, type, path, body: body ?? Buffer.from(deflated, 'base64') }
}

/** Lines without their ends; what comes after the last end may be a part of one. */
async function* linesOf(file: Chunks): AsyncGenerator<{ line: Buffer; isWhole: boolean }> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of file) {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw badFile('a chunk of it is neither text nor bytes')
    let rest =
      typeof chunk === 'string'
        ? Buffer.from(chunk)
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      yield { line: Buffer.concat([...parts, rest.subarray(0, end)]), isWhole: true }
      parts = []
      length = 0
      rest = rest.subarray(end + 1)
    }
    length += rest.length
    if (length > MAX_LINE) throw badFile('one of its lines is too long')
    if (rest.length > 0) parts.push(rest)
  }
  if (length > 0) yield { line: Buffer.concat(parts), isWhole: false }
}
