/**
 * How long a reply one model gives: what is asked for, as far as its window and its server allow. What a server has refused is
 * remembered.
 */
import type { ModelRequest, ThinkonError } from '../../protocol/index.ts'
import { countRequestTokens } from '../tokens.ts'

/** Room that is not worth a request. */
const LEAST_ROOM = 256
/** Of the window, kept free for what is counted differently there. */
const MARGIN = 64

export class ReplyRoom {
  private window: number | undefined
  /** How many tokens the server counts where one is counted here. */
  private ratio = 1.1
  /** The most that the server has said to give. */
  private most = Infinity

  constructor(window: number | undefined) {
    this.window = window
  }

  /** What the provider is told. */
  limit(request: ModelRequest, asked: number): number {
    if (this.window === undefined) return Math.min(asked, this.most)
    const left = this.window - Math.ceil(countRequestTokens(request) * this.ratio) - MARGIN
    return Math.min(asked, this.most, Math.max(left, LEAST_ROOM))
  }

  /** Whether the server refused the length that was asked for, and would take less. */
  refused(error: ThinkonError, request: ModelRequest, told: number | undefined): boolean {
    if (told === undefined || told <= LEAST_ROOM || !ABOUT_LENGTH.test(error.message)) return false
    if (error.code !== 'CONTEXT_OVERFLOW')
      return isBadRequest(error) && this.refusedAtAll(error.message, told)
    if (typeof error.data.window === 'number') return this.refusedInWindow(error, request, told)
    // Some name the window where they mean the length.
    return mostIn(error.message) !== undefined && this.refusedAtAll(error.message, told)
  }

  /** Prompt and reply together are longer than the window, and the prompt alone is not. */
  private refusedInWindow({ message, data }: ThinkonError, request: ModelRequest, told: number): boolean {
    const counted = countRequestTokens(request)
    const input = numberIn(message, INPUT) ?? counted
    const window = typeof data.window === 'number' ? data.window : undefined
    if (window === undefined || window - input < LEAST_ROOM + MARGIN) return false
    this.window = Math.min(window, this.window ?? Infinity)
    this.ratio = Math.max(this.ratio, input / Math.max(1, counted))
    return this.limit(request, told) < told
  }

  private refusedAtAll(message: string, told: number): boolean {
    if (!TOO_LONG.test(message)) return false
    const most = mostIn(message)
    this.most = most !== undefined && most > 0 && most < told ? most : Math.floor(told / 2)
    return true
  }
}

function isBadRequest({ code, data }: ThinkonError): boolean {
  return code === 'MODEL_ERROR' && (data.status === 400 || data.status === 422)
}

const ABOUT_LENGTH = /max_?(?:completion_?|output_?|new_?)?tokens|in the completion|output tokens/i
const TOO_LONG =
  /too (?:large|high|long|many)|at most|maximum|less than|exceed|range|must be|greater than| > ?\d/i

const N = '`?(\\d[\\d,_]*)'
const MOST = [
  `at most ${N}`,
  `> ?${N}, which is the maximum`,
  `less than or equal to ${N}`,
  `range (?:of max_tokens )?is \\[\\d+, ?${N}\\]`,
  `to ${N} \\((?:ex|in)clusive`,
  `must be <= ?${N}`,
  `maximum(?: value| allowed)?(?: for [^.]*?)? (?:is|of|:) ?${N}`,
].map((pattern) => new RegExp(pattern, 'i'))

const INPUT = [
  `\\(${N} in the messages`,
  `: ${N} \\+ ${N.replace('(', '(?:')} ?>`,
  `has ${N} input tokens`,
  `Given: ${N}`,
].map((pattern) => new RegExp(pattern, 'i'))

function mostIn(message: string): number | undefined {
  const found = numberIn(message, MOST)
  return found !== undefined && /\d \(exclusive/.test(message) ? found - 1 : found
}

function numberIn(message: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(message)?.[1]
    if (found !== undefined) return Number(found.replace(/[,_]/g, ''))
  }
  return undefined
}
