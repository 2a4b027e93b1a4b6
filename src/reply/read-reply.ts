/**
 * From what a model said to a value that fits the schema, or to why there is none.
 *
 * 1. A value is returned only when it fits the schema.
 * 2. Every change that reading took is named in `repairs`; none changes the type of a value ("3" is no number).
 * 3. Two different values that fit are refused, and so is one that is followed by another that was meant and can't be read.
 * 4. It never throws for what a model says, and takes time in proportion to its length.
 */

import { parseJson } from '../protocol/index.ts'
import { checkSchema, type JsonSchema } from '../schema/check-schema.ts'
import { decodedText, type Inner } from './decoded-text.ts'
import { type Findings, findValues } from './find-values.ts'
import { judgeJson, judgeMisfits } from './judge-json.ts'
import { judgeYaml } from './judge-yaml.ts'
import { ambiguous, invalid, type Reading, unreadable } from './reading.ts'
import type { Read, Repair } from './repair.ts'
import { mistypedName } from './rivals.ts'
import { allNames } from './schema-forms.ts'
import { settleTexts } from './settle-texts.ts'
import { saysTwice } from './strict-json.ts'
import { withoutSpans } from './thinking.ts'

export type { Reading, Refused } from './reading.ts'
export type { Read }

export async function readReply(text: string, schema: JsonSchema): Promise<Reading> {
  const reading = await read(text, schema, false)
  if ('error' in reading) return reading
  const mistyped = mistypedName(reading.value, schema)
  if (mistyped !== null) return unreadable(mistyped)
  const settled = settleTexts(reading.value, text)
  if ('why' in settled) return ambiguous(settled.why)
  if (settled.value === reading.value) return reading
  const violations = checkSchema(settled.value, schema)
  if (violations.length > 0) return invalid(violations)
  return { value: settled.value, repairs: [...new Set<Repair>([...reading.repairs, 'escapes-repaired'])] }
}

/** `isInner`: the text was inside another, which happens once. */
async function read(text: string, schema: JsonSchema, isInner: boolean): Promise<Reading> {
  const scalar = wholeScalar(text)
  if (scalar !== undefined) return fromScalar(scalar, schema, isInner)
  if (text.length > MAX_MENDED) return wholeJson(text, schema)
  const known = allNames(schema)
  const findings = findValues(text, known)
  const encoded = isInner ? null : encodedText(text, findings)
  const decoded = encoded === null ? null : await inside(encoded.text, schema, encoded.repair)
  if (decoded !== null && !('error' in decoded)) return decoded
  const json = judgeJson(text, findings, schema)
  if (json !== null && (!('error' in json) || json.kind !== 'unreadable')) return json
  const inner = isInner ? null : innerText(text, findings, known)
  if (inner !== null) return inside(inner.text, schema, inner.repair)
  if (json !== null) return json
  const yaml = await judgeYaml(text, findings, schema, known)
  const isUnreadable = 'error' in yaml && yaml.kind === 'unreadable'
  return (isUnreadable ? judgeMisfits(text, findings, schema) : null) ?? yaml
}

/** Repair takes some microseconds for each character, and holds the process. */
const MAX_MENDED = 256 * 1024

/** A long reply must be proper JSON, in one fence or none. */
function wholeJson(text: string, schema: JsonSchema): Reading {
  const trimmed = text.trim()
  const opening = /^```(?:json)?[ \t]*\n/.exec(trimmed)?.[0]
  const json = opening === undefined ? trimmed : trimmed.slice(opening.length).replace(/```$/, '')
  const value = parseJson(json)
  if (value === undefined || saysTwice(json.trim()))
    return unreadable(
      `it is longer than ${MAX_MENDED} characters, and nothing but one JSON value is read of such a reply`,
    )
  const violations = checkSchema(value, schema)
  if (violations.length > 0) return invalid(violations)
  return { value, repairs: opening === undefined ? [] : ['fence-removed'] }
}

async function fromScalar(scalar: unknown, schema: JsonSchema, isInner: boolean): Promise<Reading> {
  const violations = checkSchema(scalar, schema)
  if (violations.length === 0) return { value: scalar, repairs: [] }
  if (typeof scalar === 'string' && !isInner) return inside(scalar, schema, 'double-encoded')
  return invalid(violations)
}

/** What a text says whose brackets and quotes are encoded: objects that stand in its texts as they are, are not the value. */
function encodedText(text: string, { thinking }: Findings): Inner | null {
  return ENCODED.test(text) ? decodedText(withoutSpans(text, thinking)) : null
}

const ENCODED = /[{[]\s{0,20}(?:\\n\s{0,20})?(?:\\"|&quot;|&#34;|&#x22;)/i

/** What the text says when it is decoded, or when the brackets around it were left out. */
function innerText(text: string, { thinking }: Findings, known: ReadonlySet<string>): Inner | null {
  const decoded = decodedText(withoutSpans(text, thinking))
  if (decoded !== null) return decoded
  const first = /^\s*"([^"\n]{1,60})"\s*:/.exec(text)?.[1]
  return first !== undefined && known.has(first) ? { text: `{${text}}`, repair: 'brackets-repaired' } : null
}

/** A reply inside a reply. What was wrong inside is what is wrong. */
async function inside(text: string, schema: JsonSchema, repair: Repair): Promise<Reading> {
  const reading = await read(text, schema, true)
  return 'error' in reading ? reading : { ...reading, repairs: [repair, ...reading.repairs] }
}

/** A number, text, true, false or null that is all of the reply. */
function wholeScalar(text: string): unknown {
  const trimmed = text.trim()
  return /^[{[]/.test(trimmed) ? undefined : parseJson(trimmed)
}
