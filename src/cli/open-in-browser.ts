/**
 * Opens an address in the person's browser. The address has a code, and other users see the arguments of programs, so the browser gets a
 * private file that leads to the address. If the browser can't read the file, the printed address remains.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { replaceFile } from '../files/private-files.ts'
import { openState } from '../files/state-folder.ts'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // `start` of the shell interprets an &.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
/** Enough for a browser that has to start. */
const KEPT_MS = 60_000

/** The file is removed after a minute, or when `signal` is aborted. Throws STORE_IO if it can't be made. */
export function openInBrowser(url: string, signal: AbortSignal): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? []
  const file = join(openState(), `studio-${process.pid}.html`)
  replaceFile(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`)
  const opener = spawn(command, [...args, file], { stdio: 'ignore', detached: true })
  opener.on('error', () => opener.unref())
  opener.unref()
  const remove = () => rmSync(file, { force: true })
  sleep(KEPT_MS, undefined, { signal, ref: false }).then(remove, remove)
}
