/**
 * Texts that are continued together. In each step every text gets its next position computed, and new ones as many of their prompt's as
 * there is room for; what texts have in common is computed once. When a text's turn comes decides nothing about what it says.
 */
import type { Network } from './network.ts'
import { type Position, prefixTree } from './prefix-tree.ts'

export interface Text {
  readonly prompt: readonly number[]
  /** The most tokens after the prompt; together they fit into the context. */
  readonly room: number
  /** The token after the last one; undefined if the text has ended. `cached`: how many of the prompt's were not computed for it. */
  next(logits: Float32Array, cached: number): number | undefined
}

export interface Batch {
  add(text: Text): void
  /** Also one that has ended. */
  drop(text: Text): void
  /** Returns whether there is more to do. */
  step(): boolean
  /** Rows so far. */
  readonly computed: number
}

export interface BatchSize {
  /** Computed in one step. */
  readonly rows: number
  /** Kept in memory, of texts that are written and of earlier ones. */
  readonly positions: number
}

interface Running {
  readonly text: Text
  end: Position
  /** Of the prompt, for this text. */
  computed: number
}

export function createBatch(network: Network, size: BatchSize): Batch {
  const tree = prefixTree(size.positions, network.allotPage)
  const waiting = new Set<Text>()
  const running = new Map<Text, Running>()
  let reserved = 0
  let computed = 0

  const need = ({ prompt, room }: Text) => prompt.length + room

  /** Whoever begins can go on to its end. */
  function admit() {
    for (const text of waiting) {
      if (running.size >= size.rows || reserved + need(text) > size.positions) return
      waiting.delete(text)
      reserved += need(text)
      running.set(text, { text, end: positionOf(text.prompt), computed: 0 })
    }
  }

  /** Held. */
  function positionOf(prompt: readonly number[]): Position {
    let end: Position | undefined
    for (const token of prompt) end = extend(end, token)
    if (end === undefined) throw new Error('a text without a prompt')
    return end
  }

  function extend(end: Position | undefined, token: number): Position {
    const next = tree.after(end, token)
    tree.hold(next)
    if (end) tree.leave(end)
    return next
  }

  function drop(text: Text) {
    waiting.delete(text)
    const state = running.get(text)
    if (state === undefined) return
    running.delete(text)
    reserved -= need(text)
    tree.leave(state.end)
  }

  /** As far as logits are known. */
  function advance(state: Running) {
    const { text } = state
    while (state.end.hasLogits) {
      const token = text.next(network.logits(state.end.page), text.prompt.length - state.computed)
      if (token === undefined) {
        drop(text)
        return
      }
      state.end = extend(state.end, token)
    }
  }

  /** Texts that lack only one position go first: they wait for each step, prompts for all of theirs. */
  function chosen(): Position[] {
    const rows = new Set<Position>()
    const todo = [...running.values()].map((state) => ({ state, missing: missingOf(state.end) }))
    const isLong = ({ missing }: { missing: unknown[] }) => missing.length > 1
    for (const { state, missing } of [...todo.filter((one) => !isLong(one)), ...todo.filter(isLong)]) {
      const own = missing.filter((position) => !rows.has(position)).slice(0, size.rows - rows.size)
      for (const position of own) rows.add(position)
      state.computed += own.filter(({ index }) => index < state.text.prompt.length).length
    }
    return [...rows]
  }

  return {
    add: (text) => waiting.add(text),
    drop,
    step() {
      admit()
      for (const state of [...running.values()]) advance(state)
      const rows = chosen()
      const ends = new Set([...running.values()].map(({ end }) => end))
      if (rows.length > 0) network.compute(rows, ends)
      for (const row of rows) {
        row.isComputed = true
        row.hasLogits ||= ends.has(row)
      }
      computed += rows.length
      return running.size + waiting.size > 0
    },
    get computed() {
      return computed
    },
  }
}

/** What has to be computed before the text can go on, in order. A position in the middle of an earlier text may have no logits. */
function missingOf(end: Position): Position[] {
  if (end.isComputed) return [end]
  const missing: Position[] = []
  for (let position: Position | undefined = end; position && !position.isComputed; position = position.before)
    missing.unshift(position)
  return missing
}
