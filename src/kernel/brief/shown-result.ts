/** How the result of a tool stands in a conversation: whole, shortened, and as the line that remains of it. */
import { isObject, type Result } from '../../protocol/index.ts'
import { fence } from '../fence.ts'
import { leftOutMark } from '../left-out.ts'
import { personSays } from './person-says.ts'
import { callText, MAX_ERROR } from './turn.ts'
import { valueText } from './value-text.ts'

/** A tool call with its result, and where the journal has it. */
export interface Answered {
  readonly call: { readonly id?: string; readonly name: string; readonly input: unknown }
  readonly result: Result
  readonly ref: string
}

export interface ShownResult {
  /** How much of it could be left out, in characters. */
  readonly length: number
  /** What remains when it is folded; null: it stays whole. */
  readonly line: string | null
  text(maxChars: number): string
}

export function shownResult({ call, result, ref }: Answered): ShownResult {
  if (!result.ok) {
    const { code, message } = result.error
    // The words of an error survive: what failed is not to be tried again in the same way.
    const line = `${callText(call)} failed: ${fence('error', message, { maxChars: MAX_ERROR, ref })}`
    const advice = code === 'DENIED' && call.name !== ASK_USER ? `\n${AFTER_DENIAL}` : ''
    const text = (maxChars: number) =>
      `It failed (${code}): ${fence(call.name, message, { maxChars, ref })}${advice}`
    return { length: message.length, line, text }
  }
  // A person's answer is an instruction, not data from outside (B7).
  if (call.name === ASK_USER)
    return { length: 0, line: null, text: () => personSays(valueText(result.value)) }
  const read = call.name === READ_RESULT ? readPart(result.value) : null
  if (read !== null) return read
  const text = valueText(result.value)
  // What is as short as the words that would stand for it stays.
  const remains =
    text.length <= MAX_SHORT ? fence(call.name, text) : `[${leftOutMark(text.length, text.length, ref)}]`
  const line = `${callText(call)} ${remains}`
  return { length: text.length, line, text: (maxChars) => fence(call.name, text, { maxChars, ref }) }
}

const MAX_SHORT = 80

/** Not in the fence: it is an instruction. */
const AFTER_DENIAL =
  "Don't look for a way around this. Do what is allowed, go on without the rest, and say in the end what was not done."

/** A part that was read stands raw. If there is no room for all of it, it ends early and says where to read on. */
function readPart(value: unknown): ShownResult | null {
  if (!isObject(value) || typeof value.text !== 'string' || typeof value.ref !== 'string') return null
  const { text, ref, total } = value
  const from = Number(value.from ?? 0)
  return {
    length: text.length,
    line: `read ${ref} from ${from} to ${from + text.length}`,
    text(maxChars) {
      const part = whole(text.slice(0, maxChars))
      const end = from + part.length
      const rest = Number(total) - end
      const more = rest > 0 ? `\n[${leftOutMark(rest, Number(total), ref, end)}]` : ''
      return `Characters ${from} to ${end} of ${total}:\n${fence(ref, part)}${more}`
    },
  }
}

/** The tool that reads what was shortened. */
export const READ_RESULT = 'read_result'
/** The tool by which a model asks a person. */
export const ASK_USER = 'ask_user'

/** Without half of a character at its end. */
function whole(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
