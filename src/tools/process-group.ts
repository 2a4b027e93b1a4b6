/**
 * A process and everything it starts, as one group that ends together. Groups that are alive when this process exits are
 * killed with it; if this process is killed with SIGKILL, an MCP server sees the end of its input instead.
 */
import type { ChildProcess } from 'node:child_process'

const living = new Set<number>()
let watching = false

/** Owns the group of a child that was spawned with `detached: true`. */
export function ownGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  living.add(child.pid)
  if (watching) return
  watching = true
  // First: others clean up after what has ended.
  process.prependListener('exit', () => {
    for (const pid of living) signalGroup(pid, 'SIGKILL')
  })
}

/** Kills what is left of the group and disowns it: its number may be reused from now on. */
export function dropGroup(child: ChildProcess): void {
  if (child.pid === undefined || !living.delete(child.pid)) return
  signalGroup(child.pid, 'SIGKILL')
}

export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && living.has(child.pid)) signalGroup(child.pid, signal)
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  sendSignal(process.platform === 'win32' ? pid : -pid, signal)
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // No process is left.
  }
}
