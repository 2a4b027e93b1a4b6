import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../engine.ts'
import type { Context, Strategy } from '../../kernel/strategy.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { builtinTools } from './builtin-tools.ts'

let workspace = ''
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-builtin-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

async function solved(
  solve: (context: Context) => Promise<string>,
  only?: readonly string[],
): Promise<string> {
  const strategy: Strategy = { name: 'own', version: 1, options: () => ({}), solve }
  const engine = createEngine({
    model: new ScriptedModel([]),
    strategies: [strategy],
    tools: builtinTools({ workspace, ...(only && { only }) }),
  })
  // Nobody is there to ask: what needs leave is refused.
  const approval = { workspace, asks: 'nobody' as const }
  const run = await engine.start('a goal', { strategy: 'own', workspace, approval })
  const { result } = await run.outcome
  await engine.close()
  return result
}

const offered = async ({ tools, hiddenTools }: Context) =>
  JSON.stringify([tools.map(({ name }) => name), hiddenTools.map(({ name }) => name)])

describe('memory and blueprints in a run', () => {
  it('are known to strategies and not offered to models, also where only some tools are wanted', async () => {
    const [shown, hidden] = JSON.parse(await solved(offered, ['calculate']))
    expect(shown).toEqual(['calculate', 'read_result'])
    expect(hidden).toEqual([
      'memory__load',
      'memory__search',
      'memory__save',
      'blueprint__list',
      'blueprint__load',
      'blueprint__fill',
    ])
    expect(JSON.parse(await solved(offered))[0].join()).not.toMatch(/memory__|blueprint__/)
  })

  it('remember from one run to the next, with nobody asked', async () => {
    const items = [{ text: '项目的测试用 vitest 运行', kind: 'lesson' }]
    const save = async (context: Context) =>
      JSON.stringify(await context.one(context.ownTool('memory__save', { items })))
    expect(JSON.parse(await solved(save))).toEqual({ saved: 1, merged: 0, dropped: 0 })
    const load = async (context: Context) =>
      JSON.stringify(await context.one(context.ownTool('memory__load', { query: '测试', timeoutMs: 5_000 })))
    expect(JSON.parse(await solved(load))).toMatchObject({
      items: [{ text: items[0]?.text, source: { run: expect.any(String), path: '1' } }],
    })
  })
})
