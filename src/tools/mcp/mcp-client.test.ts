import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Tool } from '../../kernel/tool.ts'
import type { McpServerConfig, ThinkonError } from '../../protocol/index.ts'
import { toolIo } from '../../testing/tool-io.ts'
import type { McpClient, McpOptions, McpResult } from './api.ts'
import { mcpClient } from './mcp-client.ts'
import type { McpServers } from './server-config.ts'

const root = join(import.meta.dirname, '../../..')
const node = process.execPath
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
const filesystem = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
const oddServer = join(import.meta.dirname, 'fixtures/odd-server.js')
// Servers see no variable that they are not given, and start in half the time with this one.
const compileCache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' }
const stdio = (...args: string[]): McpServerConfig => ({
  command: node,
  args: [everything, 'stdio', ...args],
  env: compileCache,
})
const odd = (...modes: string[]): McpServerConfig => ({
  command: node,
  args: [oddServer, ...modes],
  env: compileCache,
})

const opened: McpClient[] = []
const children: ChildProcess[] = []
const folders: string[] = []

function open(servers: McpServers, options: McpOptions = {}): McpClient {
  const mcp = mcpClient(servers, { restartDelayMs: 10, ...options })
  opened.push(mcp)
  return mcp
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()))
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

let n = 0
const io = (signal: AbortSignal = new AbortController().signal) => toolIo({ n: ++n, signal })

