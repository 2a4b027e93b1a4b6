/**
 * The terminal, while a view draws on it. On the alternate screen: what was there comes back afterwards, and a terminal that
 * changes its size does not wrap what was drawn.
 *
 * 1. Only rows that changed are written, in one piece.
 * 2. The terminal is as it was after `close`, while the process is suspended, and on every way out of the process that a
 *    process can notice.
 * 3. What others write to the terminal meanwhile is kept, and is written when the terminal is given back.
 */
import { type Key, keyReader } from './keys.ts'

export interface Terminal {
  /** Each line painted, and not wider than the terminal; those that don't fit are left out. `cursor`: its column in the last line; hidden if null. */
  draw(lines: readonly string[], cursor: number | null): void
  close(): void
}

export interface TerminalUser {
  /** Null if the keyboard is not read; Ctrl-C is then a signal. */
  onKey: ((key: Key) => void) | null
  /** What is on the screen is gone, or has another size. */
  onCleared(): void
  /** The terminal was closed, or belongs to the shell again: the command that it had started, such as npx, is gone. */
  onLost(): void
}

const CSI = '\u001b['
const CLEAR = `${CSI}2J`
/** Alternate screen; no wrapping: a line that the terminal finds wider than we do is cut, and not two lines. */
const ENTER = `${CSI}?1049h${CSI}?7l${CSI}?25l${CLEAR}`
// Cleared first: after a resize, tmux leaves the top of what is on the alternate screen on the other.
const LEAVE = `${CSI}?2026l${CSI}?7h${CSI}?25h${CLEAR}${CSI}?1049l`
const PASTES_ON = `${CSI}?2004h`
const PASTES_OFF = `${CSI}?2004l`
/** Terminals that know it show what is between at once; the others ignore it. */
const FRAME_START = `${CSI}?2026h${CSI}?25l`
const FRAME_END = `${CSI}?2026l`
const RESUME_MS = 20
const ENDING = ['SIGQUIT', 'SIGTERM', 'SIGHUP'] as const

export function takeTerminal({ onKey, onCleared, onLost }: TerminalUser): Terminal {
  const { stdin, stdout } = process
  let shown: readonly string[] = []
  let others: Held | null = null
  /** Where the cursor is shown. */
  let cursorAt = ''
  let closed = false
  let isLost = false
  const parent = process.ppid

  const enter = () => {
    others ??= holdWrites()
    if (onKey !== null) stdin.setRawMode(true)
    others.pass(ENTER + (onKey === null ? '' : PASTES_ON))
    forget()
  }
  const forget = () => {
    shown = []
    cursorAt = ''
  }
  const leave = () => {
    if (others === null) return
    others.pass((onKey === null ? '' : PASTES_OFF) + LEAVE)
    if (onKey !== null) stdin.setRawMode(false)
    others.release()
    others = null
  }
  const redraw = () => {
    others?.pass(CLEAR)
    forget()
    onCleared()
  }
  const reader = keyReader((key) => {
    // The whole job, as the terminal itself would do it. Windows has no such signal.
    if (key.name === 'suspend') {
      if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
    } else if (key.name === 'redraw') redraw()
    else onKey?.(key)
  })
  const suspend = () => {
    leave()
    reader.reset()
    process.off('SIGTSTP', suspend).kill(process.pid, 'SIGTSTP')
    // After `fg`; or at once, where nobody could continue the process and the system does not stop it.
    setTimeout(resume, RESUME_MS)
  }
  const resume = () => {
    if (closed || isLost) return
    process.on('SIGTSTP', suspend)
    enter()
    onCleared()
  }
  /** Stopped by a signal that can't be noticed: the terminal may have been used by others. */
  const continued = () => {
    if (others === null) return
    if (onKey !== null) stdin.setRawMode(false)
    enter()
    onCleared()
  }
  /** The process ends without an `exit`, unless somebody else listens and ends it in order. */
  const quit = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return
    leave()
    process.off(signal, quit).kill(process.pid, signal)
  }
  const lose = () => {
    if (isLost) return
    isLost = true
    leave()
    onLost()
  }

  stdin.on('error', lose).on('end', lose)
  stdout.on('resize', redraw)
  process.on('exit', leave).on('SIGTSTP', suspend).on('SIGCONT', continued)
  for (const signal of ENDING) process.on(signal, quit)
  if (onKey !== null) stdin.on('data', reader.add).resume()
  enter()
  return {
    draw(lines, cursor) {
      if (process.platform !== 'win32' && process.ppid !== parent) lose()
      const rows = lines.slice(0, stdout.rows || 24)
      const changed = frameText(rows, shown)
      const at = rows.length < lines.length ? '' : cursorText(rows, cursor)
      if (others === null || (changed === '' && at === cursorAt)) return
      others.pass(FRAME_START + changed + at + FRAME_END)
      shown = rows
      cursorAt = at
    },
    close() {
      closed = true
      leave()
      reader.reset()
      stdin.off('data', reader.add)
      stdout.off('resize', redraw)
      process.off('exit', leave).off('SIGTSTP', suspend).off('SIGCONT', continued)
      for (const signal of ENDING) process.off(signal, quit)
      if (onKey !== null) stdin.pause()
      // An error that is under way has nobody else.
      stdin.off('end', lose)
      if (!isLost) stdin.off('error', lose)
    },
  }
}

function frameText(rows: readonly string[], shown: readonly string[]): string {
  const changed = rows.map((row, i) => (row === shown[i] ? '' : `${CSI}${i + 1};1H${CSI}K${row}`)).join('')
  return changed + (rows.length < shown.length ? `${CSI}${rows.length + 1};1H${CSI}J` : '')
}

function cursorText(rows: readonly string[], cursor: number | null): string {
  return cursor === null ? '' : `${CSI}${rows.length};${cursor + 1}H${CSI}?25h`
}

interface Held {
  /** Writes to the terminal at once. */
  pass(text: string): void
  /** Writes what was held back, and holds nothing any more. */
  release(): void
}

const MAX_HELD = 100_000

function holdWrites(): Held {
  const streams = [process.stdout, process.stderr].filter(({ isTTY }) => isTTY)
  const held: [stream: NodeJS.WriteStream, text: string][] = []
  let length = 0
  const originals = streams.map((stream) => stream.write)
  for (const stream of streams) {
    const hold = (chunk: Uint8Array | string, ...rest: unknown[]) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      held.push([stream, text])
      length += text.length
      while (length > MAX_HELD && held.length > 1) length -= held.shift()?.[1].length ?? 0
      const done = rest.at(-1)
      if (typeof done === 'function') process.nextTick(done as () => void)
      return true
    }
    stream.write = hold as typeof stream.write
  }
  return {
    pass: (text) => void originals[0]?.call(process.stdout, text),
    release() {
      for (const [i, stream] of streams.entries()) stream.write = originals[i] as typeof stream.write
      for (const [stream, text] of held) stream.write(text)
    },
  }
}
