// `thinkon mcp` as an editor starts it: a process on stdio, with the real client of the protocol.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../conformance/async.ts'
import { call, ERAS, type Era } from '../mcp/connect.ts'
import { bin, jsonLines, makePlace, type Place } from './cli-process.ts'

let place: Place
const clients: Client[] = []

beforeEach(() => {
  place = makePlace()
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  place.remove()
})

interface Editor {
  readonly client: Client
  readonly pid: number
  /** What the server has said on stderr so far. */
  said(): string
}

interface EditorOptions {
  args?: readonly string[]
  env?: NodeJS.ProcessEnv
  capabilities?: ClientCapabilities
  prepare?(client: Client): void
}

async function editor(
  era: Era,
  { args = [], env = {}, capabilities = {}, prepare }: EditorOptions = {},
): Promise<Editor> {
  const client = new Client(
    { name: 'editor', version: '1' },
    { capabilities, versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  )
  prepare?.(client)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...args],
    cwd: place.folder,
    env: { ...place.env, ...env } as Record<string, string>,
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk) => (said += chunk))
  await client.connect(transport)
  clients.push(client)
  return { client, pid: transport.pid as number, said: () => said }
}

const elicits = (answer: string): EditorOptions => ({
  capabilities: { elicitation: {} },
  prepare: (client) =>
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer } })),
})

const samples = (answer: (asked: number) => unknown): EditorOptions => {
  let asked = 0
  return {
    args: ['--model', 'mcp:client'],
    capabilities: { sampling: {} },
    prepare: (client) =>
      client.setRequestHandler('sampling/createMessage', () => ({
        model: 'theirs',
        role: 'assistant',
        content: { type: 'text', text: JSON.stringify(answer(++asked)) },
      })),
  }
}

