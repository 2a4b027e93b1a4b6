import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEngine } from '../../engine.ts'
import { defineStrategy } from '../../strategies/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { builtinTools } from './builtin-tools.ts'
import { tool } from './tool.ts'

let base: string
let saved: string
beforeEach(() => {
  saved = process.cwd()
  base = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-run-workspace-')))
  for (const name of ['a', 'b', 'elsewhere']) {
    mkdirSync(join(base, name, '.thinkon/blueprints'), { recursive: true })
    writeFileSync(join(base, name, 'mine.txt'), `this is ${name}\n`)
  }
})
afterEach(() => {
  process.chdir(saved)
  rmSync(base, { recursive: true })
})

const where = tool({
  name: 'where',
  description: 'Where the run works',
  access: 'read',
  run: (_, io) => io.workspace,
})

/** Calls one tool of each kind, in a block and in a child of it. */
const everything = defineStrategy({
  name: 'everything',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const use = async (name: string, input: object) => {
      const call = name.includes('__') ? context.ownTool(name, input) : context.tool(name, input)
      const [result] = await context.all([call])
      return result?.ok ? result.value : `failed: ${result?.error.message}`
    }
    const found: unknown[] = [
      await use('where', {}),
      await use('read_file', { path: 'mine.txt' }),
      await use('search_files', { pattern: 'this is' }),
      await use('shell', { command: 'cat mine.txt; pwd' }),
      await use('write_file', { path: 'made.txt', content: 'made' }),
      await use('edit_file', { path: 'made.txt', old: 'made', new: 'edited' }),
      await use('memory__save', { items: [{ text: 'The build needs node 24' }] }),
      await use('executor__observe', {
        observations: ['the file "mine.txt" exists'],
        result: { stdout: '', stderr: '', exitCode: 0, durationMs: 0, truncated: false },
      }),
    ]
    if (context.block.goal === 'see') {
      const child = await context.one(context.call('a child', { strategy: 'everything' }))
      found.push((child as { result: unknown }).result)
    }
    return JSON.stringify(found)
  },
})

function open(workspace?: string) {
  return createEngine({
    model: new ScriptedModel([]),
    strategies: [everything],
    tools: [builtinTools(workspace === undefined ? {} : { workspace }), where],
    store: join(base, 'runs.db'),
  })
}

const ALL = { asks: 'yes' } as const

it('two runs of one engine work in their own folders at the same time, children too', async () => {
  const engine = open()
  const outcomes = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const place = join(base, name)
      const run = await engine.start('see', {
        strategy: 'everything',
        workspace: place,
        approval: ALL,
        id: name,
      })
      return (await run.outcome).result
    }),
  )
  const states = await Promise.all(['a', 'b'].map((name) => engine.outline(name)))
  await engine.close()
  for (const [at, name] of ['a', 'b'].entries()) {
    const other = name === 'a' ? 'b' : 'a'
    const result = String(outcomes[at])
    expect(result).toContain(join(base, name))
    expect(result).not.toContain(join(base, other))
    expect(result).toContain(`this is ${name}`)
    expect(result).not.toContain(`this is ${other}`)
    expect(result).not.toContain('failed')
    expect(readFileSync(join(base, name, 'made.txt'), 'utf8')).toBe('edited')
    expect(existsSync(join(base, name, '.thinkon/memory.db'))).toBe(true)
    expect(states[at]?.config).toMatchObject({
      workspace: join(base, name),
      approval: { workspace: join(base, name), asks: 'yes' },
    })
  }
  expect(existsSync(join(saved, 'made.txt'))).toBe(false)
})

it('a fork, from another folder and another engine, works where the run has worked', async () => {
  process.chdir(join(base, 'a'))
  const engine = open()
  const run = await engine.start('see', { strategy: 'everything', approval: ALL, id: 'first' })
  await run.outcome
  await engine.close()
  process.chdir(join(base, 'elsewhere'))
  rmSync(join(base, 'a/made.txt'))
  const later = open()
  const fork = await later.fork('first', 2)
  const resumed = await later.resume(fork)
  const { result } = await resumed.outcome
  await later.close()
  expect(result).toContain('this is a')
  expect(result).not.toContain('elsewhere')
  expect(existsSync(join(base, 'a/made.txt'))).toBe(true)
  expect(existsSync(join(base, 'elsewhere/made.txt'))).toBe(false)
})

it('the folder of the engine counts for runs that name none, and an approval of another folder is refused', async () => {
  const engine = open(join(base, 'b'))
  const run = await engine.start('see', { strategy: 'everything', approval: ALL })
  expect((await run.outcome).result).toContain('this is b')
  const other = {
    strategy: 'everything',
    workspace: join(base, 'a'),
    approval: { ...ALL, workspace: join(base, 'b') },
  }
  await expect(engine.start('see', other as never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await engine.close()
})
