/** Files of runs that expand to far more than their size. */
import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { DEFAULT_LIMITS } from '../../src/protocol/index.ts'
import { keyOf } from '../../src/store/texts.ts'

const MIB = 1024 * 1024

/** `mib`: what the bomb expands to, about. */
export const BOMBS: Readonly<Record<string, (mib: number) => object[]>> = {
  /** One compressed text. */
  blob(mib) {
    const { line, key } = blobOf('x'.repeat(mib * MIB))
    return [line, note({ text: `¶t${key}` })]
  },
  /** Many compressed texts, each below the limit. */
  blobs(mib) {
    const each = Array.from({ length: Math.ceil(mib / 50) }, (_, i) => blobOf(`${i}${'x'.repeat(50 * MIB)}`))
    return each.flatMap(({ line, key }) => [line, note({ text: `¶t${key}` })])
  },
  /** Many references to one text. */
  repeats(mib) {
    const { line, key } = blobOf('x'.repeat(MIB))
    return [line, note(Array.from({ length: mib }, () => `¶t${key}`))]
  },
  /** Lists of tools that a request refers to many times. */
  values(mib) {
    const { line, key } = blobOf(JSON.stringify(Array.from({ length: MIB / 2 }, () => 1)))
    return [line, note(Array.from({ length: mib }, () => `¶j${key}`))]
  },
  /** Requests that are edits of the one before, twice its text. */
  edits(mib) {
    const requests: object[] = [request(2, 'x'.repeat(300))]
    let length = 300
    while (length < mib * MIB) {
      requests.push(request(requests.length + 2, { like: requests.length + 1, edit: [0, length, 0, length] }))
      length *= 2
    }
    return requests
  },
  /** A conversation in which every message is the same large one. */
  chain(mib) {
    const text = blobOf('x'.repeat(MIB))
    const lines: object[] = [text.line]
    let before: string | null = null
    for (let i = 0; i < mib; i++) {
      const link = blobOf(JSON.stringify([before, { role: 'user', content: `¶t${text.key}` }]))
      lines.push(link.line)
      before = link.key
    }
    return [...lines, row('model-start', [{ ...START_REQUEST, request: { ...REQUEST, messages: [before] } }])]
  },
}

const REQUEST = { kind: 'k', version: 1, role: 'plan' }
const START_REQUEST = { n: 1, reserve: { calls: 1, tokens: 1, costUsd: 0 } }

/** The file of a run with the bomb. */
export function bombFile(name: string, mib: number, run = 'bomb'): string {
  const bomb = (BOMBS[name] as (mib: number) => object[])(mib)
  const start = {
    format: 1,
    goal: 'a goal',
    strategy: 'minimal@1',
    options: {},
    limits: DEFAULT_LIMITS,
    seed: 's',
    config: { thinkon: '0' },
  }
  const rows = [row('run-start', start), ...bomb, row('run-end', { status: 'partial' })]
  const events = rows.filter((line) => 'row' in line).length
  const header = {
    thinkon: 'run',
    version: 1,
    run,
    events,
    createdAt: new Date(1_000).toISOString(),
    forkOf: null,
  }
  const lines = [header, ...rows]
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  return `${text}${JSON.stringify({ end: { lines: lines.length, sha256 } })}\n`
}

function note(data: unknown): object {
  return row('note', [{ n: 1, name: 'note', data }])
}

function request(_seq: number, content: unknown): object {
  const messages = [{ role: 'user', content }]
  return row('model-start', [{ ...START_REQUEST, request: { ...REQUEST, messages } }])
}

function row(type: string, body: object): object {
  return { row: { at: 1_000, type, path: '1', body: JSON.stringify(body), blob: null, count: 1 } }
}

function blobOf(text: string): { line: object; key: string } {
  const key = keyOf(text)
  return { key, line: { blob: key, deflated: deflateRawSync(text, { level: 9 }).toString('base64') } }
}