describe.each(ERAS)('a %s client of thinkon mcp', (era) => {
  it('lists, calls, follows progress, reads resources and gets prompts', async () => {
    const { client, said } = await editor(era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run')
    const progress: (string | undefined)[] = []
    const result = await client.callTool(
      { name: 'run', arguments: { goal: 'the end' } },
      { onprogress: ({ message }) => progress.push(message) },
    )
    const { run } = result.structuredContent as { run: string }
    expect(result.structuredContent).toMatchObject({ status: 'completed', result: 'reached: the end' })
    expect(progress[0]).toBe(`run ${run}`)
    const { contents } = await client.readResource({ uri: `thinkon://runs/${run}/tree` })
    expect(JSON.stringify(contents)).toContain('reached: the end')
    const { messages } = await client.getPrompt({ name: 'tot', arguments: { goal: 'make 24' } })
    expect(JSON.stringify(messages)).toContain('make 24')
    expect(said()).toContain('thinkon serves MCP on stdin and stdout')
  })

  it('is asked what a run asks; one that can not be asked answers with a tool', async () => {
    const { client } = await editor(era, elicits('maybe later'))
    expect(await call(client, 'run', { goal: 'ask' })).toMatchObject({ result: 'answer: maybe later' })
    const { client: plain } = await editor(era)
    const { run, questions } = await call(plain, 'run', { goal: 'ask' })
    expect(questions).toMatchObject([{ text: 'Go on?', choices: ['yes', 'no', 'maybe later'] }])
    await call(plain, 'answer', { run, answer: 'no' })
    expect(await call(plain, 'wait', { run })).toMatchObject({ result: 'answer: no' })
  })

  it('answers with its own model, is recorded, and replay needs it no more', async () => {
    const { client } = await editor(
      era,
      samples((asked) =>
        asked === 1 ? { do: 'note', name: 'step', data: 1 } : { do: 'return', result: 'thought out' },
      ),
    )
    const { run, ...report } = await call(client, 'run', { goal: 'think' })
    expect(report).toMatchObject({ status: 'completed', result: 'thought out' })
    const replayed = await place.cli(['replay', run])
    expect(replayed).toMatchObject({ code: 0 })
    const models = jsonLines((await place.cli(['events', run, '--json'])).stdout)
      .filter(({ type }) => type === 'model-end')
      .map((event) => JSON.stringify(event))
    expect(models).toHaveLength(2)
    expect(models[0]).toContain('mcp:theirs')
  })

  it('that offers no model is told so', async () => {
    const { client } = await editor(era, { args: ['--model', 'mcp:client'] })
    await expect(call(client, 'run', { goal: 'think' })).rejects.toThrow(
      'this client offers none (no "sampling" among its capabilities)',
    )
  })

  it('whose server is killed in the middle of a run finds it going on after the next start', async () => {
    const first = await editor(era)
    const { run } = await call(first.client, 'run', { goal: 'wait', waitSeconds: 0 })
    await place.state(run, ({ blocks }) => blocks.length === 3)
    process.kill(first.pid, 'SIGKILL')
    const second = await editor(era)
    for (const path of ['1-1', '1-2']) await call(second.client, 'message', { run, path, message: 'hurry' })
    expect(await call(second.client, 'wait', { run })).toMatchObject({
      status: 'completed',
      result: 'hurried | hurried',
    })
  })
})

it('two servers on one store share its runs: an answer reaches the one that works on it', async () => {
  const { client: works } = await editor('legacy')
  const { run, ...report } = await call(works, 'run', { goal: 'ask' })
  expect(report).not.toHaveProperty('reason')
  const { client: other } = await editor('legacy')
  await call(other, 'answer', { run, answer: 'yes' })
  expect(await call(other, 'wait', { run })).toMatchObject({ result: 'answer: yes' })
  const again = await call(works, 'run', { goal: 'ask' })
  const { client: asked } = await editor('modern', elicits('no'))
  expect(await call(asked, 'wait', { run: again.run })).toMatchObject({ result: 'answer: no' })
})

describe('the process', () => {
  it('ends when its input ends, and at a signal; the run stays resumable', async () => {
    for (const end of ['input', 'SIGTERM', 'SIGINT'] as const) {
      const going = place.start(['mcp'])
      const { stdin, stdout } = going.child
      const said = once(stdout as NonNullable<typeof stdout>, 'data')
      const lines = [
        { id: 1, method: 'initialize', params: HELLO },
        { method: 'notifications/initialized' },
        {
          id: 2,
          method: 'tools/call',
          params: { name: 'run', arguments: { goal: 'wait', id: `run-${end}` } },
        },
      ]
      for (const line of lines) stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
      await said
      await place.state(`run-${end}`, ({ blocks }) => blocks.length === 3)
      if (end === 'input') stdin?.end()
      else going.child.kill(end)
      const { code, stdout: all } = await going.ended
      expect(code).toBe(0)
      // Whoever can still read is told the handle.
      const answers = jsonLines(all).filter(({ id }) => id === 2)
      if (end !== 'input')
        expect(answers).toMatchObject([{ result: { structuredContent: { run: `run-${end}` } } }])
      const row = (await place.cli(['list', '--json'])).stdout
      expect(jsonLines(row)).toContainEqual(expect.objectContaining({ id: `run-${end}`, status: 'stopped' }))
    }
  })

  it('keeps stdout for the protocol, whatever else prints', async () => {
    const config = `console.log('printed by a configuration')\nprocess.stdout.write('and more\\n')\nexport default {}\n`
    writeFileSync(join(place.folder, 'thinkon.config.mjs'), config)
    const going = place.start(['mcp'])
    going.child.stdin?.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: HELLO })}\n`,
    )
    await once(going.child.stdout as NonNullable<typeof going.child.stdout>, 'data')
    going.child.stdin?.end()
    const { code, stdout, stderr } = await going.ended
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toMatchObject([{ id: 1, result: { serverInfo: { name: 'thinkon' } } }])
    expect(stderr).toMatch(/printed by a configuration\nand more\n/)
  })

  it('survives lines that are no messages, and ends at one that is too long', async () => {
    const going = place.start(['mcp'])
    let out = ''
    going.child.stdout?.on('data', (chunk) => (out += chunk))
    going.child.stdin?.on('error', () => {})
    for (const line of ['', '{', 'null', '[]', '{"jsonrpc":"1.0"}', '\u0000', '{"jsonrpc":"2.0","id":{}}'])
      going.child.stdin?.write(`${line}\n`)
    going.child.stdin?.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: HELLO })}\n`,
    )
    await until(
      () => out.includes('"id":1'),
      () => out,
    )
    going.child.stdin?.write('x'.repeat(11 * 1024 * 1024))
    const { code, stderr } = await going.ended
    expect(code).toBe(0)
    expect(stderr).toContain('exceeded maximum size')
  })

  it('reads no more requests from a client that reads no answers, and works on', async () => {
    const going = place.start(['mcp'])
    going.child.stdout?.pause()
    going.child.stdout?.removeAllListeners('data')
    going.child.stdin?.on('error', () => {})
    const send = (line: object) =>
      going.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
    send({ id: 0, method: 'initialize', params: HELLO })
    send({
      id: 1,
      method: 'tools/call',
      params: { name: 'run', arguments: { goal: 'the end', id: 'unread' } },
    })
    // 300 MB of answers, which nobody takes.
    for (let id = 2; id < 20_000; id++) send({ id, method: 'tools/list' })
    await place.state('unread', ({ status }) => status === 'completed')
    expect(going.child.stdin?.writableLength).toBeGreaterThan(0)
    going.child.kill('SIGTERM')
    await until(
      () => going.child.exitCode !== null,
      () => 'the server has not ended',
    )
    expect(going.child.exitCode).toBe(0)
    going.child.stdout?.resume()
  })

  it('refuses options of HTTP without it, and mcp:client on a cluster', async () => {
    expect(await place.alone(['mcp', '--port', '7000'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--port is for HTTP: add --http'),
    })
    const cluster = ['mcp', '--model', 'mcp:client', '--host', 'cluster']
    const env = { ...place.env, THINKON_POSTGRES: 'postgres://127.0.0.1:9/none' }
    expect(await place.alone(cluster, '', env)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("which the workers of a cluster can't ask"),
    })
  })
})

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'by hand', version: '1' },
}
