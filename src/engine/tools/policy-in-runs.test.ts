// The policy as a run has it: recorded with the run, asked for each call, and asked again by the tools while they run.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../engine.ts'
import type { Context, Strategy } from '../../kernel/strategy.ts'
import type { ApprovalRules, Result } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { openTools } from '../../tools/open-tools.ts'

const RULES = { allow: ['*'], deny: ['shell(rm *)', 'read(.env*)'] }

it('a command that is denied is run by no tool', async () => {
  const [shell, executor, other] = await calls(RULES, (context) => [
    context.tool('shell', { command: 'rm -f kept.txt' }),
    context.ownTool('executor__shell', { command: 'true && rm -f kept.txt' }),
    context.ownTool('executor__shell', { command: 'echo hello' }),
  ])
  expect(shell).toMatchObject({ ok: false, error: { code: 'DENIED' } })
  expect(executor).toMatchObject({ ok: false, error: { code: 'DENIED' } })
  expect(other).toMatchObject({ ok: true, value: { stdout: 'hello\n' } })
})

it('a file that may not be read is not found by a search, not listed, and not looked at by the check of an observation', async () => {
  const observations = ['.env contains "hunter2"', 'kept.txt contains "hunter2"']
  const results = await calls(RULES, (context) => [
    context.tool('search_files', { pattern: 'hunter2', all: true }),
    context.tool('list_files', { all: true, depth: 1 }),
    context.ownTool('executor__observe', { observations, result: { exitCode: 0, stdout: '', stderr: '' } }),
  ])
  expect(results).toMatchObject([
    { value: { matches: [{ path: 'kept.txt' }] } },
    { value: { files: ['kept.txt'] } },
    { value: [{ verdict: 'unknown', evidence: '.env may not be read here' }, { verdict: 'met' }] },
  ])
})

it('what is remembered is written: under deny: write nothing is, by default it is without a question', async () => {
  const items = [{ text: 'The build needs Node 24', kind: 'fact' }]
  const save = (context: Context) => [context.ownTool('memory__save', { items })]
  expect(await calls({ deny: ['write'] }, save)).toMatchObject([{ ok: false, error: { code: 'DENIED' } }])
  expect(await calls({}, save)).toMatchObject([{ ok: true, value: { saved: 1 } }])
})

it('without a policy, built-in tools only read; `allow-all` allows everything', async () => {
  const begin = (context: Context) => [
    context.tool('shell', { command: 'echo hello' }),
    context.tool('write_file', { path: 'new.txt', content: 'x' }),
    context.ownTool('executor__shell', { command: 'echo hello' }),
    context.tool('read_file', { path: 'kept.txt' }),
    context.ownTool('memory__save', { items: [{ text: 'The build needs Node 24', kind: 'fact' }] }),
  ]
  const [shell, write, executor, read, memory] = await calls(undefined, begin)
  for (const one of [shell, write, executor])
    expect(one).toMatchObject({ error: { code: 'DENIED', message: expect.stringContaining("'allow-all'") } })
  expect([read, memory]).toMatchObject([{ ok: true }, { ok: true }])
  expect((await calls('allow-all', begin)).every(({ ok }) => ok)).toBe(true)
})

async function calls(
  rules: ApprovalRules | 'allow-all' | undefined,
  begin: (context: Context) => ReturnType<Context['tool']>[],
) {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-policy-'))
  for (const name of ['.env', 'kept.txt']) writeFileSync(join(workspace, name), 'SECRET=hunter2\n')
  const strategy: Strategy = {
    name: 'own',
    version: 1,
    options: () => ({}),
    solve: async (context) => JSON.stringify(await context.all(begin(context))),
  }
  const engine = createEngine({
    model: new ScriptedModel([]),
    strategies: [strategy],
    tools: () => openTools({ workspace }),
  })
  onTestFinished(async () => {
    await engine.close()
    rmSync(workspace, { recursive: true, force: true })
  })
  const approval = typeof rules === 'object' ? ({ ...rules, workspace, asks: 'nobody' } as const) : rules
  const run = await engine.start('a goal', { strategy: 'own', workspace, ...(approval && { approval }) })
  const { result } = await run.outcome
  expect((await engine.replay(run.id)).differences).toEqual([])
  expect(existsSync(join(workspace, 'kept.txt'))).toBe(true)
  return JSON.parse(result) as Result[]
}

it('`always` is no answer to a call that was shortened in the question', async () => {
  const content = 'x'.repeat(70_000)
  const write = (path: string) => ({ name: 'write_file', input: { path, content } })
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-policy-'))
  const strategy: Strategy = {
    name: 'own',
    version: 1,
    options: () => ({}),
    async solve(context) {
      for (const path of ['a', 'b']) {
        const { name, input } = write(path)
        await context.one(context.tool(name, input))
      }
      return 'done'
    },
  }
  const model = new ScriptedModel([])
  const engine = createEngine({ model, strategies: [strategy], tools: () => openTools({ workspace }) })
  onTestFinished(async () => {
    await engine.close()
    rmSync(workspace, { recursive: true, force: true })
  })
  const run = await engine.start('a goal', { strategy: 'own', approval: { workspace, asks: 'person' } })
  let questions = 0
  for await (const question of run.questions) {
    expect(question.choices).toEqual(['yes', 'no'])
    await expect(question.answer('always')).rejects.toThrow('is no choice')
    await question.answer(++questions === 1 ? 'yes' : 'no')
  }
  expect(questions).toBe(2)
  expect([existsSync(join(workspace, 'a')), existsSync(join(workspace, 'b'))]).toEqual([true, false])
})
