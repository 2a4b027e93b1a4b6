/**
 * When timers and sockets get a turn. Commits that wait for nothing follow each other in microtasks, and nothing else happens in the process
 * meanwhile: so much of that at most, of all its runs together.
 */
import type { Draft } from '../../kernel/store.ts'

const MOST_MS = 10
/** Whatever a clock says. */
const MOST_COMMITS = 4_096

let lastMs = 0
let commits = 0

/** Whether it is time for one before these events are committed. */
export function isTurnDue(drafts: readonly Draft[]): boolean {
  const last = drafts[drafts.length - 1]
  return last !== undefined && (commits >= MOST_COMMITS || Math.abs(last.atMs - lastMs) >= MOST_MS)
}

/** A commit is made. */
export function noteCommit(): void {
  commits++
}

/** They get one before these events are committed. */
export function noteTurn(drafts: readonly Draft[]): void {
  commits = 0
  lastMs = drafts[drafts.length - 1]?.atMs ?? lastMs
}
