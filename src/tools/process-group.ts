/**
 * A process with all that it starts, as one group: ended together. Groups that still live when this process exits are
 * killed with it; when this process is killed with SIGKILL, an MCP server sees the end of its input instead.
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
  process.on('exit', () => {
    for (const pid of living) signalGroup(pid, 'SIGKILL')
  })
}

/** What is left of the group is killed, and it is ours no more: its number may be another's from now on. */
export function dropGroup(child: ChildProcess): void {
  if (child.pid === undefined || !living.delete(child.pid)) return
  signalGroup(child.pid, 'SIGKILL')
}

export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && living.has(child.pid)) signalGroup(child.pid, signal)
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // No process of it is left.
  }
}
