// `thinkon doctor` as users start it, in folders of their own.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startFakeEmbeddings } from '../models/fake-embeddings.ts'
import { manyCommands, type Told } from './cli-many.ts'
import { bin, type Ended, endOf } from './cli-process.ts'

const folders: string[] = []
const many = manyCommands()
afterAll(() => {
  many.end()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Case {
  files?: Record<string, string>
  env?: NodeJS.ProcessEnv
  args?: string[]
}

async function doctor({ files = {}, env = {}, args = [] }: Case): Promise<Ended & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-doctor-'))
  folders.push(folder)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const all = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    LANG: 'C.UTF-8',
    THINKON_TRUST: '1',
    THINKON_PROBE: 'off',
    ...env,
  }
  const told = { args: ['doctor', ...args], cwd: folder, env: all }
  return { ...(await (many.tell(told) ?? alone(told))), folder }
}

function alone({ args, cwd, env }: Told): Promise<Ended> {
  return endOf(spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

const config = (value: object) => ({ 'thinkon.config.json': JSON.stringify(value, null, 2) })

interface Report {
  ok: boolean
  findings: { area: string; level: string; text: string; name?: string; todo?: string; data?: unknown }[]
}

async function report(given: Case): Promise<Report & { code: number | null }> {
  const { code, stdout, stderr } = await doctor({ ...given, args: [...(given.args ?? []), '--json'] })
  expect(stderr).toBe('')
  return { ...JSON.parse(stdout), code }
}

describe('a run could start', () => {
  it('with a key under its old name, which the report and the run warn of', async () => {
    const files = config({ trouble: { maxAttempts: 2 } })
    const warning = 'thinkon.config.json:2:3: trouble is called "resilience" now: rename the key'
    const { code, findings } = await report({ files })
    expect(findings).toContainEqual(expect.objectContaining({ level: 'note', text: warning }))
    expect(code).toBe(0)
    const { folder } = await doctor({ files })
    const run = await alone({
      args: ['run', '1 + 2'],
      cwd: folder,
      env: { ...process.env, THINKON_TRUST: '1' },
    })
    expect([run.code, run.stderr.includes(warning)]).toEqual([0, true])
  })

  it('with nothing configured, on the embedded model, and nothing is left behind', async () => {
    const { code, stdout, stderr } = await doctor({})
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /✓ Model +embedded:mini \(nothing else is configured; a small language model for arithmetic,?\s/,
    )
    expect(stdout).toMatch(/· Keys +none set/)
    expect(stdout).toMatch(/✓ Store +\/.*runs\.db · created by the first run/)
    expect(stdout).toMatch(/· Approval +allow read, memory__save · ask write, network, execute/)
    expect(code).toBe(0)
  })

  it('with a key, which is named and never shown', async () => {
    const env = { OPENAI_API_KEY: 'sk-sesame-open-0123456789', ANTHROPIC_API_KEY: 'sesame-open-too-987654' }
    for (const args of [[], ['--json'], ['--lang', 'zh']]) {
      const { code, stdout } = await doctor({ env, args })
      expect(stdout).toContain('OPENAI_API_KEY')
      expect(stdout).toContain('openai:gpt-6.1-terra')
      expect(stdout).not.toContain('sesame')
      expect(code).toBe(0)
    }
  })

  it('with a configuration in TypeScript and a model for a role', async () => {
    const text =
      'export default {\n  model: "openai:gpt-5",\n  models: { judge: { model: "anthropic:claude-sonnet-5-5", temperature: 0 } },\n' +
      '  tools: { builtin: { shell: false } },\n} as const\n'
    const { code, stdout } = await doctor({
      files: { 'thinkon.config.ts': text },
      env: { OPENAI_API_KEY: 'k-1234567890', ANTHROPIC_API_KEY: 'k-0987654321' },
    })
    expect(stdout).toMatch(/✓ Configuration +thinkon\.config\.ts · model, models, tools/)
    expect(stdout).toMatch(/✓ Model +openai:gpt-5 \(from thinkon\.config\.ts\) · \$1\.25 in/)
    expect(stdout).toMatch(/judge: anthropic:claude-sonnet-5-5 · temperature 0/)
    expect(stdout).toMatch(/off: shell, http_fetch/)
    expect(code).toBe(0)
  })

  it('on a server of this machine', async () => {
    const server = createServer((_, response) => response.end('{"models":[{"name":"qwen3:8b"}]}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const env = { THINKON_PROBE: '', OLLAMA_HOST: host }
    const { code, findings } = await report({ env })
    const missing = await report({ env, args: ['--model', 'ollama:llama9'] })
    server.close()
    expect(findings).toContainEqual(
      expect.objectContaining({
        area: 'model',
        text: `ollama:qwen3:8b (a local server answers at http://${host})`,
      }),
    )
    expect(code).toBe(0)
    expect(missing.findings).toContainEqual(
      expect.objectContaining({ area: 'model', level: 'bad', todo: 'ollama pull llama9' }),
    )
    expect(missing.code).toBe(2)
  })

  it('with servers, which are started only when asked to', async () => {
    const everything = join(
      import.meta.dirname,
      '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
    )
    const files = config({
      mcp: { all: { command: process.execPath, args: [everything] }, gone: '/no/such/program' },
    })
    const shallow = await report({ files })
    expect(shallow.findings.filter(({ area }) => area === 'mcp')).toMatchObject([
      { name: 'all', level: 'note' },
      { name: 'gone', level: 'note' },
    ])
    const deep = await report({ files, args: ['--deep'] })
    expect(deep.findings.filter(({ area }) => area === 'mcp')).toMatchObject([
      { name: 'all', level: 'good', text: expect.stringContaining('all__echo') },
      { name: 'gone', level: 'warn' },
    ])
    expect(deep.code).toBe(0)
  })

  it('and is told so in Chinese, by an option or by the configuration', async () => {
    for (const given of [{ args: ['--lang', 'zh'] }, { files: config({ lang: 'zh' }) }]) {
      const { stdout } = await doctor(given)
      expect(stdout).toMatch(/✓ 模型 +embedded:mini（?.*只会算术的小语言模型/)
      expect(stdout).toMatch(/可以运行/)
    }
  })

  it('on a terminal without Unicode', async () => {
    const { stdout } = await doctor({ env: { LANG: 'C' } })
    expect(stdout).toMatch(/^\+ System/)
    expect(stdout).not.toContain('✓')
  })
})

describe('no run could start', () => {
  it.each<[what: string, given: Case, said: RegExp]>([
    [
      'a configuration that is wrong in two places',
      { files: config({ modle: 'x', budget: { calls: -1 } }) },
      /✗ Configuration +thinkon\.config\.json:2:3: unknown key "modle": did you mean "model"\?\n✗ +thinkon\.config\.json:4:14: budget\.calls must be[\s\S]*No run can start: 2 problems/,
    ],
    [
      'an unknown strategy',
      { files: config({ strategy: 'minmal' }) },
      /2:15: strategy "minmal" is unknown: did you mean "minimal"/,
    ],
    [
      'two configurations',
      { files: { ...config({}), 'thinkon.config.js': '' } },
      /both hold a configuration/,
    ],
    [
      'a key that is missing',
      { args: ['--model', 'openai:gpt-5'] },
      /✗ Model +openai:gpt-5 needs a key: set OPENAI_API_KEY/,
    ],
    ['a model that is no spec', { env: { THINKON_MODEL: 'gpt-5' } }, /✗ Model +can't use the model "gpt-5"/],
    [
      'a model file that is missing',
      { files: config({ model: 'module:./m.ts' }) },
      /✗ Model +can't load module:/,
    ],
    [
      'a server that is down',
      { env: { THINKON_PROBE: '', OLLAMA_HOST: '127.0.0.1:9' }, files: config({ model: 'ollama:qwen3' }) },
      /✗ Model +ollama:qwen3 \(from thinkon\.config\.json\): no server responds at http:\/\/127\.0\.0\.1:9\n +→ start it: ollama serve/,
    ],
    [
      'an address that does not answer',
      { files: config({ model: 'http://127.0.0.1:9/v1#m' }) },
      /✗ Model +http:.*: no server responds at http:\/\/127\.0\.0\.1:9/,
    ],
    [
      'a variable that is not set',
      { files: config({ model: { model: 'openai:a', apiKey: '$' + '{MY_KEY}' } }) },
      /✗ Model +model\.apiKey needs the environment variable MY_KEY/,
    ],
    [
      'a variable of the embedding that is not set',
      { files: config({ embedding: { model: 'openai:a', apiKey: '$' + '{MY_KEY}' } }) },
      /✗ Memory +embedding\.apiKey needs the environment variable MY_KEY/,
    ],
    [
      'a store that is none',
      { files: { 'x.db': 'no store'.repeat(99) }, args: ['--store', 'x.db'] },
      /✗ Store +.*is not a Thinkon store/,
    ],
    [
      'a store in a file',
      { files: { f: '' }, args: ['--store', 'f/x.db'] },
      /✗ Store +.*can't be written\n +→ make it writable/,
    ],
    [
      'executors that are wrong',
      { files: { '.thinkon/executors/executors.yaml': 'executors:\n  - id: a\n    comand: ls\n' } },
      /✗ Executors +\.thinkon\/executors\/executors\.yaml:\d+:\d+: /,
    ],
    ['executors that are missing', { files: config({ executors: 'no.yaml' }) }, /✗ Executors +.*no\.yaml/],
    [
      'an MCP server without its variable',
      { files: config({ mcp: { web: { url: 'https://x.org/mcp', headers: { a: '$' + '{WEB_KEY}' } } } }) },
      /✗ MCP servers +web: .*WEB_KEY/,
    ],
    [
      'tools that are not there',
      { files: config({ tools: { idempotent: ['nothing'] } }) },
      /names unknown tools: nothing/,
    ],
  ])('%s', async (_, given, said) => {
    const { code, stdout, stderr } = await doctor({ ...given, env: { COLUMNS: '300', ...given.env } })
    expect(stdout).toMatch(said)
    expect(stderr).toBe('')
    expect(code).toBe(2)
  })

  it.each<[args: string[], said: RegExp]>([
    [['--lang', 'fr'], /--lang must be en or zh/],
    [['--workspace', '/no/such'], /the workspace \/no\/such is not a folder/],
    [['--dep'], /no option "--dep"; did you mean "--deep"/],
  ])('a wrong call: %j', async (args, said) => {
    const { code, stderr } = await doctor({ args })
    expect(stderr).toMatch(said)
    expect(code).toBe(2)
  })
})

it('does not show a key in an address', async () => {
  for (const args of [[], ['--json']]) {
    const env = { THINKON_MODEL: 'http://me:sesame@127.0.0.1:9/v1?key=sesame#m' }
    const { code, stdout } = await doctor({ env, args })
    expect(stdout).toContain("don't belong in the address")
    expect(stdout).not.toContain('sesame')
    expect(code).toBe(2)
  }
})

describe('the memory', () => {
  const memoryLine = async (given: Case) => {
    const { findings, code } = await report(given)
    return { code, ...findings.find(({ area }) => area === 'memory') }
  }

  it('is searched by words only, unless an embedding is configured', async () => {
    const { stdout } = await doctor({})
    expect(stdout).toMatch(/· Memory +searched by words only\n +→ to search by meaning too, set "embedding"/)
    const { url, requests, close } = await startFakeEmbeddings()
    const embedding = `${url}#small`
    expect(await memoryLine({ files: config({ embedding }) })).toMatchObject({
      level: 'good',
      text: `searched by words and by meaning (${embedding})`,
      data: { embedding },
    })
    const zh = await doctor({ files: config({ embedding }), args: ['--lang', 'zh'] })
    expect(zh.stdout).toMatch(/✓ 记忆 +按词语和语义检索/)
    await close()
    expect(requests).toEqual([])
    const own = 'export default { embedding: async (texts) => texts.map(() => [1]) }'
    expect(await memoryLine({ files: { 'thinkon.config.js': own } })).toMatchObject({
      level: 'good',
      text: 'searched by words and by meaning (function)',
    })
  })

  it.each<[what: string, embedding: unknown, said: RegExp]>([
    [
      'a key is missing',
      'openai:text-embedding-3-small',
      /words only: openai:.* needs a key: set OPENAI_API_KEY/,
    ],
    ['a server is down', 'http://127.0.0.1:9/v1#m', /words only: http:.*#m: no server responds at/],
  ])('is searched by words only when %s, and a run can start', async (_, embedding, said) => {
    const line = await memoryLine({ files: config({ embedding }) })
    expect(line).toMatchObject({ level: 'warn', text: expect.stringMatching(said), code: 0 })
  })
})

it('warns of rules about tools that are not there', async () => {
  const { findings, code } = await report({ files: config({ approval: { deny: ['shel(rm *)'] } }) })
  expect(findings).toContainEqual(
    expect.objectContaining({ area: 'approval', level: 'warn', text: expect.stringContaining('shel(rm *)') }),
  )
  expect(code).toBe(0)
})

it('says whom serve tells of runs, without the query of an address, and whether their secrets can be used', async () => {
  const secret = ['$', '{HOOK_SECRET}'].join('')
  const webhooks = [{ url: 'https://example.com/hook?key=abc', secret, events: ['run.ended'], content: true }]
  const known = { HOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` }
  const told = async (env: NodeJS.ProcessEnv) =>
    (await report({ files: config({ webhooks }), env })).findings.filter(({ area }) => area === 'webhooks')
  const text = 'https://example.com/hook · run.ended · with goals and results'
  expect(await told(known)).toMatchObject([{ level: 'good', text }])
  expect(await told({})).toMatchObject([
    { level: 'note', text },
    { level: 'warn', text: expect.stringContaining('HOOK_SECRET') },
  ])
})
