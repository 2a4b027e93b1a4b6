/**
 * Where the commands write, and the only place. Data and views go to stdout, remarks and errors to stderr. A reader that goes
 * away (`| head`) is not an error: nothing more is written, and the `onClosed` callback is called.
 *
 * Whatever text comes here, from a model, a tool, a server, a file, the configuration or the command line, a terminal gets no
 * escape sequences but ours: texts are cleaned first and coloured then. In a pipe as well: what it goes to is often a terminal.
 */
import { styleText } from 'node:util'
import { cleanText, escapeJson } from '../protocol/index.ts'
import type { Line, Tone } from '../views/line.ts'
import type { Lang } from '../views/words.ts'

export interface Output {
  /** JSON lines were asked for. */
  readonly json: boolean
  /** stdout is a terminal that can redraw. */
  readonly live: boolean
  /** In which errors are told: a command sets it when it knows its run. */
  lang: Lang
  /** Columns of the terminal. */
  width(): number
  /** Rows of the terminal. */
  rows(): number
  print(text: string): void
  printLines(lines: readonly Line[]): void
  /** One JSON line. */
  data(value: unknown): void
  /** A line on stderr. */
  remark(text: string): void
  /** The line with escape sequences for its colours, where the terminal supports them. */
  paint(line: Line): string
  /** Calls back once when stdout can't be written any more: with `null` if its reader has gone, otherwise the error. */
  onClosed(callback: (error: Error | null) => void): void
  /** Resolves when the reader can take more. By then `onClosed` has been told if it has gone. */
  turn(): Promise<void>
  /** Resolves when everything is written; with the error if it could not be, unless the reader has gone. */
  flush(): Promise<Error | null>
}

const PIPE_WIDTH = 100

type Format = Parameters<typeof styleText>[0]
const FORMATS: Record<Tone, Format | null> = {
  plain: null,
  strong: 'bold',
  dim: 'dim',
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'cyan',
  ask: ['bold', 'magenta'],
}

/** A line on stderr, for what has no output at hand. */
export function remark(text: string): void {
  process.stderr.write(`${cleanText(text)}\n`)
}

/** Draws the last line of a terminal on stderr again; an empty text clears it. */
export function redrawLine(text: string): void {
  process.stderr.write(`\r\u001b[K${lineText(text)}`)
}

function lineText(text: string): string {
  return cleanText(text).replaceAll('\n', ' ')
}

export function createOutput(json: boolean, lang: Lang = 'en'): Output {
  const { stdout, stderr } = process
  const tty = stdout.isTTY === true
  let closed: { error: Error | null } | null = null
  let notifyClosed: ((error: Error | null) => void) | null = null
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (closed !== null) return
    closed = { error: error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' ? null : error }
    notifyClosed?.(closed.error)
  })
  // Without stderr there is nowhere to report that it is missing.
  stderr.on('error', () => {})

  const write = (text: string) => {
    if (closed === null) stdout.write(text)
  }
  const paint = (line: Line) =>
    line
      .map(({ text, tone }) => {
        const format = FORMATS[tone]
        const clean = lineText(text)
        return format === null ? clean : styleText(format, clean, { stream: stdout })
      })
      .join('')
  return {
    json,
    lang,
    live: tty && !json && process.env.TERM !== 'dumb' && !process.env.CI,
    width: () => (tty ? stdout.columns || 80 : Number(process.env.COLUMNS) || PIPE_WIDTH),
    rows: () => (tty ? stdout.rows || 24 : 24),
    print: (text) => write(`${cleanText(text)}\n`),
    printLines: (lines) => write(lines.map((line) => `${paint(line)}\n`).join('')),
    data: (value) => write(`${escapeJson(JSON.stringify(value))}\n`),
    remark,
    paint,
    onClosed(callback) {
      notifyClosed = callback
      if (closed !== null) callback(closed.error)
    },
    turn: () =>
      new Promise((resolve) => {
        if (closed !== null || !stdout.writableNeedDrain) return void setImmediate(resolve)
        const taken = () => {
          stdout.off('drain', taken).off('error', taken)
          resolve()
        }
        stdout.on('drain', taken).on('error', taken)
      }),
    async flush() {
      if (closed === null) await new Promise<void>((resolve) => stdout.write('', () => resolve()))
      // The error event comes one turn later.
      await new Promise((resolve) => setImmediate(resolve))
      return closed?.error ?? null
    },
  }
}
