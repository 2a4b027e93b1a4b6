// A run as a file: everything of it, and nothing that is not whole.

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { Draft, Store } from '../kernel/store.ts'
import { DEFAULT_LIMITS, type Message } from '../protocol/index.ts'
import { exportRun } from './export-run.ts'
import { importRun } from './import-run.ts'
import { memoryStore } from './memory.ts'
import { sqliteStore } from './sqlite.ts'

const folders: string[] = []
const stores: Store[] = []
afterEach(() => {
  for (const store of stores.splice(0)) store.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function memory(): Store {
  return memoryStore()
}

function sqlite(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-file-'))
  folders.push(folder)
  const store = sqliteStore(join(folder, 'store.db'), { synchronous: 'normal' })
  stores.push(store)
  return store
}

describe.each([
  ['memory', 'memory', memory, memory],
  ['memory', 'SQLite', memory, sqlite],
  ['SQLite', 'memory', sqlite, memory],
  ['SQLite', 'SQLite', sqlite, sqlite],
] as const)('a run from %s in %s', (_from, _to, from, to) => {
  it('has the same events, signals, times and origin', async () => {
    const source = from()
    const file = await fileOf(source, 'r1')
    const target = to()
    expect(await importRun(target, [file])).toEqual({ run: 'r1', events: EVENTS + 2, existed: false })
    expect(journal(target, 'r1')).toBe(journal(source, 'r1'))
    expect(target.pending('r1')).toEqual(source.pending('r1'))
    expect({ ...target.row('r1') }).toEqual({ ...source.row('r1'), owned: false })
    expect(await textOf(exportRun(target, 'r1'))).toBe(file)
  })

  it('may come in chunks of any size, and get another name', async () => {
    const source = from()
    const bytes = Buffer.from(await fileOf(source, 'r1'))
    const target = to()
    const chunks = Array.from({ length: Math.ceil(bytes.length / 777) }, (_, i) =>
      bytes.subarray(i * 777, (i + 1) * 777),
    )
    expect(await importRun(target, chunks, { as: 'ein anderer 名' })).toMatchObject({ run: 'ein anderer 名' })
    expect(journal(target, 'ein anderer 名')).toBe(
      journal(source, 'r1').replaceAll('"run":"r1"', '"run":"ein anderer 名"'),
    )
  })

  it('is taken once: the same again changes nothing, another of this name is refused', async () => {
    const source = from()
    const file = await fileOf(source, 'r1')
    const target = to()
    await importRun(target, [file])
    expect(await importRun(target, [file])).toMatchObject({ run: 'r1', existed: true })
    expect(target.count()).toBe(1)
    target.send('r1', '1', 'message', 'one more')
    await expect(importRun(target, [file])).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('--as'),
    })
    const other = to()
    work(other, 'r1', [note('something else')])
    await expect(importRun(other, [file])).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(other.row('r1').seq).toBe(3)
    expect(await importRun(other, [file], { as: 'r2' })).toMatchObject({ run: 'r2' })
  })
})

