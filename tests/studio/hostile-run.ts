/** A run whose every text is hostile to a page, in a store. */
import type { Draft } from '../../src/kernel/store.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { kept, left, usage } from '../views/journal.ts'

export const LEVELS = 300
export const LINE_CHARS = 1_000_000

const MARKUP =
  '<script>window.hacked = 1</script><img src="https://evil.example/a.png" onerror="window.hacked = 2">' +
  '<iframe src="javascript:window.hacked = 3"></iframe><a href="javascript:window.hacked = 4">[x](javascript:hacked)</a>'
/** Overrides that nothing ends, and marks that nobody sees. */
const DIRECTION = '\u202etxet\u2066\u200b\u200f\u0000\ufeff'
export const EVIL = `${DIRECTION}${MARKUP}\u001b[2J`
const LINE = 'w'.repeat(LINE_CHARS)

export function writeHostileRun(file: string, id: string, hasEnded: boolean): void {
  const drafts: Draft[] = []
  const startMs = Date.parse('2026-03-04T05:06:07.000Z')
  const add = (path: string, body: object) =>
    void drafts.push({ ...body, path, atMs: startMs + drafts.length } as Draft)
  const limits = { depth: LEVELS, tokens: 1e9, calls: 1e6, timeMs: 1e9, costUsd: 1e300 }
  const goal = `${EVIL} goal`
  const begun = { type: 'run-start', format: 1, goal, strategy: 'fractal', options: {} }
  add('1', { ...begun, limits, seed: 's', config: { thinkon: '0', model: EVIL } })
  const paths = Array.from({ length: LEVELS }, (_, level) => `1${'-1'.repeat(level)}`)
  for (const path of paths)
    add(path, { type: 'block-start', n: 0, goal, strategy: 'fractal@3', options: {}, kept, left })
  const deep = JSON.parse(`${'{"__proto__":'.repeat(LEVELS)}1e308${'}'.repeat(LEVELS)}`)
  const messages = [{ role: 'user', content: `# ${EVIL}\n${LINE}` }]
  const request = { kind: 'fractal/think', version: 1, role: 'plan', messages, settings: {} }
  add('1', { type: 'todo-set', n: 1, todo: [EVIL, LINE, '__proto__'] })
  add('1', { type: 'model-start', n: 2, request, reserve: kept })
  const value = { text: `${EVIL}${LINE}`, usage, value: { constructor: EVIL, deep } }
  add('1', {
    type: 'model-end',
    n: 2,
    result: { ok: true, value },
    usage: { ...usage, costUsd: 1e200 },
    left,
  })
  const input = { path: `../${EVIL}`, content: `${EVIL}\n${LINE}\n` }
  add('1', { type: 'tool-start', n: 3, name: 'write_file', input, access: 'write', reserve: kept })
  add('1', { type: 'tool-end', n: 3, result: { ok: true, value: { [EVIL]: LINE, deep } }, usage, left })
  add('1', { type: 'tool-start', n: 4, name: EVIL, input: deep, access: 'read', reserve: kept })
  const error = { code: 'TOOL_FAILED', message: `${EVIL}${LINE}`, retryable: false }
  add('1', { type: 'tool-end', n: 4, result: { ok: false, error }, usage, left })
  add('1', { type: 'note', n: 5, name: '__proto__', data: { text: EVIL, score: 1e308, deep } })
  if (hasEnded) {
    for (const path of paths.toReversed()) {
      const outcome = { status: 'completed', result: `${EVIL} ${path === '1' ? LINE : ''}`, usage }
      add(path, { type: 'block-end', n: 9, outcome, left })
    }
    add('1', { type: 'run-end', status: 'completed' })
  } else {
    const question = { text: `${EVIL} question ${LINE}\n${LINE}`, choices: [EVIL, '__proto__'] }
    add('1', { type: 'signal-asked', n: 6, name: 'ask', question })
    const permission = { tool: 'write_file', input }
    add('1-1', {
      type: 'signal-asked',
      n: 6,
      name: 'permit',
      question: { text: `${EVIL} may I?`, permission },
    })
  }
  if (!hasEnded) {
    const schema = {
      type: 'object',
      description: EVIL,
      properties: {
        [`${EVIL}${LINE}`.slice(0, 400)]: { enum: [EVIL, LINE.slice(0, 9_000)] },
        __proto__: { type: 'string', description: EVIL },
        [EVIL]: { type: 'array', items: { $ref: '#' }, minItems: 1 },
        [`${EVIL}2`]: {
          anyOf: [{ title: EVIL, type: 'object', properties: { [EVIL]: { const: EVIL } } }, deep],
        },
      },
      required: [EVIL],
    }
    const tools = [{ name: EVIL, description: EVIL, schema }]
    add('1-1-1', {
      type: 'signal-asked',
      n: 6,
      name: 'reply',
      question: { text: `${EVIL} answer`, request: { ...request, tools, schema } },
    })
  }
  const [first, ...rest] = drafts as [Draft, ...Draft[]]
  const store = sqliteStore(file)
  const epoch = store.create({ id, goal, strategy: 'fractal' }, first)
  store.append(id, epoch, rest, false)
  store.release(id, epoch)
  store.close()
}
