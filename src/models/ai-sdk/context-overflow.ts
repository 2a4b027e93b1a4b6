/**
 * Requests that are longer than the model's window: recognized in the words of many servers, and from then on refused here,
 * before they are sent.
 */
import { defined, type ModelRequest, ThinkonError } from '../../protocol/index.ts'
import { countRequestTokens } from '../tokens.ts'

export interface Overflow {
  /** The model's window in tokens, if the server says it. */
  readonly window?: number
  /** How many tokens the request had, if the server says it. */
  readonly tokens?: number
}

/** What an error says about a request that is too long; undefined if it is about something else. */
/** Servers put the figures at the beginning. */
const MAX_READ = 4_000

export function overflowOf(status: number | undefined, message: string): Overflow | undefined {
  const said = message.slice(0, MAX_READ)
  // A rate limit may have the same words.
  if (status === 429 || !OVERFLOW.test(said) || RATE.test(said)) return undefined
  return defined({ window: numberBy(WINDOW, said), tokens: numberBy(TOKENS, said) })
}

const OVERFLOW = new RegExp(
  [
    'context_length_exceeded',
    'exceed_context_size',
    'context[ _-]?(?:length|size|limit|window)',
    '(?:prompt|input|request) is too long',
    'maximum (?:prompt|model|input|sequence) length',
    'exceeds? the maximum number of (?:input )?tokens',
    'exceeded model token limit',
    'prompt exceeds max',
    'range of input length',
    '`?inputs`? tokens \\+ `?max_new_tokens',
    'string_above_max_length',
  ].join('|'),
  'i',
)
const RATE = /tokens? per (?:minute|day)|\bTPM\b|rate limit/i

const N = '(\\d[\\d,_]*)'
const WINDOW = [
  `maximum (?:context|prompt|model|input|sequence)?(?: window)? ?length (?:is|of) (?:only )?${N}`,
  `> ?${N} maximum`,
  `> ?${N}, decrease`,
  `tokens allowed \\(?${N}`,
  `context (?:size|length|window|limit) (?:of |is |\\()(?:only )?${N}`,
  `${N} (?:tokens? )?(?:maximum context|context window)`,
  `token limit: ${N}`,
  `must be <= ${N}`,
  `input length should be \\[\\d+, ?${N}\\]`,
  `"n_ctx": ?${N}`,
].map((pattern) => new RegExp(pattern, 'i'))

const TOKENS = [
  `(?:resulted in|requested(?: about)?|request (?:has|contains)|prompt contains|Given:) ${N}`,
  `too long: ${N} tokens`,
  `token count \\(?${N}`,
  `request \\(${N} tokens`,
  `prompt \\(length ${N}`,
  `"n_prompt_tokens": ?${N}`,
].map((pattern) => new RegExp(pattern, 'i'))

function numberBy(patterns: readonly RegExp[], said: string): number | undefined {
  for (const pattern of patterns) {
    const found = Number(pattern.exec(said)?.[1]?.replace(/[,_]/g, ''))
    if (found > 0) return found
  }
  return undefined
}

/** No server has a smaller window. */
const SHORT = 1_000

/** What one model has learned from the requests that its server refused as too long. */
export class LearnedWindow {
  private window: number | undefined
  /** In tokens as they are counted here: what is longer will be refused, too. */
  private limit = Infinity
  private isConfirmed = false

  /** Throws CONTEXT_OVERFLOW if the request is longer than what was refused before. */
  check(request: ModelRequest, id: string): void {
    if (this.limit === Infinity) return
    const tokens = countRequestTokens(request)
    if (tokens <= this.limit) return
    const window =
      this.window === undefined ? 'what the server accepts' : `the window of ${this.window} tokens`
    throw new ThinkonError(
      'CONTEXT_OVERFLOW',
      `${id}: the request has about ${tokens} tokens, more than ${window}: it was not sent`,
      { data: { ...defined({ window: this.window }), tokens } },
    )
  }

  /** Throws CONTEXT_OVERFLOW if the server can't have read the request whole. Asks once, for the first that is not short. */
  async confirm(
    request: ModelRequest,
    id: string,
    loadedWindow: () => Promise<number | undefined>,
  ): Promise<void> {
    if (this.isConfirmed) return
    const tokens = countRequestTokens(request)
    if (tokens < SHORT) return
    this.isConfirmed = true
    const window = await loadedWindow()
    if (window === undefined) return
    this.window = window
    this.limit = Math.min(this.limit, window)
    if (tokens <= window) return
    throw new ThinkonError(
      'CONTEXT_OVERFLOW',
      `${id}: the request has about ${tokens} tokens, and the server reads ${window}: ` +
        'it has dropped the rest without saying so; set OLLAMA_CONTEXT_LENGTH for the server, or num_ctx in the model file',
      { data: { window, tokens } },
    )
  }

  learn({ data }: ThinkonError, request: ModelRequest): void {
    const { window, tokens } = data as Overflow
    const counted = countRequestTokens(request)
    // The server counts in its own tokens: both its figures together say what its window is in ours.
    const limit = window !== undefined && tokens !== undefined ? (counted * window) / tokens : counted - 1
    this.limit = Math.min(this.limit, Math.floor(limit), counted - 1)
    this.window = window ?? this.window
  }
}