describe('a file', () => {
  it('that was cut short anywhere is refused, and nothing is written', async () => {
    const file = await fileOf(memory(), 'r1')
    const target = sqlite()
    const lines = file.split('\n')
    const ends = lines.map((_, i) => lines.slice(0, i).join('\n').length + 1)
    const cuts = [0, 1, 100, file.length - 2, file.length - 80, ...ends.slice(0, -1)]
    for (const cut of cuts) {
      await expect(importRun(target, [file.slice(0, cut)]), `cut at ${cut}`).rejects.toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringContaining('nothing was written'),
      })
    }
    // Only the end of the last line may be missing.
    expect(await importRun(target, [file.slice(0, -1)])).toMatchObject({ existed: false })
  })

  it('that was changed anywhere is refused', async () => {
    const file = await fileOf(memory(), 'r1')
    const target = sqlite()
    for (let at = 3; at < file.length - 1; at += Math.floor(file.length / 97)) {
      const changed = `${file.slice(0, at)}${file[at] === 'x' ? 'y' : 'x'}${file.slice(at + 1)}`
      await expect(importRun(target, [changed]), `at ${at}`).rejects.toMatchObject({ code: 'BAD_INPUT' })
    }
    for (const other of [`${file}{}\n`, `${file}\n`, file.replace('\n', '\n\n'), file + file])
      await expect(importRun(target, [other])).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(target.count()).toBe(0)
  })

  it.each<[string, (lines: Line[]) => unknown]>([
    ['no event', (lines) => lines.filter((line) => line.row === undefined)],
    ['an event twice', (lines) => lines.flatMap((line) => (line.row ? [line, line] : [line]))],
    ['a row that is missing', (lines) => lines.slice(0, -1)],
    [
      'what can not be decompressed',
      (lines) => changeRows(lines, ({ body: _, ...row }) => ({ ...row, deflated: 'AAAA' })),
    ],
    ['two bodies', (lines) => changeRows(lines, (row) => ({ ...row, body: '[0,{}]', deflated: 'AAAA' }))],
    ['no body', (lines) => changeRows(lines, ({ body: _, deflated: __, ...row }) => row)],
    [
      'a reference to an event that is no request',
      (lines) =>
        changeBodies(lines, (body) => body.replace(/"previous":\{"seq":\d+/g, '"previous":{"seq":1')),
    ],
    [
      'a reference to a later event',
      (lines) =>
        changeBodies(lines, (body) => body.replace(/"previous":\{"seq":\d+/g, '"previous":{"seq":90')),
    ],
    [
      'a reference to more messages than there are',
      (lines) => changeBodies(lines, (body) => body.replace(/"messages":\d+/g, '"messages":7')),
    ],
    ['an unknown record', (lines) => [...lines, { execute: 'rm -rf' }]],
    ['a line that is no object', (lines) => [...lines, 'x']],
    ['a signal that is none', (lines) => [...lines, { signal: { path: '../1', name: 'x', number: 1 } }]],
    [
      'a signal twice',
      (lines) => [...lines, ...[1, 2].map(() => ({ signal: { path: '1', name: 'x', number: 1 } }))],
    ],
    ['a row that is none', (lines) => [...lines, { row: { at: 'now' } }]],
    ['an id with a control character', ([head, ...rest]) => [{ ...head, run: 'a\u001b[2J' }, ...rest]],
    ['no id', ([head, ...rest]) => [{ ...head, run: '' }, ...rest]],
    ['a fork of nothing', ([head, ...rest]) => [{ ...head, forkOf: 7 }, ...rest]],
    ['no time', ([head, ...rest]) => [{ ...head, createdAt: 'never' }, ...rest]],
    ['an odd number of events', ([head, ...rest]) => [{ ...head, events: 1 }, ...rest]],
    ['another purpose', ([head, ...rest]) => [{ ...head, thinkon: 'config' }, ...rest]],
    [
      'a journal without its start',
      (lines) => changeRows(lines, (row) => ({ ...row, type: row.type.replace('run-start', 'note') })),
    ],
    ['a body that is no JSON', (lines) => changeBodies(lines, () => '{')],
    ['a body that is no list', (lines) => changeBodies(lines, () => '7')],
    [
      'an event that is no object',
      (lines) => changeBodies(lines, (body) => body.replace('{', '[').replace(/}(?=[^}]*$)/, ']')),
    ],
    [
      'an event without its fields',
      (lines) =>
        changeBodies(lines, (body) =>
          JSON.stringify(
            JSON.parse(body).map((one: unknown) =>
              typeof one === 'object' && !Array.isArray(one) ? {} : one,
            ),
          ),
        ),
    ],
    ['a path that is none', (lines) => changeRows(lines, (row) => ({ ...row, path: '../../etc' }))],
    ['a time that is none', (lines) => changeRows(lines, (row) => ({ ...row, at: 9e15 }))],
  ])('with %s is refused, though its check sum is right', async (_, change) => {
    const source = memory()
    const lines = (await fileOf(source, 'r1')).trimEnd().split('\n').slice(0, -1)
    const target = sqlite()
    work(target, 'innocent', [note('good '.repeat(100))])
    const before = journal(target, 'innocent')
    const evil = signed(change(lines.map((line) => JSON.parse(line))) as object[])
    await expect(importRun(target, [evil])).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(target.list().map(({ id }) => id)).toEqual(['innocent'])
    expect(journal(target, 'innocent')).toBe(before)
  })

  it('of a newer version is refused, and says what to do', async () => {
    const target = memory()
    const head = { thinkon: 'journal', version: 2, run: 'r1', events: 0 }
    await expect(importRun(target, [signed([head])])).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringContaining('update'),
    })
    const source = memory()
    work(source, 'r1', [])
    const file = await textOf(exportRun(source, 'r1'))
    const newer = signed(
      changeBodies(
        file
          .trimEnd()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
        (body) => body.replace('"format":1', '"format":2'),
      ),
    )
    await expect(importRun(target, [newer])).rejects.toMatchObject({ code: 'STORE_NEWER' })
  })

  it('from before the first release is refused', async () => {
    const head = {
      thinkon: 'run',
      version: 1,
      run: 'r1',
      events: 1,
      createdAt: '2026-01-01T00:00:00Z',
      forkOf: null,
    }
    await expect(importRun(memory(), [signed([head])])).rejects.toMatchObject({ code: 'STORE_OLDER' })
  })

  it.each(['', '\n', 'hello', '{"a":1}\n', '\u0000\u0001', 'SQLite format 3\u0000', '[]', 'null\n'])(
    'that is something else (%j) is refused',
    async (text) => {
      await expect(importRun(memory(), [text])).rejects.toMatchObject({ code: 'BAD_INPUT' })
    },
  )

  it('grows with what was said, not with how often requests repeat it', async () => {
    const source = memory()
    const messages: Message[] = [{ role: 'system', content: 'the rules '.repeat(500) }]
    const drafts: Draft[] = []
    for (let n = 1; n <= 200; n++) {
      messages.push({ role: 'user', content: `turn ${n} `.repeat(100) })
      drafts.push(modelStart([...messages]))
    }
    work(source, 'r1', drafts)
    const file = await textOf(exportRun(source, 'r1'))
    // Each message stands in the request that it ends, and in the conversation.
    expect(file.length).toBeLessThan(3 * JSON.stringify(messages).length)
    const target = sqlite()
    await importRun(target, [file])
    expect(journal(target, 'r1')).toBe(journal(source, 'r1'))
  })

  it('has the events that there are when it is begun, also of a run that goes on', async () => {
    const store = sqlite()
    const epoch = store.create({ id: 'r1', goal: 'g', strategy: 's' }, { ...START })
    store.append(
      'r1',
      epoch,
      Array.from({ length: 300 }, () => note('x')),
      false,
    )
    let text = ''
    for await (const line of exportRun(store, 'r1')) {
      text += line
      store.append('r1', epoch, [note('later')], false)
    }
    const target = memory()
    expect(await importRun(target, [text])).toMatchObject({ events: 301 })
    expect(target.row('r1')).toMatchObject({ status: 'stopped', owned: false, seq: 301 })
  })

  it('of a run that is deleted meanwhile has no end', async () => {
    const store = sqlite()
    work(
      store,
      'r1',
      Array.from({ length: 300 }, () => note('x')),
    )
    const lines = exportRun(store, 'r1')
    await lines.next()
    store.delete('r1')
    await expect(textOf(lines)).rejects.toMatchObject({ code: 'UNKNOWN_RUN' })
  })
})

