/**
 * The positions of all texts, as a tree: texts that begin alike share their positions, and what was computed for them. At most
 * `capacity` positions are kept. When there is no room, the text that was left the longest ago makes it, up to where it branches off;
 * what is held, and what it continues, stays.
 */

import type { Row } from './network.ts'

export interface Position extends Row {
  readonly before: Position | undefined
  readonly next: Map<number, Position>
  isComputed: boolean
  hasLogits: boolean
  holders: number
  leftAt: number
}

export interface PrefixTree {
  /** The position of `token` after `before`, at the beginning without one; made if there is none. `before` must be held. */
  after(before: Position | undefined, token: number): Position
  hold(position: Position): void
  leave(position: Position): void
}

export function prefixTree(capacity: number, allotPage: () => number): PrefixTree {
  const roots = new Map<number, Position>()
  const free: number[] = []
  /** Ends of texts that nobody holds. */
  const idle = new Set<Position>()
  let allotted = 0
  let clock = 0

  const siblings = (position: Position) => position.before?.next ?? roots

  function takePage(): number {
    if (free.length === 0 && allotted < capacity) {
      allotted++
      return allotPage()
    }
    if (free.length === 0) forgetOldest()
    const page = free.pop()
    if (page === undefined) throw new Error('more positions are held than there are')
    return page
  }

  function forgetOldest() {
    const [oldest] = idle
    if (oldest === undefined) return
    idle.delete(oldest)
    let position: Position | undefined = oldest
    do {
      siblings(position).delete(position.token)
      free.push(position.page)
      position = position.before
    } while (position && isIdle(position) && position.leftAt <= oldest.leftAt)
    if (position && isIdle(position)) idle.add(position)
  }

  const isIdle = ({ holders, next }: Position) => holders === 0 && next.size === 0

  return {
    after(before, token) {
      const known = (before?.next ?? roots).get(token)
      if (known) return known
      const made: Position = {
        token,
        before,
        index: before === undefined ? 0 : before.index + 1,
        page: takePage(),
        next: new Map(),
        isComputed: false,
        hasLogits: false,
        holders: 0,
        leftAt: clock,
      }
      siblings(made).set(token, made)
      idle.add(made)
      return made
    },
    hold(position) {
      position.holders++
      idle.delete(position)
    },
    leave(position) {
      position.holders--
      position.leftAt = ++clock
      if (isIdle(position)) idle.add(position)
    },
  }
}
