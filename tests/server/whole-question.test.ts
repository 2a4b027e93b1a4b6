// What a person approves can be seen whole over HTTP and MCP; `always` is not offered for what was shortened.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { builtinTools } from '../../src/engine/tools/builtin-tools.ts'
import type { PendingQuestion } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, connect, endAll as endClients, open } from '../mcp/connect.ts'
import { COMMAND, CONTENT, FILES, linesOf, PIPED, script } from '../whole-calls.ts'
import { endAll, serveHere } from './serve-here.ts'

afterEach(endAll)
afterEach(endClients)

function place() {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-whole-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const defaults = { strategy: 'minimal', approval: { workspace, asks: 'person' } } as const
  return { tools: builtinTools({ workspace }), options: { workspace, defaults } }
}

function expectWhole(questions: readonly { text: string; choices?: readonly string[] }[]) {
  const [command, patch, long] = questions
  expect(command?.text).toContain(COMMAND)
  expect(command?.text).toMatch(/^ {2}programs: .*\bcurl\b.*\bsh\b/m)
  expect(patch?.text).toContain(`  paths: ${FILES.join(', ')}`)
  for (const line of FILES.flatMap(linesOf)) expect(patch?.text).toContain(`+${line}\n`)
  for (const whole of [command, patch]) expect(whole?.choices).toContain('always')
  expect(long?.text).not.toContain('hidden in the middle')
  expect(long?.text).toContain('  paths: long.txt')
  expect(long?.choices).toEqual(['yes', 'no'])
}

it('over HTTP', async () => {
  const { tools, options } = place()
  const { fetch, post } = await serveHere({ script, service: options, engine: { tools } })
  const { run } = (await (await post('/api/runs', { goal: 'go' })).json()) as { run: string }
  const questions = async () =>
    ((await (await fetch(`/api/questions?run=${run}`)).json()) as { questions: PendingQuestion[] }).questions
  await expect.poll(async () => (await questions()).length).toBe(3)
  const asked = await questions()
  expectWhole(asked)
  expect(asked[2]?.permission?.input).toEqual({ path: 'long.txt', content: CONTENT })
  const refused = await post(`/api/runs/${run}/answers`, { answer: 'always', question: asked[2]?.id })
  expect(refused.status).toBe(400)
})

it('over MCP, in the list of questions and in what the client is asked', async () => {
  const { tools, options } = place()
  const opened = open({ model: new ScriptedModel(script), tools, ...options })
  const messages: string[] = []
  const client = await connect(opened, 'modern', {
    elicit({ message }) {
      messages.push(message)
      return { action: 'decline' }
    },
  })
  const { run } = await call(await connect(opened, 'modern'), 'run', { goal: 'go', waitSeconds: 0 })
  const list = async () => {
    const { questions } = (await call(client, 'questions', { run })) as unknown as {
      questions: { id: number; text: string; choices: string[] }[]
    }
    return questions
  }
  await expect.poll(async () => (await list()).length).toBe(3)
  const asked = await list()
  expectWhole(asked)
  const whole = await call(client, 'questions', { run, question: asked[2]?.id })
  expect(whole.text).toContain(CONTENT)
  expect(whole).toMatchObject({ questions: [{ permission: { input: { content: CONTENT } } }] })
  await client.callTool({ name: 'wait', arguments: { run, waitSeconds: 1 } })
  expect(messages[0]).toContain(PIPED)
})
