/**
 * The share of the broken replies with exactly one reading that is repaired; none may be misread. Two corpora: the readers were
 * written with repair-corpus/ in view; repair-corpus-2/ was made by other rules, and one third of it is for nobody to read.
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
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

const FIRST = join(import.meta.dirname, 'repair-corpus')
export const SECOND = join(import.meta.dirname, 'repair-corpus-2')
export const UNREAD = join(SECOND, 'unread.jsonl.gz')

export function loadCorpus(): BrokenReply[] {
  return fromLines(linesIn(FIRST))
}

/** The two thirds of the second corpus that may be read, or the third that may not: the readers must not be fitted to it. */
export function loadSecondCorpus(part: 'read' | 'unread'): BrokenReply[] {
  return fromLines(
    part === 'read' ? linesIn(SECOND) : gunzipSync(readFileSync(UNREAD)).toString().split('\n'),
  )
}

/** Which third of the second corpus a reply belongs to is decided by its id alone. */
export function isUnread(id: string): boolean {
  return (createHash('sha256').update(id).digest()[0] as number) % 3 === 0
}

function linesIn(folder: string): string[] {
  const files = globSync('*.jsonl', { cwd: folder }).sort()
  return files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
}

function fromLines(lines: readonly string[]): BrokenReply[] {
  return withSchemas(lines.filter((line) => line !== '').map((line) => JSON.parse(line)))
}

/** Replies that name their schemas, with the schemas. */
export function withSchemas(
  replies: readonly (Omit<BrokenReply, 'schema'> & { schema: string })[],
): BrokenReply[] {
  const schemas = { ...schemasIn(FIRST), ...schemasIn(SECOND) }
  return replies.map((reply) => {
    const schema = schemas[reply.schema]
    if (schema === undefined) throw new Error(`${reply.id}: there is no schema "${reply.schema}"`)
    return { ...reply, schema }
  })
}

function schemasIn(folder: string): Record<string, JsonSchema> {
  return JSON.parse(readFileSync(join(folder, 'schemas.json'), 'utf8')) as Record<string, JsonSchema>
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

/** `--unread` also judges the unread third of the second corpus: for the end, when the readers are done. */
export async function run(): Promise<Figures> {
  const corpus = loadCorpus()
  const times: number[] = []
  let verdicts: Judgement[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint()
    verdicts = await judgeAll(corpus)
    times.push(Number(process.hrtime.bigint() - start) / 1e3 / corpus.length)
  }
  const first = tally(verdicts)
  const share = rounded(first.mended / first.readable, 3)
  const usPerReply = rounded(median(times), 1)
  const read = await judgeAll(loadSecondCorpus('read'))
  const unread = process.argv.includes('--unread') ? await judgeAll(loadSecondCorpus('unread')) : undefined
  return {
    figures: {
      ...first,
      share,
      usPerReply,
      second: tally(read),
      ...(unread && { unread: tally(unread) }),
    },
    lines: [
      ...summary(verdicts, 'goal 0.9'),
      `${usPerReply} µs per reply`,
      'second corpus, the two thirds that may be read:',
      ...summary(read, 'goal 0.95'),
      ...(unread ? ['second corpus, the unread third:', ...summary(unread, 'goal 0.95')] : []),
    ],
  }
}

async function judgeAll(corpus: readonly BrokenReply[]): Promise<Judgement[]> {
  const judgements: Judgement[] = []
  for (const reply of corpus) judgements.push(await judgeReply(reply))
  return judgements
}

function tally(
  judgements: readonly Judgement[],
): Record<'replies' | 'readable' | Judgement['verdict'], number> {
  const count = (wanted: Judgement['verdict']) =>
    judgements.filter(({ verdict }) => verdict === wanted).length
  return {
    replies: judgements.length,
    readable: judgements.filter(({ reply }) => isReadable(reply)).length,
    mended: count('mended'),
    refused: count('refused'),
    missed: count('missed'),
    misread: count('misread'),
  }
}

function summary(judgements: readonly Judgement[], goal: string): string[] {
  const { replies, readable, mended, refused, misread } = tally(judgements)
  const ids = (wanted: Judgement['verdict']) =>
    judgements
      .filter(({ verdict }) => verdict === wanted)
      .map(({ reply }) => reply.id)
      .join(', ') || 'none'
  return [
    `${mended} of ${readable} readable replies mended: ${rounded(mended / readable, 3)} (${goal}); not mended: ${ids('missed')}`,
    `${refused} of ${replies - readable} without one reading refused, ${misread} misread (goal 0): ${ids('misread')}`,
  ]
}