interface Line {
  run?: string
  row?: { type: string; path: string; body?: string; deflated?: string; at: number }
}

function changeRows(lines: readonly Line[], change: (row: NonNullable<Line['row']>) => object): object[] {
  return lines.map((line) => (line.row ? { row: change(line.row) } : line))
}

function changeBodies(lines: readonly Line[], change: (body: string) => string): object[] {
  return changeRows(lines, ({ body, deflated, ...row }) => {
    if (deflated === undefined) return { ...row, body: change(body ?? '') }
    const text = change(inflateRawSync(Buffer.from(deflated, 'base64')).toString())
    return { ...row, deflated: deflateRawSync(text).toString('base64') }
  })
}

/** The lines with an end that fits. */
function signed(lines: readonly object[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  return `${text}${JSON.stringify({ end: { lines: lines.length, sha256 } })}\n`
}

const START: Draft = {
  type: 'run-start',
  format: 1,
  goal: 'a goal',
  strategy: 'minimal@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0' },
  path: '1',
  atMs: 1_000,
}

function note(data: unknown): Draft {
  return { type: 'note', n: 1, name: 'note', data, path: '1', atMs: 2_000 }
}

function modelStart(messages: readonly Message[]): Draft {
  const request = { kind: 'k', version: 1, role: 'plan' as const, messages }
  return {
    type: 'model-start',
    n: 1,
    request,
    reserve: { calls: 1, tokens: 1, costUsd: 0 },
    path: '1',
    atMs: 1_500,
  }
}

const EVENTS = 100

/** A run with all sorts of texts, and its file. */
async function fileOf(store: Store, id: string): Promise<string> {
  const long = 'a long text, said again and again '.repeat(50)
  const drafts = Array.from({ length: EVENTS }, (_, i) => {
    if (i % 10 === 0)
      return modelStart([
        { role: 'system', content: long },
        { role: 'user', content: [`${i}`, long] },
      ])
    return note(
      i % 3 === 0 ? { long, deep: [i, null, 'ü€😀\u0000\ud83d', '¶t', { __proto: long }] } : `note ${i}`,
    )
  })
  work(store, id, drafts)
  store.send(id, '1', 'message', { late: 'ü' })
  store.send(id, '1-1', 'skip', null)
  return textOf(exportRun(store, id))
}

function work(store: Store, id: string, drafts: readonly Draft[]): void {
  const epoch = store.create({ id, goal: 'a goal', strategy: 'minimal' }, { ...START })
  for (const draft of drafts) store.append(id, epoch, [draft], false)
  store.append(id, epoch, [{ type: 'run-end', status: 'partial', path: '1', atMs: 3_000 }], false)
  store.release(id, epoch)
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const line of lines) text += line
  return text
}

const journal = (store: Store, id: string) => JSON.stringify([...store.read(id)])
