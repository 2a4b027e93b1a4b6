// In a pipe nobody can be asked: what would be denied for that is not offered, and a question is answered at once.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { answerAt } from '../../../tests/answers.ts'
import { createEngine } from '../../engine.ts'
import { type ApprovalConfig, type ModelRequest, messageText } from '../../protocol/index.ts'
import { reply, ScriptedModel } from '../../testing/index.ts'
import { openTools } from '../../tools/open-tools.ts'

type Asks = ApprovalConfig['asks']
const ALL = ['apply_patch', 'ask_user', 'calculate', 'edit_file', 'list_files', 'read_file', 'read_result']
const READING = ['ask_user', 'calculate', 'list_files', 'read_file', 'read_result', 'search_files']
const RETURN = { type: 'RETURN', description: 'done' }

it('tools that would be denied for want of a person are not offered', async () => {
  const { offered, withheld } = await start('nobody')
  expect(offered).toEqual(READING)
  expect(withheld).toEqual(['apply_patch', 'edit_file', 'executor__shell', 'shell', 'write_file'])
})

it.each(['fractal', 'planner', 'dual'])(
  'the model is told by %s what is not available and why, and nothing where all is',
  async (strategy) => {
    const script = () => new Error('enough')
    const first = async (asks: Asks) => {
      const { model } = await start(asks, {}, { strategy, script })
      return model.calls[0]?.messages.map(messageText).join('\n')
    }
    expect(await first('nobody')).toMatch(/nobody is there to permit their use: .*write_file/)
    expect(await first('person')).not.toContain('nobody is there')
  },
)

it.each<Asks>(['person', 'yes'])('they are where it is answered: asks %s', async (asks) => {
  const { offered, withheld } = await start(asks)
  expect(offered).toEqual([...ALL, 'search_files', 'shell', 'write_file'])
  expect(withheld).toBeUndefined()
})

it('what a rule allows is offered, all of it or some calls', async () => {
  const allowed = await start('nobody', { allow: ['write', 'shell(npm test *)'] })
  expect(allowed.offered).toEqual([...ALL, 'search_files', 'shell', 'write_file'])
  const one = await start('nobody', { allow: ['edit_file'] })
  expect(one.offered).toEqual([...READING, 'edit_file'].sort())
  const denied = await start('nobody', { allow: ['*'], deny: ['shell'] })
  // No command may be run, by whichever tool.
  expect(denied.withheld).toEqual(['executor__shell', 'shell'])
})

it('executors are tools like others: the planner is not told of one that it may not call', async () => {
  const yaml = `executors:
  - { id: count, description: Counts, command: wc -l a, side_effects: none }
  - { id: make, description: Makes, command: touch a, side_effects: files }
`
  const files = { '.thinkon/executors/executors.yaml': yaml }
  const script = { 'planner/plan': [new Error('enough')] }
  const { model } = await start('nobody', {}, { strategy: 'planner', files, script })
  const [planning] = model.calls.map(({ input }) => input as { executors: { id: string }[] })
  const ids = planning?.executors.map(({ id }) => id)
  expect(ids).toContain('count')
  expect(ids).not.toContain('make')
  expect(ids).not.toContain('shell')
})

it('an executor whose command is denied is not offered', async () => {
  const yaml = `executors:
  - { id: wipe, description: Wipes, command: rm -rf dist, side_effects: files }
  - { id: list, description: Lists, command: ls dist, side_effects: files }
`
  const files = { '.thinkon/executors/executors.yaml': yaml }
  const { withheld } = await start(
    'nobody',
    { allow: ['write', 'execute'], deny: ['shell(rm *)'] },
    { files },
  )
  expect(withheld).toEqual(['executor__wipe'])
})

it.each<Asks>(['yes', 'person'])(
  'what a rule denies is not offered either where it would be answered: asks %s',
  async (asks) => {
    const yaml = `executors:
  - { id: wipe, description: Wipes, command: rm -rf dist, side_effects: files }
  - { id: list, description: Lists, command: ls dist, side_effects: files }
`
    const files = { '.thinkon/executors/executors.yaml': yaml }
    const rules = { deny: ['shell(rm *)', 'edit_file', 'write(secret/**)'] }
    const { withheld, model } = await start(asks, rules, { files })
    expect(withheld).toEqual(['edit_file', 'executor__wipe'])
    const told = model.calls[0]?.messages.map(messageText).join('\n')
    expect(told).toContain('because the rules of this run deny their use: edit_file, wipe')
  },
)

it('one that is called all the same is denied, with what can be done', async () => {
  const input = { path: 'a.txt', content: 'x' }
  const { model, outcome } = await start('nobody', {}, { script: [called('write_file', input), RETURN] })
  expect(outcome.status).toBe('completed')
  expect(JSON.stringify(model.calls[1]?.messages)).toContain('nobody is there to ask')
})

it('ask_user says at once that nobody is there', async () => {
  const script = [called('ask_user', { question: 'Which one?' }), RETURN]
  const { model, outcome, types } = await start('nobody', {}, { script })
  expect(outcome).toMatchObject({ status: 'completed', result: 'done' })
  expect(types).not.toContain('signal-asked')
  expect(JSON.stringify(model.calls[1]?.messages)).toContain(
    'nobody is there to answer: decide yourself, and say what you assumed',
  )
})

it('where somebody is there, ask_user waits for the answer', async () => {
  const script = [called('ask_user', { question: 'Which one?' }), RETURN]
  const { model, types } = await start('person', {}, { script, answer: 'the red one' })
  expect(types).toContain('signal-asked')
  expect(JSON.stringify(model.calls[1]?.messages)).toContain('the red one')
})

function called(name: string, input: unknown) {
  return reply('', { toolCalls: [{ id: 'c', name, input }] })
}

interface Given {
  strategy?: string
  files?: Record<string, string>
  script?: ConstructorParameters<typeof ScriptedModel>[0]
  answer?: string
}

async function start(asks: Asks, rules: Partial<ApprovalConfig> = {}, given: Given = {}) {
  const { strategy = 'fractal', files = {}, script = [RETURN], answer } = given
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-offered-'))
  for (const [name, text] of Object.entries(files)) writeIn(workspace, name, text)
  const model = new ScriptedModel(script)
  const engine = createEngine({ model, tools: () => openTools({ workspace, memory: false }) })
  onTestFinished(async () => {
    await engine.close()
    rmSync(workspace, { recursive: true, force: true })
  })
  const approval = { ...rules, workspace, asks }
  const run = await engine.start('a goal', { strategy, approval })
  if (answer !== undefined) await answerAt(run, '1', answer)
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  expect((await engine.replay(run.id)).differences).toEqual([])
  const [first] = events
  const { withheld } = first?.type === 'run-start' ? first.config : {}
  return {
    model,
    outcome,
    offered: offeredIn(model.calls[0]),
    withheld: withheld && [...withheld].sort(),
    types: events.map(({ type }) => type),
  }
}

function offeredIn(request: ModelRequest | undefined): string[] {
  return (request?.tools ?? []).map(({ name }) => name).sort()
}

function writeIn(workspace: string, name: string, text: string): void {
  mkdirSync(join(workspace, name, '..'), { recursive: true })
  writeFileSync(join(workspace, name), text)
}
