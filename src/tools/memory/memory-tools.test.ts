import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toolIo } from '../../testing/tool-io.ts'
import type { GuardedTool } from '../define-tool.ts'
import type { MemoryOptions } from './memory.ts'
import { MEMORY_TOOLS, type MemoryTools, memoryTools } from './memory-tools.ts'

let workspace = ''
let opened: MemoryTools

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-memory-tools-'))
  opened = memoryTools()
})
afterEach(() => {
  opened.close()
  rmSync(workspace, { recursive: true, force: true })
})

const { signal } = new AbortController()

function call(name: string, input: unknown, { n = 1, tools = opened.tools } = {}): Promise<unknown> {
  const tool = tools.find((one) => one.name === name) as GuardedTool
  return tool.run(input, toolIo({ workspace, run: 'run-1', path: '1-3', n, signal }))
}

describe('the tools of the memory', () => {
  it('are hidden, may be repeated, and open nothing until one is used; to save is to write', () => {
    expect(opened.tools.map(({ name }) => name)).toEqual(MEMORY_TOOLS)
    expect(opened.tools.map(({ hidden }) => hidden)).toEqual([true, true, true])
    expect(opened.tools.map(({ access }) => access)).toEqual(['read', 'read', 'write'])
    expect(opened.tools.at(-1)?.idempotent).toBe(true)
    expect(readdirSync(workspace)).toEqual([])
  })

  it('save with where it was learnt, and load and search as plain data', async () => {
    const items = [
      { text: '项目使用 pnpm 安装依赖', kind: 'fact', tags: ['build'], score: { importance: 0.9 } },
    ]
    expect(await call('memory__save', { items })).toEqual({ saved: 1, merged: 0, dropped: 0 })
    expect(await call('memory__save', { items })).toEqual({ saved: 1, merged: 0, dropped: 0 })
    expect(await call('memory__save', { items }, { n: 2 })).toEqual({ saved: 0, merged: 1, dropped: 0 })
    const item = {
      id: expect.any(String),
      text: '项目使用 pnpm 安装依赖',
      kind: 'fact',
      tags: ['build'],
      source: { run: 'run-1', path: '1-3' },
      score: { relevance: 0.5, importance: 0.9 },
      uses: 1,
      created: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUsed: expect.stringMatching(/^\d{4}-.*Z$/),
      rank: expect.any(Number),
    }
    const loaded = await call('memory__load', { query: '安装', timeoutMs: 5_000 })
    expect(loaded).toEqual({ items: [item] })
    expect(JSON.parse(JSON.stringify(loaded))).toEqual(loaded)
    expect(await call('memory__search', { query: 'pnpm', limit: 3 })).toEqual({ items: [item] })
    expect(await call('memory__search', { query: 'pnpm', limit: 3 })).toMatchObject({ items: [{ uses: 2 }] })
  })

  it('load nothing with a reason where nothing was saved', async () => {
    expect(await call('memory__load', { query: 'x', timeoutMs: 5_000 })).toEqual({
      items: [],
      reason: 'nothing has been saved yet',
    })
  })

  it('say late instead of the items when the time is up', async () => {
    let nowMs = 0
    const slow: MemoryOptions = { nowMs: () => (nowMs += 90) }
    const { tools, close } = memoryTools(slow)
    await call('memory__save', { items: [{ text: 'The build needs node 24' }] }, { tools })
    expect(await call('memory__load', { query: 'build' }, { tools })).toEqual({ late: true })
    expect(await call('memory__load', { query: 'build', timeoutMs: 9_000 }, { tools })).toMatchObject({
      items: [{}],
    })
    close()
  })

  it('load by words, and are not late, when only the embedding is', async () => {
    await call('memory__save', { items: [{ text: 'The build needs node 24' }] })
    const { tools, close } = memoryTools({ embed: () => new Promise(() => {}) })
    expect(await call('memory__load', { query: 'build', timeoutMs: 1_000 }, { tools })).toMatchObject({
      items: [{ text: 'The build needs node 24' }],
      wordsOnly: 'the embedding took too long',
    })
    close()
  })

  it.each([
    ['memory__load', {}, 'query is missing'],
    ['memory__load', { query: 'x', timeoutMs: -1 }, 'timeoutMs must be at least 0'],
    ['memory__search', { query: 'x', limit: 1_000 }, 'limit must be at most 50'],
    ['memory__save', { items: 'x' }, 'items must be a list'],
    ['memory__save', { items: [{ text: 'fine' }, { txt: 'x' }] }, 'items[1].txt is not a known field'],
    ['memory__save', { items: [{ text: 'x', kind: 7 }] }, 'kind must be a string'],
    [
      'memory__save',
      { items: [{ text: 'x', score: { importance: 7 } }] },
      'score.importance must be at most 1',
    ],
  ])('refuse a wrong input, and say what is wrong: %s %j', async (name, input, said) => {
    await expect(call(name, input)).rejects.toThrow(said)
  })
})