function find(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no ${name} in ${tools.map((one) => one.name).join(', ')}`)
  return tool
}

async function call(
  mcp: McpClient,
  name: string,
  input: unknown = {},
  signal?: AbortSignal,
): Promise<McpResult> {
  const tool = find(await mcp.tools(), name)
  return (await tool.run(tool.input?.check(input), io(signal))) as McpResult
}

async function failing(promise: Promise<unknown>): Promise<ThinkonError> {
  const error = await promise.then(
    (value) => new Error(`did not fail: ${JSON.stringify(value)}`),
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ name: 'ThinkonError' })
  return error
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie is dead: what is not our child is reaped by another, sooner or later.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => alive(pid)).toBe(false)
}

describe('server-everything over stdio', () => {
  it('offers its tools by server__tool, with their schemas, and runs them', async () => {
    const mcp = open({ every: stdio() })
    const tools = await mcp.tools()
    const names = tools.map((tool) => tool.name)
    expect(names).toContain('every__echo')
    expect(names).toContain('every__read_resource')
    expect(names).toContain('every__get_prompt')
    expect(new Set(names).size).toBe(names.length)
    expect(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
    expect(find(tools, 'every__get-sum').input?.json).toMatchObject({ type: 'object', required: ['a', 'b'] })
    expect(await call(mcp, 'every__echo', { message: 'hello' })).toEqual({ text: 'Echo: hello' })
    expect((await call(mcp, 'every__get-sum', { a: 2, b: 40 })).text).toContain('42')
  })

  it('starts nothing before it is used', async () => {
    const mcp = open({ none: { command: '/does/not/exist' } })
    await mcp.close()
  })

  it('leaves out tools that can only be started as tasks', async () => {
    const names = (await open({ every: stdio() }).tools()).map((tool) => tool.name)
    expect(names.filter((name) => name.includes('research'))).toEqual([])
  })

  it('does not believe what an untrusted server says of its tools', async () => {
    const untrusted = await open({ every: stdio() }).tools()
    expect(new Set(untrusted.map((tool) => tool.access))).toEqual(new Set(['execute']))
    expect(find(untrusted, 'every__echo').idempotent).toBe(false)
    const trusted = await open({ every: { ...stdio(), trust: true } }).tools()
    expect(find(trusted, 'every__echo')).toMatchObject({ access: 'read', idempotent: true })
    expect(find(trusted, 'every__read_resource').access).toBe('read')
    const told = await open({
      every: { ...stdio(), access: { echo: 'write' }, idempotent: ['get-sum'] },
    }).tools()
    expect(find(told, 'every__echo')).toMatchObject({ access: 'write', idempotent: false })
    expect(find(told, 'every__get-sum')).toMatchObject({ access: 'execute', idempotent: true })
  })

  it('offers only the tools that the configuration names', async () => {
    const tools = await open({ every: { ...stdio(), only: ['echo'] } }).tools()
    expect(tools.map((tool) => tool.name)).toEqual(['every__echo'])
  })

  it('gives images by size and hash, and puts them where it is told', async () => {
    const mcp = open({ every: stdio() })
    const { attachments = [] } = await call(mcp, 'every__get-tiny-image')
    expect(attachments).toEqual([
      {
        type: 'image',
        mimeType: 'image/png',
        bytes: expect.any(Number),
        sha256: expect.stringMatching(/^\w{64}$/),
      },
    ])
    const saved: Uint8Array[] = []
    const saving = open(
      { every: stdio() },
      { saveBlob: async (bytes, type) => `${type} ${saved.push(bytes)}` },
    )
    const again = (await call(saving, 'every__get-tiny-image')).attachments?.[0]
    expect(again?.ref).toBe('image/png 1')
    expect(saved[0]?.subarray(1, 4).toString()).toBe('PNG')
    expect(saved[0]?.length).toBe(again?.bytes)
  })

  it('gives structured content once, embedded resources and links', async () => {
    const mcp = open({ every: stdio() })
    const weather = await call(mcp, 'every__get-structured-content', { location: 'Chicago' })
    expect(weather.structured).toMatchObject({ temperature: expect.any(Number) })
    expect(weather.text).toBeUndefined()
    const embedded = await call(mcp, 'every__get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    expect(embedded.attachments?.[0]).toMatchObject({ type: 'resource', uri: expect.any(String) })
    const links = await call(mcp, 'every__get-resource-links', { count: 2 })
    expect(links.attachments?.filter((one) => one.type === 'link')).toHaveLength(2)
  })

  it('cuts a long text and says how much is left out', async () => {
    const mcp = open({ every: stdio() }, { maxResultChars: 10 })
    expect(await call(mcp, 'every__echo', { message: '123456789' })).toEqual({
      text: 'Echo: 1234',
      omittedChars: 5,
    })
  })

  it('tells bad arguments as a failure that says what is wrong, and the server lives on', async () => {
    const mcp = open({ every: stdio() })
    const error = await failing(call(mcp, 'every__get-sum', { a: 'x', b: 1 }))
    expect(error.code).toBe('TOOL_ERROR')
    expect(error.message).toMatch(/number/)
    expect((await failing(call(mcp, 'every__echo', ['x']))).code).toBe('BAD_INPUT')
    expect(await call(mcp, 'every__echo', { message: 'still' })).toEqual({ text: 'Echo: still' })
  })

  it('reads resources and prompts, as tools and as functions', async () => {
    const mcp = open({ every: stdio() })
    const resources = await mcp.resources()
    expect(resources.some((one) => one.template)).toBe(true)
    const fixed = resources.find((one) => !one.template)!
    expect((await mcp.readResource('every', fixed.uri)).text).toBeTruthy()
    expect((await call(mcp, 'every__read_resource', { uri: fixed.uri })).text).toBeTruthy()
    expect(await call(mcp, 'every__read_resource')).toEqual(resources)
    expect((await failing(mcp.readResource('every', 'no://such'))).code).toBe('TOOL_ERROR')
    expect((await failing(mcp.readResource('nobody', 'x'))).message).toContain('there are: every')
    const prompts = await mcp.prompts()
    const simple = prompts.find((one) => one.arguments.length === 0)!
    expect((await mcp.getPrompt('every', simple.name)).text).toBeTruthy()
    const withArguments = prompts.find((one) => one.arguments.some((argument) => argument.name === 'city'))!
    const filled = await call(mcp, 'every__get_prompt', {
      name: withArguments.name,
      arguments: { city: 'Oslo' },
    })
    expect(filled.text).toContain('Oslo')
  })

  it('follows changes of a list: a resource made by a tool is in the next list', async () => {
    const changes: string[] = []
    const mcp = open(
      { every: stdio() },
      { onListChanged: (server, list) => changes.push(`${server} ${list}`) },
    )
    const before = await mcp.resources()
    const data = `data:text/plain,${encodeURIComponent('hello')}`
    await call(mcp, 'every__gzip-file-as-resource', { name: 'made.gz', data, outputType: 'resourceLink' })
    await expect.poll(() => changes).toContain('every resources')
    const after = await mcp.resources()
    expect(after.length).toBe(before.length + 1)
    const made = after.find((one) => one.uri.includes('made.gz'))!
    expect((await mcp.readResource('every', made.uri)).attachments?.[0]?.bytes).toBeGreaterThan(0)
  })

  it('runs calls at once: the slow ones do not hold up the others', async () => {
    const mcp = open({ every: stdio() })
    await mcp.tools()
    const stop = new AbortController()
    let ended = 0
    const input = { duration: 60, steps: 1 }
    const slow = Array.from({ length: 5 }, () =>
      call(mcp, 'every__trigger-long-running-operation', input, stop.signal).catch(() => ended++),
    )
    const quick = Array.from({ length: 20 }, (_, i) => call(mcp, 'every__echo', { message: `m${i}` }))
    expect((await Promise.all(quick)).map((one) => one.text)).toEqual(quick.map((_, i) => `Echo: m${i}`))
    expect(ended).toBe(0)
    stop.abort()
    await Promise.all(slow)
    expect(ended).toBe(5)
  })

  it('ends a call that takes too long, and one that is cancelled, and goes on with the same process', async () => {
    const mcp = open({ every: { ...stdio(), timeoutMs: 1500 } })
    await mcp.tools()
    const late = await failing(call(mcp, 'every__trigger-long-running-operation', { duration: 20, steps: 1 }))
    expect(late).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('1500 ms') })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 100)
    const input = { duration: 20, steps: 1 }
    const cancelled = await failing(call(mcp, 'every__trigger-long-running-operation', input, stop.signal))
    expect(cancelled.code).toBe('CANCELLED')
    expect(await call(mcp, 'every__echo', { message: 'x' })).toEqual({ text: 'Echo: x' })
  })

  it('is killed in the middle of a call: the call fails and says so, the next one starts it again', async () => {
    const mcp = open({ every: { ...stdio(), env: { PID_MARK: `thinkon-${process.pid}-killed` } } })
    const pids = async () => JSON.parse((await call(mcp, 'every__get-env')).text ?? '')
    expect(await pids()).toMatchObject({ PID_MARK: expect.any(String) })
    const first = pidOf(`thinkon-${process.pid}-killed`)
    const underWay = failing(call(mcp, 'every__trigger-long-running-operation', { duration: 20, steps: 1 }))
    const alsoUnderWay = failing(
      call(mcp, 'every__trigger-long-running-operation', { duration: 20, steps: 1 }),
    )
    await sleep(200)
    process.kill(first, 'SIGKILL')
    for (const error of await Promise.all([underWay, alsoUnderWay])) {
      expect(error.code).toBe('TOOL_ERROR')
      expect(error.message).toMatch(/"every" ended \(SIGKILL\) while the call of "trigger-long/)
      expect(error.message).toContain('may or may not have happened')
    }
    expect(await call(mcp, 'every__echo', { message: 'back' })).toEqual({ text: 'Echo: back' })
    const second = pidOf(`thinkon-${process.pid}-killed`)
    expect(second).not.toBe(first)
    await mcp.close()
    await gone(second)
    expect((await failing(mcp.tools())).message).toContain('closed')
  })
})

/** The process with this text in its environment. */
function pidOf(mark: string): number {
  const found = readdirProc().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })
  expect(found).toHaveLength(1)
  return found[0]!
}

const readdirProc = () =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)

describe('server-filesystem', () => {
  it('reads and writes in its folder and nowhere else', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-mcp-')))
    folders.push(folder)
    writeFileSync(join(folder, 'a.txt'), 'alpha')
    const mcp = open({ fs: { command: node, args: [filesystem, folder] } })
    expect((await call(mcp, 'fs__read_text_file', { path: join(folder, 'a.txt') })).text ?? '').toContain(
      'alpha',
    )
    await call(mcp, 'fs__write_file', { path: join(folder, 'b.txt'), content: 'beta' })
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('beta')
    const outside = await failing(call(mcp, 'fs__read_text_file', { path: '/etc/passwd' }))
    expect(outside).toMatchObject({ code: 'TOOL_ERROR', message: expect.stringMatching(/denied|outside/i) })
    const names = (await mcp.tools()).map((tool) => tool.name)
    expect(names).not.toContain('fs__get_prompt')
  })

  it('works beside another server, from --mcp texts', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon mcp-')))
    folders.push(folder)
    const mcp = open([`"${node}" '${filesystem}' "${folder}"`, `${node} ${everything} stdio`])
    const names = (await mcp.tools()).map((tool) => tool.name)
    expect(names).toContain('filesystem__list_directory')
    expect(names).toContain('everything__echo')
    expect(names.indexOf('filesystem__list_directory')).toBeLessThan(names.indexOf('everything__echo'))
  })
})

describe('server-everything over streamable HTTP', () => {
  it('runs tools, and connects again after the server was killed and started anew', async () => {
    const port = await freePort()
    const first = await serve(port)
    const mcp = open({
      web: { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer sk-secret-1' } },
    })
    const tools = await mcp.tools()
    expect(find(tools, 'web__echo').access).toBe('network')
    expect(await call(mcp, 'web__echo', { message: 'one' })).toEqual({ text: 'Echo: one' })
    expect((await mcp.resources()).length).toBeGreaterThan(0)

    const underWay = failing(call(mcp, 'web__trigger-long-running-operation', { duration: 30, steps: 1 }))
    await sleep(300)
    first.kill('SIGKILL')
    const error = await underWay
    expect(error.code).toBe('TOOL_ERROR')
    expect(error.message).toContain('may or may not have happened')

    const down = await failing(call(mcp, 'web__echo', { message: 'x' }))
    expect(down.message).toContain(`nothing answers at http://127.0.0.1:${port}/mcp`)
    expect(JSON.stringify([error, down])).not.toContain('sk-secret')

    await serve(port)
    expect(await call(mcp, 'web__echo', { message: 'two' })).toEqual({ text: 'Echo: two' })
  })

  it('opens a new session when the server has forgotten the old one', async () => {
    const port = await freePort()
    const first = await serve(port)
    const mcp = open([`http://127.0.0.1:${port}/mcp`])
    const echo = find(await mcp.tools(), '127-0-0-1__echo')
    first.kill('SIGKILL')
    await new Promise((resolve) => first.once('exit', resolve))
    await serve(port)
    expect(await echo.run({ message: 'again' }, io())).toEqual({ text: 'Echo: again' })
  })

  it('cancels and times out', async () => {
    const port = await freePort()
    await serve(port)
    const mcp = open({ web: { url: `http://127.0.0.1:${port}/mcp`, timeoutMs: 1500 } })
    await mcp.tools()
    const late = await failing(call(mcp, 'web__trigger-long-running-operation', { duration: 20, steps: 1 }))
    expect(late.code).toBe('TIMEOUT')
    const stop = AbortSignal.timeout(100)
    const input = { duration: 20, steps: 1 }
    expect((await failing(call(mcp, 'web__trigger-long-running-operation', input, stop))).code).toBe(
      'CANCELLED',
    )
    expect(await call(mcp, 'web__echo', { message: 'on' })).toEqual({ text: 'Echo: on' })
  })
})

