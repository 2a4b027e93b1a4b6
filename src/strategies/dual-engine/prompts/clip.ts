/**
 * Cutting texts by what they cost: so many tokens are more characters in English than in Chinese. A prompt whose parts are all
 * cut this way is bounded in any language.
 */

import { estimateTokens } from '../../../kernel/budget.ts'
import { type FenceOptions, fence } from '../../../kernel/fence.ts'
import { shorten } from '../../../protocol/index.ts'

const CHARS_PER_TOKEN = 3

/** The text, or its beginning in about so many tokens. */
export function clip(text: string, maxTokens: number): string {
  return estimateTokens(text) <= maxTokens ? text : shorten(text, roomFor(text, maxTokens))
}

/** In a fence: head and tail in about so many tokens. */
export function clipFence(
  label: string,
  text: string,
  maxTokens: number,
  options: Pick<FenceOptions, 'ref'> = {},
): string {
  const maxChars = estimateTokens(text) <= maxTokens ? text.length : roomFor(text, maxTokens)
  return fence(label, text, { ...options, maxChars })
}

/** What is plain letters at both ends may be three times as long; a character never takes more than a token. */
function roomFor(text: string, maxTokens: number): number {
  const chars = maxTokens * CHARS_PER_TOKEN
  const half = Math.ceil(chars / 2)
  const head = estimateTokens(text.slice(0, chars))
  const ends = estimateTokens(text.slice(0, half)) + estimateTokens(text.slice(-half))
  return Math.max(head, ends) <= maxTokens * 1.1 ? chars : maxTokens
}
