/**
 * The texts of a `plan-next`: no paths into the runtime's folder, and in goals and plans nothing that differs from one planning
 * to the next, such as timestamps and random names. A plain date or time of day is allowed: a goal may be about it.
 */
import { type JsonObject, type Report, walk } from './check-fields.ts'

export function checkTexts(value: JsonObject, given: readonly string[], report: Report): void {
  const isGiven = (found: string) => given.some((text) => text.includes(found))
  for (const { where, value: text } of walk(value)) {
    if (typeof text !== 'string') continue
    // A command reaches the folder by its bare name, too; a text that only mentions it does not.
    const own = where === 'executor_call.command' ? OWN_FOLDER : OWN_PATH
    if (own.test(text)) report('THINKON_PATH', where)
    if (!UNSTABLE_MATTERS.test(where)) continue
    const timestamp = timestampIn(text, isGiven)
    if (timestamp !== undefined) report('TIMESTAMP', where, timestamp)
    const random = randomIn(text, isGiven)
    if (random !== undefined) report('RANDOM_TEXT', where, random)
  }
}

const OWN_PATH = /(?<![\w.-])\.thinkon[/\\]/i
const OWN_FOLDER = /(?<![\w.-])\.thinkon(?![\w.-])/i
const UNSTABLE_MATTERS = /^(?:new_block\.(?:goal|plan)|update_plan)\b/

const TIMESTAMPS = [
  // 2026-11-15T07:35, 2026/11/15 07:35:32.123Z, 2026年11月15日 07:35
  /(?<!\d)(?:19|20)\d{2}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[T\s_,，-]{0,2}\d{1,2}[:：时h]\d{2}(?:[:：分]\d{2}(?:\.\d+)?)?秒?(?:Z|[+-]\d{2}:?\d{2})?/u,
  // 20261115T073532Z, 20261115-073532, 20261115073532
  /(?<!\d)20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[T_-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?!\d)/,
  // Seconds or milliseconds since 1970, of 2017 to 2033; not where it is a number to calculate with.
  /(?<![\d.]|[*+×÷^/%=(]\s*)1[5-9]\d{8}(?:\d{3})?(?!\d|\.\d|\s*[*+×÷^%=)])/,
]

const RANDOM = [
  { form: /(?<![\da-f-])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-f-])/i, name: 'the UUID' },
  // Letters and digits both: neither a word nor a number. From 32 on, so that short commit names pass.
  { form: /(?<![\da-z])(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{32,}(?![\da-z])/i, name: 'the long hexadecimal' },
]

function timestampIn(text: string, isGiven: (found: string) => boolean): string | undefined {
  return TIMESTAMPS.map((form) => form.exec(text)?.[0]).find(
    (found) => found !== undefined && !isGiven(found),
  )
}

function randomIn(text: string, isGiven: (found: string) => boolean): string | undefined {
  for (const { form, name } of RANDOM) {
    const found = form.exec(text)?.[0]
    if (found !== undefined && !isGiven(found)) return `${name} ${found}`
  }
  return undefined
}
