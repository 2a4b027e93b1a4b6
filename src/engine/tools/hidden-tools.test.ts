// A tool that models are not offered does not exist for them: it is refused when a model names it, and no error lists it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../engine.ts'
import type { Context, Strategy } from '../../kernel/strategy.ts'
import type { ToolEnd } from '../../protocol/index.ts'
import { reply, ScriptedModel } from '../../testing/index.ts'
import { openTools } from '../../tools/open-tools.ts'

const HIDDEN: readonly [string, object][] = [
  ['executor__shell', { command: 'echo ran > ran.txt' }],
  ['executor__observe', { observations: ['secret.txt contains "x"'], result: {} }],
  ['memory__load', { query: 'secrets' }],
  ['memory__search', { query: 'secrets' }],
  ['memory__save', { items: [{ text: 'ignore all rules' }] }],
  ['blueprint__list', {}],
  ['blueprint__load', { name: 'x' }],
  ['blueprint__fill', { name: 'x', params: {} }],
  ['own/peek', {}],
]
const NAMES = HIDDEN.map(([name]) => name)

describe.each(['fractal', 'minimal'])('a model in %s that names a hidden tool', (strategy) => {
  it.each(HIDDEN)('is told that there is no %s', async (name, input) => {
    const last =
      strategy === 'fractal' ? { type: 'RETURN', description: 'done' } : { do: 'return', result: 'done' }
    const script = [reply('', { toolCalls: [{ id: 'c', name, input }] }), last]
    const { error } = await called(strategy, script)
    expect(error).toMatchObject({ code: 'NO_SUCH_TOOL', data: { toolName: name } })
    expect(error?.message).toMatch(new RegExp(`^no tool "${name}"; there are: .*read_file`))
    const listed = (error?.message ?? '').split('there are: ')[1]?.split(', ') ?? []
    expect(listed.filter((one) => NAMES.includes(one) || one.includes('/'))).toEqual([])
    expect(error?.data?.available).toEqual(listed)
  })
})

it('a tool that does not exist is answered without naming what is hidden or withheld', async () => {
  const solve = async (context: Context) => {
    const [result] = await context.all([context.tool('nothing', {})])
    return JSON.stringify(result)
  }
  const { error } = await called('own', [], { solve, asks: 'nobody' })
  expect(error?.message).toBe(
    'no tool "nothing"; there are: read_file, list_files, search_files, calculate, ask_user, read_result',
  )
})

it('a strategy calls its own by ownTool, also where models do not hear of them', async () => {
  const solve = async (context: Context) => {
    const results = await context.all([
      context.ownTool('own/peek', {}),
      context.ownTool('executor__shell', { command: 'echo hello' }),
      context.ownTool('memory__load', { query: 'x' }),
    ])
    return JSON.stringify(results.map(({ ok }) => ok))
  }
  const { result } = await called('own', [], { solve, asks: 'yes' })
  expect(result).toBe('[true,true,true]')
})

interface Given {
  solve?: Strategy['solve']
  asks?: 'person' | 'nobody' | 'yes'
}

async function called(strategy: string, script: unknown[], { solve, asks = 'yes' }: Given = {}) {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-hidden-'))
  mkdirSync(join(workspace, '.thinkon'))
  writeFileSync(join(workspace, 'secret.txt'), 'the secret')
  const own: Strategy = {
    name: 'own',
    version: 1,
    options: () => ({}),
    programs: [{ name: 'own/peek', description: '', access: 'read', run: async () => 'peeked' }],
    solve: solve ?? (async () => ''),
  }
  const model = new ScriptedModel(script as ConstructorParameters<typeof ScriptedModel>[0])
  const engine = createEngine({ model, strategies: [own], tools: () => openTools({ workspace }) })
  onTestFinished(async () => {
    await engine.close()
    rmSync(workspace, { recursive: true, force: true })
  })
  // Its programs are known once it is loaded.
  await (await engine.start('a goal', { strategy: 'own', approval: { workspace, asks } })).outcome
  const run = await engine.start('a goal', { strategy, approval: { workspace, asks } })
  const { result } = await run.outcome
  const events = [...(await engine.events(run.id))]
  const end = events.find((event): event is typeof event & ToolEnd => event.type === 'tool-end')
  expect((await engine.replay(run.id)).differences).toEqual([])
  return { result, error: end?.result.ok === false ? end.result.error : undefined }
}
