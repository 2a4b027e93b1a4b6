/** The share of the broken replies in repair-corpus/ with exactly one reading that is repaired; none may be misread. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Reading, readReply } from '../src/reply/read-reply.ts'
import type { JsonSchema } from '../src/schema/check-schema.ts'
import type { Figures } from './index.ts'
import { median, rounded } from './measure.ts'

export const about = 'broken replies of models: the share of those with one reading that is repaired'

export interface BrokenReply {
  readonly id: string
  readonly kind: string
  readonly schema: JsonSchema
  readonly text: string
  /** Its only reading, or why there is none. */
  readonly expect: unknown
}

export interface Judgement {
  readonly reply: BrokenReply
  readonly reading: Reading
  /** `missed`: it has a reading but was refused. `misread`: something was read that it does not say. */
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

export async function judgeReply(reply: BrokenReply): Promise<Judgement> {
  const reading = await readReply(reply.text, reply.schema)
  const was = (verdict: Judgement['verdict']): Judgement => ({ reply, reading, verdict })
  if ('error' in reading) return was(isReadable(reply) ? 'missed' : 'refused')
  return was(isReadable(reply) && isDeepStrictEqual(reading.value, reply.expect) ? 'mended' : 'misread')
}

const ROUNDS = 15

export async function run(): Promise<Figures> {
  const corpus = loadCorpus()
  const times: number[] = []
  let verdicts: Judgement[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint()
    verdicts = []
    for (const reply of corpus) verdicts.push(await judgeReply(reply))
    times.push(Number(process.hrtime.bigint() - start) / 1e3 / corpus.length)
  }
  const count = (wanted: Judgement['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length
  const readable = corpus.filter(isReadable).length
  const mended = count('mended')
  const share = rounded(mended / readable, 3)
  const misread = count('misread')
  const usPerReply = rounded(median(times), 1)
  const missed = verdicts.filter(({ verdict }) => verdict === 'missed').map(({ reply }) => reply.id)
  return {
    figures: {
      replies: corpus.length,
      readable,
      mended,
      share,
      refused: count('refused'),
      misread,
      usPerReply,
    },
    lines: [
      `${mended} of ${readable} readable replies mended: ${share} (goal 0.9); not mended: ${missed.join(', ') || 'none'}`,
      `${count('refused')} of ${corpus.length - readable} without one reading refused, ${misread} misread (goal 0)`,
      `${usPerReply} µs per reply`,
    ],
  }
}
