import { inflateRawSync } from 'node:zlib'
import type { DecodingBudget } from '../protocol/decoding-budget.ts'

/** The text of a body. Throws `TOO_LARGE` beyond the budget, without making the text. */
export function inflate(body: string | Uint8Array, budget: DecodingBudget): string {
  if (typeof body === 'string') return body
  budget.addStored(body.length)
  try {
    const text = inflateRawSync(body, { maxOutputLength: Math.max(1, budget.left) }).toString()
    budget.takeOfWhole(text.length)
    return text
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? budget.exceeded() : error
  }
}
