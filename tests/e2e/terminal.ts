/** A command in a terminal that `script` makes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { bin, endOf, type Place } from './cli-process.ts'
import { vtScreen } from './vt-screen.ts'

// util-linux; the one of macOS and BSD takes other arguments.
export const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

export interface TerminalOptions {
  size?: [columns: number, rows: number]
  /** By a shell that a stopped command comes back to; Enter continues it. */
  stops?: boolean
  /** By a shell, through another program, as npx does; `terminate` is for that. */
  launched?: boolean
}

let terminals = 0

/** What it writes is drawn on a screen, too. */
export function inTerminal(
  place: Pick<Place, 'folder' | 'env'>,
  args: string,
  env: NodeJS.ProcessEnv = {},
  { size: [columns, rows] = [100, 30], stops = false, launched = false }: TerminalOptions = {},
) {
  const device = join(place.folder, `terminal-${++terminals}`)
  const thinkon = `"${process.execPath}" "${bin}" ${args}`
  const launcher = `sh -c "echo \\$\\$ >${device}.pid; ${thinkon.replaceAll('"', '')}; true"`
  const start = launched
    ? `bash -c 'set -m; ${launcher}; read key'`
    : stops
      ? `bash -c 'set -m; ${thinkon}; echo "stopped: $?"; read key; fg'`
      : `exec ${thinkon}`
  const command = `echo $$ >"${device}.pid"; tty >"${device}"; stty cols ${columns} rows ${rows}; ${start}`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: place.folder,
    env: { ...place.env, ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdout.setEncoding('utf8')
  const screen = vtScreen(columns, rows)
  child.stdout.on('data', (chunk: string) => screen.write(chunk))
  const stty = (words: string) =>
    spawnSync('stty', ['-F', readFileSync(device, 'utf8').trim(), ...words.split(' ')], { encoding: 'utf8' })
  return {
    child,
    screen,
    ended: endOf(child),
    seen: (text: string) => seen(child, text),
    /** Until the screen is as it has to be. */
    shown: (holds: (rows: readonly string[]) => boolean) => shown(child, screen, holds),
    resize(newColumns: number, newRows: number) {
      screen.resize(newColumns, newRows)
      stty(`cols ${newColumns} rows ${newRows}`)
    },
    /** As `kill` does. */
    terminate: (signal: NodeJS.Signals = 'SIGTERM') =>
      process.kill(Number(readFileSync(`${device}.pid`, 'utf8')), signal),
    /** The settings of the terminal, as `stty -a` lists them. */
    settings: () => stty('-a').stdout,
  }
}

function seen(child: ChildProcess, text: string): Promise<string> {
  let all = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      all += chunk
      if (stripVTControlCharacters(all).includes(text)) resolve(all)
    })
    child.on('close', () => reject(new Error(`ended without "${text}":\n${all}`)))
  })
}

function shown(
  child: ChildProcess,
  screen: ReturnType<typeof vtScreen>,
  holds: (rows: readonly string[]) => boolean,
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!holds(screen.rows())) return
      child.stdout?.off('data', look)
      resolve(screen.rows())
    }
    child.stdout?.on('data', look)
    child.on('close', () => reject(new Error(`ended and shows:\n${screen.rows().join('\n')}`)))
    look()
  })
}
