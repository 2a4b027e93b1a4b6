/** Opens an address in the person's browser. Where there is none, the address that was printed has to do. */
import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  // Not by `start` of the shell, to which an & means something.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

export function openInBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? []
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  opener.on('error', () => opener.unref())
  opener.unref()
}