async function serve(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(node, [everything, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  await new Promise<void>((resolve) =>
    child.stderr?.on('data', (said) => /listening/.test(String(said)) && resolve()),
  )
  return child
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

describe('odd servers', () => {
  it('says what to do when there is no such command', async () => {
    const mcp = open({ none: { command: 'no-such-command-here' } })
    const error = await failing(mcp.tools())
    expect(error.code).toBe('TOOL_ERROR')
    expect(error.message).toContain('"none" could not be started: there is no command "no-such-command-here"')
  })

  it('shows the last words of one that ends at once, without the keys it was given', async () => {
    const env = { SOME_API_KEY: 'sk-live-abcdef123', PLAIN: 'my-account-name' }
    const error = await failing(open({ dead: { ...odd('dead'), env } }).tools())
    expect(error.message).toMatch(/could not be started/)
    expect(error.message).toContain('cannot go on: the key [redacted] of [redacted] is wrong')
    expect(JSON.stringify(error)).not.toContain('sk-live')
  })

  it('keeps keys out of results, and passes on nothing but what it is told', async () => {
    vi.stubEnv('NOT_PASSED', 'should-not-be-seen')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is filled in by the configuration
    const env = { SOME_API_KEY: '${MY_KEY}', PLAIN: 'harmless' }
    const mcp = open({ odd: { ...odd(), env } }, { environment: { MY_KEY: 'sk-live-abcdef123' } })
    expect((await call(mcp, 'odd__key')).text).toBe('the key is [redacted], plain harmless, else undefined')
    const error = await failing(call(mcp, 'odd__crash'))
    expect(error.message).toContain('crashing with [redacted]')
  })

  it('gives the tools of the others when it may report a problem', async () => {
    const problems: string[] = []
    const mcp = open(
      { dead: odd('dead'), odd: odd() },
      { onProblem: (server, error) => problems.push(`${server}: ${error.code}`) },
    )
    const tools = await mcp.tools()
    expect(tools.every((tool) => tool.name.startsWith('odd__'))).toBe(true)
    expect(problems).toEqual(['dead: TOOL_ERROR'])
  })

  it('is not disturbed by lines that are not MCP', async () => {
    expect(await call(open({ odd: odd('chatty') }), 'odd__echo', { text: 'x' })).toEqual({ text: 'x' })
  })

  it('gives up on one that prints only garbage, and on one that says nothing', async () => {
    const flood = await failing(open({ flood: odd('flood') }).tools())
    expect(flood.message).toContain('1000 lines that are not MCP')
    expect(flood.message).toContain('on stdout, which is reserved for MCP messages:\n  y')
    // Nothing after the thousandth line is read.
    expect(flood.message).toMatch(/ y 1000$/)
    const silent = await failing(open({ mute: odd('silent') }, { startTimeoutMs: 700 }).tools())
    expect(silent.message).toContain('did not answer within 700 ms')
  })

  it('speaks the protocol of 2026-07-28 with one that has no other', async () => {
    const mcp = open({ odd: odd('modern') })
    expect(await call(mcp, 'odd__echo', { text: 'new' })).toEqual({ text: 'new' })
  })

  it('starts one again that dies of being asked which protocol it speaks', async () => {
    expect(await call(open({ odd: odd('touchy') }), 'odd__echo', { text: 'old' })).toEqual({ text: 'old' })
    const told = open({ odd: { ...odd('touchy'), protocol: 'legacy' } })
    expect(await call(told, 'odd__echo', { text: 'old' })).toEqual({ text: 'old' })
  })

  it('follows changes of the list of tools; a tool got before still works', async () => {
    const changes: string[] = []
    const mcp = open({ odd: odd() }, { onListChanged: (_, list) => changes.push(list) })
    const before = await mcp.tools()
    await call(mcp, 'odd__add_tool', { name: 'fresh' })
    await expect.poll(() => changes).toEqual(['tools'])
    expect((await mcp.tools()).map((tool) => tool.name)).toContain('odd__fresh')
    expect(before.map((tool) => tool.name)).not.toContain('odd__fresh')
    expect(await find(before, 'odd__echo').run({ text: 'still' }, io())).toEqual({ text: 'still' })
  })

  it('starts a crashing one again so many times, then no more', async () => {
    const mcp = open({ odd: odd() }, { maxRestarts: 2 })
    const crash = find(await mcp.tools(), 'odd__crash')
    const echo = find(await mcp.tools(), 'odd__echo')
    await failing(crash.run({}, io()))
    expect(await echo.run({ text: 'up' }, io())).toEqual({ text: 'up' })
    for (let i = 0; i < 3; i++)
      expect((await failing(crash.run({}, io()))).message).toContain('(exit code 7)')
    const refused = await failing(crash.run({}, io()))
    expect(refused.message).toContain('not started again after 3 failures in a row')
    expect((await failing(mcp.tools())).message).toContain('not started again')
  })

  it('starts one again that died between two calls, without a failed call', async () => {
    const mcp = open({ odd: odd() })
    const pid = Number((await call(mcp, 'odd__pid')).text)
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    await sleep(50)
    expect(Number((await call(mcp, 'odd__pid')).text)).not.toBe(pid)
  })

  it('is started once for many who want it at the same time', async () => {
    const mcp = open({ odd: odd() })
    const pids = await Promise.all(Array.from({ length: 8 }, () => call(mcp, 'odd__pid')))
    expect(new Set(pids.map((one) => one.text)).size).toBe(1)
  })

  it('who gives up waiting for a start does not end it for the others', async () => {
    const mcp = open({ odd: odd() })
    const waiting = mcp.tools()
    expect((await failing(mcp.tools(AbortSignal.abort()))).code).toBe('CANCELLED')
    expect((await waiting).length).toBeGreaterThan(0)
  })

  it('goes on past its time-out while progress is reported', async () => {
    const mcp = open({ odd: { ...odd(), timeoutMs: 1200 } })
    expect(await call(mcp, 'odd__progress')).toEqual({ text: 'done' })
  })

  it('a reply of the wrong shape fails its call only', async () => {
    const mcp = open({ odd: odd() })
    expect((await failing(call(mcp, 'odd__shape'))).code).toBe('TOOL_ERROR')
    expect(await call(mcp, 'odd__echo', { text: 'x' })).toEqual({ text: 'x' })
  })

  it('gives valid names to tools with invalid ones, and calls them by their own', async () => {
    const mcp = open({ 'my server': odd() })
    expect(await call(mcp, 'my_server__bad_name_', { text: 'x' })).toEqual({ text: 'x' })
  })
})

describe('close leaves no process', () => {
  it('also when the server has started others, which hold its pipes', async () => {
    const mcp = open({ odd: odd() })
    const server = Number((await call(mcp, 'odd__pid')).text)
    const child = Number((await call(mcp, 'odd__spawn_child')).text)
    const holder = Number((await call(mcp, 'odd__spawn_child', { holdPipes: true })).text)
    expect([server, child, holder].every(alive)).toBe(true)
    await mcp.close()
    for (const pid of [server, child, holder]) await gone(pid)
  })

  it('also when the server was killed and its children live', async () => {
    const mcp = open({ odd: odd() })
    const server = Number((await call(mcp, 'odd__pid')).text)
    const holder = Number((await call(mcp, 'odd__spawn_child', { holdPipes: true })).text)
    process.kill(server, 'SIGKILL')
    await gone(holder)
  })

  it('also when it does not want to end, is starting, or a call is under way', async () => {
    const mcp = open({ odd: odd('stubborn') })
    const server = Number((await call(mcp, 'odd__pid')).text)
    const hanging = failing(call(mcp, 'odd__hang'))
    await sleep(50)
    await Promise.all([mcp.close(), mcp.close()])
    await gone(server)
    expect((await hanging).code).toBe('TOOL_ERROR')

    const starting = open({ odd: odd('silent') })
    const tools = failing(starting.tools())
    await sleep(100)
    await starting.close()
    expect((await tools).message).toContain('closed')
  })

  it('also when the process exits without closing', async () => {
    const script = `
      import { mcpClient } from ${JSON.stringify(join(import.meta.dirname, 'mcp-client.ts'))}
      const mcp = mcpClient({ odd: ${JSON.stringify(odd('stubborn'))} })
      const tool = (await mcp.tools()).find((one) => one.name === 'odd__pid')
      console.log((await tool.run({}, { signal: new AbortController().signal })).text)
      process.exit(0)`
    const child = spawn(node, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
    await gone(Number(said))
  })
})
