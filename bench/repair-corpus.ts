/** The corpus of broken replies, and what the reader makes of it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../src/models/structured/check-schema.ts'
import { type Reading, readReply } from '../src/models/structured/read-reply.ts'

export interface BrokenReply {
  readonly id: string
  readonly kind: string
  readonly schema: JsonSchema
  readonly text: string
  /** The one reading that it has, or why it has none. */
  readonly expect: unknown
}

export interface Verdict {
  readonly reply: BrokenReply
  readonly reading: Reading
  /** `missed`: it has a reading and was refused. `misread`: something was read that it does not say. */
  readonly verdict: 'mended' | 'missed' | 'refused' | 'misread'
}

const FOLDER = join(import.meta.dirname, 'repair-corpus')

export function loadCorpus(): BrokenReply[] {
  const schemas = JSON.parse(readFileSync(join(FOLDER, 'schemas.json'), 'utf8')) as Record<string, JsonSchema>
  const lines = globSync('*.jsonl', { cwd: FOLDER })
    .sort()
    .flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n'))
  return lines.map((line) => {
    const reply = JSON.parse(line) as Omit<BrokenReply, 'schema'> & { schema: string }
    return { ...reply, schema: schemas[reply.schema] as JsonSchema }
  })
}

export function isReadable({ expect }: BrokenReply): boolean {
  return expect !== 'ambiguous' && expect !== 'unreadable'
}

export async function judgeReply(reply: BrokenReply): Promise<Verdict> {
  const reading = await readReply(reply.text, reply.schema)
  const was = (verdict: Verdict['verdict']): Verdict => ({ reply, reading, verdict })
  if ('error' in reading) return was(isReadable(reply) ? 'missed' : 'refused')
  return was(isReadable(reply) && isDeepStrictEqual(reading.value, reply.expect) ? 'mended' : 'misread')
}
