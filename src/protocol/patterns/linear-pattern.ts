/**
 * Regular expressions that come from outside, on text from outside, in time linear in the text: JavaScript's syntax and meaning
 * with the `u` flag, lookarounds included, without back-references. Nothing backtracks (automaton.ts), and each lookaround is
 * evaluated for all positions at once.
 */
import { errorText, ThinkonError } from '../errors.ts'
import { Automaton } from './automaton.ts'
import { type Assertion, type ParsedPattern, parsePattern } from './parse-pattern.ts'
import { WorkLimit } from './work-limit.ts'

const MAX_SOURCE = 10_000
const MAX_MENDED = 1_000

export class LinearPattern {
  readonly source: string
  readonly #parsed: ParsedPattern
  readonly #forward: Automaton
  #backward: Automaton | undefined
  /** Those of the lookarounds, by the assertion's index. */
  readonly #lookarounds: readonly (Automaton | undefined)[]

  /** `flags`: of `imsu`. Throws `BAD_INPUT` with the reason for an expression that is invalid or not supported. */
  constructor(source: string, flags = '') {
    this.source = source
    if (source.length > MAX_SOURCE) throw new ThinkonError('BAD_INPUT', 'it is too long')
    const foreign = /[^imsu]/.exec(flags)
    if (foreign !== null) throw new ThinkonError('BAD_INPUT', `the flag "${foreign[0]}" is not supported`)
    this.#parsed = parsePattern(unicodeSource(source, flags), flags)
    this.#forward = new Automaton(this.#parsed.node, false)
    this.#lookarounds = this.#parsed.assertions.map((one) =>
      one.kind === 'position' ? undefined : new Automaton(one.node, one.kind === 'lookahead'),
    )
  }

  /** Whether it matches anywhere in the text. Throws `LIMIT` when `work` is used up. */
  test(text: string, work = new WorkLimit(text.length)): boolean {
    return this.#forward.scan(text, this.#contexts(text, work), work, () => true)
  }

  /** Where the first match starts; -1 without a match. Throws as `test`. */
  search(text: string, work = new WorkLimit(text.length)): number {
    this.#backward ??= new Automaton(this.#parsed.node, true)
    let first = -1
    this.#backward.scan(text, this.#contexts(text, work), work, (at) => {
      first = at
      return false
    })
    return first
  }

  /** Of a position: one bit for each assertion that holds there. */
  #contexts(text: string, work: WorkLimit): (at: number) => number {
    const { assertions } = this.#parsed
    if (assertions.length === 0) return () => 0
    const held = this.#lookarounds.some(Boolean) ? new Int32Array(text.length + 1) : undefined
    const contextAt = (at: number) => {
      let context = held?.[at] ?? 0
      for (let i = 0; i < assertions.length; i++) {
        const one = assertions[i] as Assertion
        if (one.kind === 'position' && one.holds(text, at)) context |= 1 << i
      }
      return context
    }
    for (const [i, automaton] of this.#lookarounds.entries())
      automaton?.scan(text, contextAt, work, (at) => {
        if (held !== undefined) held[at] = (held[at] as number) | (1 << i)
        return false
      })
    return contextAt
  }
}

/** Undefined for an expression that is invalid or not supported. */
export function linearPattern(source: string, flags = ''): LinearPattern | undefined {
  return patternProblem(source, flags) === undefined ? new LinearPattern(source, flags) : undefined
}

/** Why an expression can't be used; undefined if it can. */
export function patternProblem(source: string, flags = ''): string | undefined {
  try {
    new LinearPattern(source, flags)
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

/** As its author may have meant it without the `u` flag: with escapes that have no meaning (`\-`, `\@`) and single brackets. */
function unicodeSource(source: string, flags: string): string {
  const problem = syntaxProblem(source, flags)
  if (problem === undefined) return source
  if (source.length > MAX_MENDED) throw new ThinkonError('BAD_INPUT', problem)
  const written = source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\\\]])*\]|\{\d+(?:,\d*)?\}|[{}\]]/gu, (part) =>
    /^[{}\]]$/.test(part) ? `\\${part}` : part.replace(/\\[\s\S]/gu, unicodeEscape),
  )
  if (syntaxProblem(written, flags) === undefined) return written
  throw new ThinkonError('BAD_INPUT', problem)
}

function unicodeEscape(pair: string): string {
  const code = pair.codePointAt(1)?.toString(16)
  return /[a-zA-Z\d\s^$\\.*+?()[\]{}|/]/.test(pair.slice(1)) ? pair : `\\u{${code}}`
}

function syntaxProblem(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, [...new Set(`${flags}u`)].join(''))
    return undefined
  } catch (error) {
    return errorText(error)
  }
}
