/** Files of runs that expand to far more than their size. */
import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { DEFAULT_LIMITS } from '../../src/protocol/index.ts'

const MIB = 1024 * 1024

/** `mib`: what the bomb expands to, about. */
export const BOMBS: Readonly<Record<string, (mib: number) => object[]>> = {
  /** One compressed row. */
  row: (mib) => [note('x'.repeat(mib * MIB))],
  /** Many compressed rows, each below the limit. */
  rows: (mib) => Array.from({ length: Math.ceil(mib / 50) }, () => note('x'.repeat(50 * MIB))),
  /** A conversation that grows by a large message with each request. */
  chain: (mib) =>
    Array.from({ length: Math.ceil(mib / 30) }, (_, i) =>
      request('x'.repeat(30 * MIB), i === 0 ? null : { seq: i + 1, messages: i }),
    ),
  /** Requests that refer to the one before the last: each is put together from half of all others. */
  walks: (mib) =>
    Array.from({ length: 40 * mib }, (_, i) => request('x', i < 2 ? null : { seq: i, messages: 1 })),
}

function request(content: string, previous: object | null): object {
  return row('model-start', {
    n: 1,
    reserve: { calls: 1, tokens: 1, costUsd: 0 },
    request: { kind: 'k', version: 1, role: 'plan', messages: [{ role: 'user', content }] },
    ...(previous && { previous: { parts: 0, same: [], ...previous } }),
  })
}

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
    thinkon: 'journal',
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
  return row('note', { n: 1, name: 'note', data })
}

function row(type: string, fields: object): object {
  const body = JSON.stringify([0, fields])
  const stored =
    body.length < MIB ? { body } : { deflated: deflateRawSync(body, { level: 9 }).toString('base64') }
  return { row: { at: 1_000, type, path: '1', count: 1, ...stored } }
}
