/**
 * How much of the machine a command may use. The kernel enforces what it can without privileges: the memory of each process, the size of
 * each file, of /tmp, and for users other than root the number of processes. A watch ends a command whose processes together are too many
 * or too large; it looks at intervals, so a command may exceed these two for a moment.
 */

import { readFileSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import { constrainedMemory } from 'node:process'

export interface CommandLimits {
  /** At the same time. */
  readonly processes: number
  /** Of all processes together, and of each. */
  readonly memoryMb: number
  /** Of /tmp in the sandbox, which is in memory. */
  readonly tmpMb: number
  /** Of one file that the command writes. */
  readonly fileMb: number
}

const MB = 1024 * 1024
const MAX_MEMORY_MB = 8_192
/** Of the memory of the machine or container. */
const MEMORY_SHARE = 0.75

export function commandLimits(given: Partial<CommandLimits> = {}): CommandLimits {
  const constrained = constrainedMemory()
  const available = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  const memoryMb = Math.max(256, Math.min(MAX_MEMORY_MB, Math.floor((available * MEMORY_SHARE) / MB)))
  return { processes: 1_024, memoryMb, tmpMb: 1_024, fileMb: 4_096, ...given }
}

/** A line of shell that sets the limits of the shell's own process and all below it. A lower limit that is set already stays. */
export function limitingShell({ processes, memoryMb, fileMb }: CommandLimits, isInSandbox: boolean): string {
  const set = [
    `ulimit -d ${memoryMb * 1024}`,
    // In blocks of 512 bytes (POSIX, dash) or of 1,024 (bash): a limit of this kind need not be exact.
    `ulimit -f ${fileMb * 1024}`,
    ...(isInSandbox && countsInNamespace() ? [`ulimit -u ${processes}`, `ulimit -p ${processes}`] : []),
  ]
  return set.map((one) => `${one} 2>/dev/null`).join('; ')
}

/**
 * Whether the kernel counts the processes of a user in each user namespace (5.14). Before, all processes of the user on the machine
 * count. The processes of root are never counted.
 */
function countsInNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14))
}

/** Which limit these processes exceed together; null if none. */
export function exceededBy(
  pids: readonly number[],
  { processes, memoryMb }: Pick<CommandLimits, 'processes' | 'memoryMb'>,
): string | null {
  if (pids.length > processes) return `more than ${processes} processes`
  let pages = 0
  for (const pid of pids) pages += privatePages(pid)
  return (pages * PAGE_BYTES) / MB > memoryMb ? `more than ${memoryMb} MB of memory` : null
}

/** Larger on some ARM systems: then less memory is counted than is used. */
const PAGE_BYTES = 4_096

/** Memory that the process shares with no other, in pages. */
function privatePages(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number)
    return resident - shared
  } catch {
    return 0
  }
}
