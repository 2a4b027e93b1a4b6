import { ThinkonError } from '../errors.ts'
import type { CharTest, PatternNode } from './parse-pattern.ts'
import type { WorkLimit } from './work-limit.ts'

const MAX_INSTRUCTIONS = 20_000
/** Size of the states that are kept. Beyond, all are dropped and computed again when they are reached. */
const MAX_KEPT = 100_000
const ASCII = 128

type Instruction =
  | { readonly op: 'char'; readonly test: CharTest }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'assert'; readonly index: number; readonly negated: boolean }
  | { readonly op: 'match' }

/** Where the threads are after a character was read. */
interface Threads {
  readonly at: readonly number[]
  readonly states: Map<number, State>
  /** The last of `states`, with its context: most positions have the same. */
  context: number
  state: State | undefined
}

/** Threads that have followed all instructions that read nothing, in one context: each stands at a character. */
interface State {
  readonly chars: readonly number[]
  readonly matches: boolean
  readonly ascii: (Threads | undefined)[]
  readonly others: Map<number, Threads>
}

/** A pattern as a machine whose threads advance together, forwards or backwards through a text. States are made when first reached. */
export class Automaton {
  readonly backward: boolean
  readonly #code: Instruction[] = []
  readonly #kept = new Map<string, Threads>()
  #size = 0

  /** Throws `BAD_INPUT` for a pattern that is too large. */
  constructor(node: PatternNode, backward: boolean) {
    this.backward = backward
    this.#emit(node)
    this.#add({ op: 'match' })
  }

  /**
   * Reads the whole text and starts a thread at each position; `onMatch` gets each position where one ends, and stops with true.
   * `contextAt` has a bit for each assertion that holds at a position.
   */
  scan(
    text: string,
    contextAt: (at: number) => number,
    work: WorkLimit,
    onMatch: (at: number) => boolean,
  ): boolean {
    let threads = this.#threadsAt([0])
    let at = this.backward ? text.length : 0
    const end = text.length - at
    const step = this.backward ? -1 : 1
    work.take(text.length)
    for (;;) {
      const state = this.#stateOf(threads, contextAt(at), work)
      if (state.matches && onMatch(at)) return true
      if (at === end) return false
      const char = this.backward ? codePointBefore(text, at) : (text.codePointAt(at) as number)
      at += step * (char > 0xffff ? 2 : 1)
      threads = knownNext(state, char) ?? this.#advance(state, char, work)
    }
  }

  #advance(state: State, char: number, work: WorkLimit): Threads {
    work.take(4 * (state.chars.length + 1))
    const at = [0]
    for (const one of state.chars) {
      const instruction = this.#code[one] as Instruction & { op: 'char' }
      if (instruction.test(char)) at.push(one + 1)
    }
    const threads = this.#threadsAt(at)
    if (char < ASCII) state.ascii[char] = threads
    else state.others.set(char, threads)
    return threads
  }

  #threadsAt(at: readonly number[]): Threads {
    const key = at.join()
    const known = this.#kept.get(key)
    this.#size += 1
    if (known !== undefined) return known
    this.#size += 4 * at.length
    if (this.#size > MAX_KEPT) {
      this.#kept.clear()
      this.#size = 0
    }
    const threads: Threads = { at, states: new Map(), context: 0, state: undefined }
    this.#kept.set(key, threads)
    return threads
  }

  #stateOf(threads: Threads, context: number, work: WorkLimit): State {
    if (threads.state !== undefined && threads.context === context) return threads.state
    const state = threads.states.get(context) ?? this.#follow(threads.at, context, work)
    threads.states.set(context, state)
    threads.context = context
    threads.state = state
    return state
  }

  #follow(from: readonly number[], context: number, work: WorkLimit): State {
    const seen = new Set<number>()
    const open = [...from]
    const chars: number[] = []
    let matches = false
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      const instruction = this.#code[at] as Instruction
      if (instruction.op === 'char') chars.push(at)
      else if (instruction.op === 'split') open.push(instruction.second, instruction.first)
      else if (instruction.op === 'match') matches = true
      else if (((context >> instruction.index) & 1) === (instruction.negated ? 0 : 1)) open.push(at + 1)
    }
    work.take(4 * seen.size)
    this.#size += seen.size
    return { chars: chars.sort((a, b) => a - b), matches, ascii: [], others: new Map() }
  }

  #emit(node: PatternNode): void {
    if (node.type === 'char') this.#add({ op: 'char', test: node.test })
    else if (node.type === 'assertion') this.#add({ op: 'assert', index: node.index, negated: node.negated })
    else if (node.type === 'repeat') this.#emitRepeat(node)
    else if (node.type === 'choice') this.#emitChoice(node.options)
    else for (const part of this.backward ? node.parts.toReversed() : node.parts) this.#emit(part)
  }

  #emitChoice(options: readonly PatternNode[]): void {
    const ends: number[] = []
    for (const [i, option] of options.entries()) {
      const split = i < options.length - 1 ? this.#split() : undefined
      this.#emit(option)
      if (split === undefined) continue
      ends.push(this.#split())
      this.#set(split, split + 1, this.#code.length)
    }
    for (const end of ends) this.#set(end, this.#code.length, this.#code.length)
  }

  #emitRepeat({ node, min, max }: PatternNode & { type: 'repeat' }): void {
    let start = this.#code.length
    for (let i = 0; i < min; i++) {
      start = this.#code.length
      this.#emit(node)
      if (this.#code.length === start) return
    }
    if (max === Number.POSITIVE_INFINITY) {
      if (min > 0) this.#set(this.#split(), start, this.#code.length)
      else {
        const split = this.#split()
        this.#emit(node)
        this.#set(this.#split(), split, split)
        this.#set(split, split + 1, this.#code.length)
      }
      return
    }
    const splits: number[] = []
    for (let i = min; i < max; i++) {
      splits.push(this.#split())
      this.#emit(node)
    }
    for (const split of splits) this.#set(split, split + 1, this.#code.length)
  }

  #split(): number {
    return this.#add({ op: 'split', first: 0, second: 0 })
  }

  #set(at: number, first: number, second: number): void {
    Object.assign(this.#code[at] as Instruction, { first, second })
  }

  #add(instruction: Instruction): number {
    if (this.#code.length === MAX_INSTRUCTIONS)
      throw new ThinkonError('BAD_INPUT', 'it is too large: its repetitions multiply')
    return this.#code.push(instruction) - 1
  }
}

function knownNext({ ascii, others }: State, char: number): Threads | undefined {
  return char < ASCII ? ascii[char] : others.get(char)
}

function codePointBefore(text: string, at: number): number {
  const last = text.charCodeAt(at - 1)
  if (at < 2 || last < 0xdc00 || last > 0xdfff) return last
  const pair = text.codePointAt(at - 2) as number
  return pair > 0xffff ? pair : last
}
