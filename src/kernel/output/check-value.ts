/**
 * The check of a run's value against its `output`: by the JSON Schema that is recorded with the run and, where its caller is in this
 * process, by the caller's own schema, which may be asynchronous and check what JSON Schema can't express. It is a step like any other:
 * a run that is executed again goes by what is recorded, whatever the caller's schema says then.
 */
import { parseJson } from '../../protocol/index.ts'
import { type Reading, type Refused, readReply } from '../../reply/read-reply.ts'
import { checkSchema, type JsonSchema, violationText } from '../../schema/check-schema.ts'
import type { Checked } from '../ask-until-valid.ts'
import { checkedValue } from '../checked-value.ts'
import type { Effect, EffectIo, Performed } from '../durable.ts'
import type { Candidate, OwnCheck } from './candidate.ts'

export async function performCheckValue(
  effect: Effect & { kind: 'tool' },
  io: EffectIo,
  ownCheck: OwnCheck | undefined,
): Promise<Performed> {
  const { output = {} } = io.config
  const fits = await fitting(effect.input as Candidate, output)
  const problems = fits.ok ? ((await ownCheck?.(io.run, fits.value)) ?? []) : []
  const checked: Checked<unknown> = problems.length > 0 ? { ok: false, problems } : fits
  return { value: checked, usage: { inputTokens: 0, outputTokens: 0 }, isFree: true }
}

async function fitting(candidate: Candidate, schema: JsonSchema): Promise<Checked<unknown>> {
  if ('value' in candidate) return checkedValue(candidate.value, schema, WHOLE)
  const text = candidate.text.trim()
  if (schema.type === 'string') {
    const quoted = parseJson(text)
    return checkedValue(typeof quoted === 'string' ? quoted : text, schema, WHOLE)
  }
  const reading = await readReply(text, schema)
  if ('error' in reading) return { ok: false, problems: problemsOf(reading) }
  const doubt = doubtAbout(reading, schema)
  return doubt === null ? { ok: true, value: reading.value } : { ok: false, problems: [doubt] }
}

const WHOLE = 'the value'

function problemsOf({ violations, error }: Refused): string[] {
  return violations.length > 0 ? violations.map((one) => violationText(one, WHOLE)) : [error]
}

/** The text was written for a person, perhaps by somebody who was not told of the schema: what only looks like the value is not it. */
function doubtAbout({ repairs }: Exclude<Reading, Refused>, schema: JsonSchema): string | null {
  if (repairs.some((repair) => GUESSED.has(repair))) return 'it is not written as JSON'
  const isAny = [{}, []].some((empty) => checkSchema(empty, schema).length === 0)
  return isAny && repairs.includes('prose-removed') ? 'there is text around the JSON' : null
}

const GUESSED: ReadonlySet<string> = new Set([
  'yaml-read',
  'yaml-repaired',
  'words-quoted',
  'brackets-repaired',
  'cut-off-closed',
])
