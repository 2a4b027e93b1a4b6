import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { EngineOptions } from '../engine.ts'
import { ThinkonError } from '../protocol/index.ts'
import { parsePolicy } from '../tools/approval/policy.ts'
import { allowedHosts } from '../tools/builtin/hosts.ts'
import { builtinTools } from '../tools/builtin/index.ts'
import { readResultTool } from '../tools/builtin/read-result.ts'
import { readServers } from '../tools/mcp/server-config.ts'
import { BUILTIN_TOOLS, type ThinkonConfig } from './config.ts'
import { type ConfiguredModels, configuredEmbedding } from './configured-models.ts'
import { loadConfig } from './load-config.ts'
import { checkConfig } from './schema.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-config-'))
  folders.push(folder)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

async function errorOf(files: Record<string, string>): Promise<ThinkonError> {
  const thrown = await loadConfig(folderWith(files), { strategies: ['minimal', 'fractal'] }).catch(
    (error) => error,
  )
  expect(thrown).toBeInstanceOf(ThinkonError)
  expect(thrown.code).toBe('BAD_INPUT')
  return thrown
}

const fromEnv = (name: string) => `\${${name}}`
const json = (text: string) => ({ 'thinkon.config.json': text })

describe('a configuration that is right', () => {
  it.each<[what: string, config: ThinkonConfig]>([
    ['empty', {}],
    ['a spec', { model: 'openai:gpt-5' }],
    ['an address', { model: 'http://127.0.0.1:8080/v1#qwen' }],
    [
      'a model with settings',
      { model: { model: 'ollama:qwen3', temperature: 0.2, seed: 7, maxOutputTokens: 500 } },
    ],
    [
      'a model with a key',
      { model: { model: 'openai:gpt-5', apiKey: fromEnv('MY_KEY'), headers: { 'x-a': 'b' } } },
    ],
    ['an embedding', { embedding: 'ollama:nomic-embed-text' }],
    ['an embedding at an address', { embedding: 'http://127.0.0.1:8080/v1#small' }],
    [
      'an embedding with settings',
      { embedding: { model: 'openai:text-embedding-3-small', name: 'small', apiKey: fromEnv('MY_KEY') } },
    ],
    ['roles', { models: { plan: 'openai:gpt-5', judge: { model: 'anthropic:claude', temperature: 0 } } }],
    ['settings of a role alone', { models: { judge: { temperature: 0, seed: 1, promptTokens: 9_000 } } }],
    [
      'lengths of prompts',
      { promptTokens: 20_000, model: { model: 'ollama:qwen3', window: 32_768, promptTokens: 8_000 } },
    ],
    ['a strategy', { strategy: 'minimal' }],
    ['options of strategies', { options: { tot: { beam: 3 }, fractal: {} } }],
    [
      'routes',
      {
        routes: [
          { when: { kind: 'leaf', depth: { from: 2 } }, use: 'minimal' },
          {
            when: { caller: 'fractal', depth: 1, goal: '^find|查' },
            use: { strategy: 'minimal', options: {} },
          },
          { when: {}, use: 'fractal' },
        ],
      },
    ],
    ['fallbacks', { fallbacks: { fractal: 'minimal', minimal: { strategy: 'fractal', options: { a: 1 } } } }],
    ['a budget', { budget: { depth: 3, tokens: 1000, calls: 10, timeMs: 60_000, costUsd: 0.5 } }],
    ['a store in memory', { store: ':memory:' }],
    ['prices', { prices: { 'openai:gpt-5': { input: 1, output: 2, cachedInput: 0.5 } } }],
    [
      'a price for long input',
      { prices: { m: { input: 1, output: 2, long: { above: 9, input: 2, output: 3 } } } },
    ],
    [
      'resilience',
      { resilience: { maxAttempts: 3, idleMs: 1000, providers: { openai: { maxConcurrent: 2 } } } },
    ],
    [
      'approval',
      { approval: { allow: ['read', 'shell(npm test *)', 'tool:read'], ask: ['*'], deny: ['shell(rm *)'] } },
    ],
    ['no built-in tools', { tools: { builtin: false } }],
    ['some built-in tools', { tools: { builtin: { shell: false, write_file: true } } }],
    ['the shell', { tools: { shell: { sandbox: 'require', network: true, env: ['CI'], timeoutMs: 1000 } } }],
    [
      'hosts',
      {
        tools: { http: { allow: ['example.com', '*.a.org', 'localhost:80', '10.0.0.0/8', '[::1]:80', '*'] } },
      },
    ],
    ['idempotent tools', { tools: { idempotent: ['files__write_file'] } }],
    [
      'MCP servers',
      { mcp: { a: 'npx -y server', b: { command: 'node', args: ['x', ''] }, c: { url: 'https://h/mcp' } } },
    ],
    [
      'an MCP address from the environment',
      { mcp: { a: { url: fromEnv('URL'), headers: { authorization: 'x' } } } },
    ],
    ['a language', { lang: 'zh' }],
    ['a schema for editors', { $schema: './node_modules/thinkon/x.json' }],
  ])('%s', async (_, config) => {
    const folder = folderWith(json(JSON.stringify(config)))
    await expect(loadConfig(folder)).resolves.toEqual({
      config,
      source: 'thinkon.config.json',
      path: join(folder, 'thinkon.config.json'),
    })
  })

  it('has a key under its old name: it counts under the new one, with a warning', async () => {
    const old = { maxAttempts: 2, providers: { openai: { idleMs: 9 } } }
    const models = { plan: { temperature: 0 }, judge: { model: 'openai:b', trouble: { idleMs: 3 } } }
    const folder = folderWith(
      json(JSON.stringify({ trouble: old, model: { model: 'openai:a', trouble: { idleMs: 1 } }, models })),
    )
    expect(await loadConfig(folder)).toMatchObject({
      config: {
        resilience: old,
        model: { model: 'openai:a', resilience: { idleMs: 1 } },
        models: { plan: { temperature: 0 }, judge: { model: 'openai:b', resilience: { idleMs: 3 } } },
      },
      warnings: [
        'thinkon.config.json:1:2: trouble is called "resilience" now: rename the key',
        'thinkon.config.json:1:94: model.trouble is called "resilience" now: rename the key',
        'thinkon.config.json:1:181: models.judge.trouble is called "resilience" now: rename the key',
      ],
    })
  })

  it('is not there', async () => {
    await expect(loadConfig(folderWith({ 'package.json': '{"name":"x"}' }))).resolves.toEqual({
      config: {},
      source: null,
      path: null,
    })
  })

  it('stands in package.json', async () => {
    const folder = folderWith({ 'package.json': '{"name":"x","thinkon":{"lang":"en"}}' })
    const loaded = await loadConfig(folder)
    expect(loaded).toMatchObject({ config: { lang: 'en' }, source: 'package.json#thinkon' })
  })

  it('is not looked for in the folders above', async () => {
    const folder = folderWith({ ...json('{"lang":"zh"}'), 'inner/file': '' })
    expect((await loadConfig(join(folder, 'inner'))).config).toEqual({})
  })

  it('has its paths from its own folder', async () => {
    const config = {
      model: 'module:./m.ts',
      models: { act: { model: 'gguf:a.gguf', seed: 1 }, plan: 'replay:/r.jsonl' },
      store: 'runs.db',
      workspace: 'work',
      executors: 'ex.yaml',
    }
    const folder = folderWith(json(JSON.stringify(config)))
    expect((await loadConfig(folder)).config).toEqual({
      model: `module:${folder}/m.ts`,
      models: { act: { model: `gguf:${folder}/a.gguf`, seed: 1 }, plan: 'replay:/r.jsonl' },
      store: `${folder}/runs.db`,
      workspace: `${folder}/work`,
      executors: `${folder}/ex.yaml`,
    })
  })

  it('is read with tabs, a byte order mark and every kind of escape', async () => {
    const folder = folderWith(
      json('\ufeff{\r\n\t"strategy": "a\\u0062\\"\\\\\\/\\n",\r\n\t"budget": {"costUsd": 1.5e-1}\r\n}\n'),
    )
    expect((await loadConfig(folder)).config).toEqual({ strategy: 'ab"\\/\n', budget: { costUsd: 0.15 } })
  })
})

describe('a configuration that is wrong, in JSON', () => {
  it.each<[what: string, lines: string[], said: string]>([
    ['no object', ['[]'], '1:1: the configuration must be an object, not a list'],
    [
      'an unknown key',
      ['{', '  "modle": "openai:x"', '}'],
      '2:3: unknown key "modle": did you mean "model"?',
    ],
    ['a key from elsewhere', ['{ "mcpServers": {} }'], '1:3: unknown key "mcpServers": did you mean "mcp"?'],
    [
      'a key like none',
      ['{"zzzzzzzz": 1}'],
      '1:2: unknown key "zzzzzzzz"; there are: model, models, strategy',
    ],
    [
      'an unknown role',
      ['{"models": {', ' "jugde": "a:b"}}'],
      '2:2: unknown key "jugde" in models: did you mean "judge"?',
    ],
    [
      'an unknown setting',
      ['{"models":{"act":{"model":"ollama:x",', '"temprature":1}}}'],
      '2:1: unknown key "temprature" in models.act: did you mean "temperature"?',
    ],
    [
      'a model without a provider',
      ['{"model": "gpt-5"}'],
      '1:11: model "gpt-5" names no provider: did you mean "openai:gpt-5"?',
    ],
    [
      'an unknown provider',
      ['{"model": "opanai:gpt-5"}'],
      '1:11: model "opanai:gpt-5" begins with "opanai:", which is unknown: did you mean "openai:"?',
    ],
    [
      'no model after the provider',
      ['{"model": "ollama:"}'],
      '1:11: model "ollama:" names no model: write ollama:<model>',
    ],
    ['no file', ['{"model": "module:"}'], '1:11: model "module:" names no file'],
    [
      'an address without a model',
      ['{"model": "http://h/v1"}'],
      '1:11: model names no model: write it after #',
    ],
    [
      'a key in an address',
      ['{"model": "http://u:sesame@h/v1#m"}'],
      '1:11: model must not have a key or a query in the address',
    ],
    [
      'a model that is a number',
      ['{"model": 5}'],
      '1:11: model must be a model spec such as "openai:gpt-5", a model object, an object with "model" and settings, or a list of these',
    ],
    [
      'one of several models that is wrong',
      ['{"models": {"plan": ["openai:a", "opanai:b"]}}'],
      '1:34: models.plan[1] "opanai:b" begins with "opanai:", which is unknown: did you mean "openai:"?',
    ],
    [
      'a text with a wrong model',
      ['{"model": "openai:a,ollama:"}'],
      '1:11: model "openai:a,ollama:" names no model',
    ],
    ['an empty list of models', ['{"model": []}'], '1:11: model must name at least one model'],
    [
      'an outage that does what is unknown',
      ['{"onOutage": "stop"}'],
      '1:14: onOutage must be "wait" or "fail"',
    ],
    [
      'a model entry without its model',
      ['{"model": {"seed": 1}}'],
      '1:11: model needs "model", which must be a model spec',
    ],
    ['a key without a model', ['{"models": {"act": {"apiKey": "k"}}}'], '1:20: models.act needs "model"'],
    [
      'a key that is no text',
      ['{"model": {"model": "openai:x", "apiKey": 12345678}}'],
      '1:43: model.apiKey must be a text that is not empty, not a number',
    ],
    [
      'too short a prompt',
      ['{ "promptTokens": 999 }'],
      '1:19: promptTokens must be a whole number of 1000 or more, not 999',
    ],
    [
      'a temperature that is a text',
      ['{"models": {"act": {', '  "temperature": "hot"', '}}}'],
      '2:18: models.act.temperature must be a number of 0 or more, not "hot"',
    ],
    [
      'a negative seed',
      ['{"models":{"act":{"seed":-1}}}'],
      '1:26: models.act.seed must be a whole number of 0 or more, not -1',
    ],
    [
      'a wrong setting of a local model file',
      ['{"model": {"model": "gguf:a.gguf", "gguf": {', '  "sequences": 0}}}'],
      '2:16: model.gguf.sequences must be a whole number from 1 to 64, not 0',
    ],
    [
      'an unknown setting of a local model file',
      ['{"model": {"model": "gguf:a.gguf", "gguf": {', '  "gpus": false}}}'],
      '2:11: model.gguf.gpus is unknown: did you mean "gpu"?',
    ],
    ['null', ['{"store": null}'], '1:11: store must be a text that is not empty, not null'],
    ['an empty text', ['{"strategy": ""}'], '1:14: strategy must be a text that is not empty, not ""'],
    [
      'an unknown strategy',
      ['{"strategy": "fractale"}'],
      '1:14: strategy "fractale" is unknown: did you mean "fractal"?',
    ],
    [
      'options of an unknown strategy',
      ['{"options": {', '  "fractl": {}}}'],
      '2:3: options.fractl: strategy "fractl" is unknown: did you mean "fractal"?',
    ],
    [
      'options that are no object',
      ['{"options": {"fractal": 3}}'],
      '1:25: options.fractal must be an object with options of the strategy, not 3',
    ],
    ['routes that are no list', ['{"routes": {}}'], '1:12: routes must be a list of routes, not an object'],
    [
      'a route without a strategy',
      ['{"routes": [{"when": {}}]}'],
      '1:13: routes[0] needs "use", which names a strategy',
    ],
    [
      'a route for nobody knows what',
      ['{"routes": [{"use": "minimal"}]}'],
      '1:13: routes[0] needs "when", which says which blocks it applies to; {} means all',
    ],
    [
      'a route to an unknown strategy',
      ['{"routes": [{"when": {},', ' "use": "minimul"}]}'],
      '2:9: routes[0].use: strategy "minimul" is unknown: did you mean "minimal"?',
    ],
    [
      'a route to an unknown strategy with options',
      ['{"routes": [{"when": {}, "use": {"strategy": "zzzzz"}}]}'],
      '1:46: routes[0].use.strategy: strategy "zzzzz" is unknown; there are: minimal, fractal',
    ],
    [
      'a kind of block that is none',
      ['{"routes": [{"when": {"kind": "leef"}, "use": "minimal"}]}'],
      '1:31: routes[0].when.kind must be "leaf" or "plan" or "search", not "leef": did you mean "leaf"?',
    ],
    [
      'a route by an unknown key',
      ['{"routes": [{"when": {"kin": "leaf"}, "use": "minimal"}]}'],
      '1:23: unknown key "kin" in routes[0].when: did you mean "kind"?',
    ],
    [
      'a depth that is none',
      ['{"routes": [{"when": {"depth": {"from": -1}}, "use": "minimal"}]}'],
      '1:41: routes[0].when.depth.from must be a whole number of 0 or more, not -1',
    ],
    [
      'depths that are no range',
      ['{"routes": [{"when": {"depth": {"from": 3, "to": 2}}, "use": "minimal"}]}'],
      '1:32: routes[0].when.depth goes from 3 to 2: no block matches',
    ],
    [
      'a pattern that is none',
      ['{"routes": [{"when": {"goal": "(find"}, "use": "minimal"}]}'],
      "1:31: routes[0].when.goal can't be used as a pattern: Invalid regular expression: /(find/iu: Unterminated group",
    ],
    [
      'an unknown caller',
      ['{"routes": [{"when": {"caller": "nobody"}, "use": "minimal"}]}'],
      '1:33: routes[0].when.caller: strategy "nobody" is unknown; there are: minimal, fractal',
    ],
    [
      'a fallback on nobody',
      ['{"fallbacks": {"fractal": "nobody"}}'],
      '1:27: fallbacks.fractal: strategy "nobody" is unknown; there are: minimal, fractal',
    ],
    [
      'a fallback of nobody',
      ['{"fallbacks": {', '"fractale": "minimal"}}'],
      '2:1: fallbacks.fractale: strategy "fractale" is unknown: did you mean "fractal"?',
    ],
    [
      'a fallback on itself',
      ['{"fallbacks": {"fractal": {"strategy": "fractal"}}}'],
      '1:27: fallbacks.fractal is "fractal" itself, which has already tried the block',
    ],
    [
      'an unknown limit',
      ['{"budget": {', '"tokns": 1}}'],
      '2:1: unknown key "tokns" in budget: did you mean "tokens"?',
    ],
    [
      'a limit that is a text',
      ['{"budget": {', '  "tokens": "many"', '}}'],
      '2:13: budget.tokens must be a whole number of 0 or more, not "many"',
    ],
    [
      'a limit with a fraction',
      ['{"budget":{"calls":1.5}}'],
      '1:20: budget.calls must be a whole number of 0 or more, not 1.5',
    ],
    [
      'a negative cost',
      ['{"budget":{"costUsd":-1}}'],
      '1:22: budget.costUsd must be a number of 0 or more, not -1',
    ],
    [
      'half a price',
      ['{"prices": {"openai:gpt-5": {"input": 1}}}'],
      '1:29: prices["openai:gpt-5"] needs "output"',
    ],
    [
      'a price that is a text',
      ['{"prices": {"m": {"input": "1", "output": 2}}}'],
      '1:28: prices.m.input must be a number of 0 or more, not "1"',
    ],
    [
      'no attempt at all',
      ['{"trouble": {"maxAttempts": 0}}'],
      '1:29: trouble.maxAttempts must be a whole number of 1 or more, not 0',
    ],
    [
      'an old key beside the new one',
      ['{"resilience": {}, "trouble": {}}'],
      '1:20: trouble is the old name of "resilience", which is given, too: keep "resilience"',
    ],
    [
      'no attempt, under the new name',
      ['{"resilience": {"maxAttempts": 0}}'],
      '1:32: resilience.maxAttempts must be a whole number of 1 or more, not 0',
    ],
    [
      'a time-out of nothing',
      ['{"resilience": {"providers": {"openai": {"idleMs": 0}}}}'],
      '1:52: resilience.providers.openai.idleMs must be a whole number of milliseconds above 0, not 0',
    ],
    [
      'a rule that is none',
      ['{"approval": {"allow": ["read",', '  "shell(npm"]}}'],
      '2:3: approval.allow[1] "shell(npm" is not a rule',
    ],
    [
      'a rule with an empty pattern',
      ['{"approval": {"deny": ["shell( )"]}}'],
      '1:24: approval.deny[0] "shell( )" is not a rule',
    ],
    [
      'rules that are no list',
      ['{"approval": {"allow": "read"}}'],
      '1:24: approval.allow must be a list of rules such as',
    ],
    [
      'an unknown verdict',
      ['{"approval": {"forbid": []}}'],
      '1:15: unknown key "forbid" in approval; there are: allow, ask, deny',
    ],
    [
      'an unknown tool',
      ['{"tools": {"builtin": {"shel": false}}}'],
      '1:24: unknown key "shel" in tools.builtin: did you mean "shell"?',
    ],
    [
      'a tool that is neither on nor off',
      ['{"tools": {"builtin": {"shell": "no"}}}'],
      '1:33: tools.builtin.shell must be true or false, not "no"',
    ],
    [
      'tools in a list',
      ['{"tools": {"builtin": ["shell"]}}'],
      '1:23: tools.builtin must be true, false, or an object such as { "shell": false }, not a list',
    ],
    [
      'an unknown sandbox',
      ['{"tools": {"shell": {"sandbox": "requires"}}}'],
      '1:33: tools.shell.sandbox must be "auto" or "require" or "off", not "requires": did you mean "require"?',
    ],
    [
      'the value of a variable',
      ['{"tools": {"shell": {"env": ["A=sesame"]}}}'],
      '1:30: tools.shell.env[0] must be the name of an environment variable, without its value',
    ],
    [
      'http without hosts',
      ['{"tools": {"http": {"timeoutMs": 5}}}'],
      '1:20: tools.http needs "allow", which must be a list of hosts',
    ],
    [
      'an address for a host',
      ['{"tools": {"http": {"allow": ["https://a.b/c"]}}}'],
      '1:31: tools.http.allow[0] "https://a.b/c" is not a host',
    ],
    ['an MCP server that is neither', ['{"mcp": {"files": {}}}'], '1:19: mcp.files needs "command"'],
    [
      'an MCP server with a typo',
      ['{"mcp": {"files": {"command": "x",', ' "arg": []}}}'],
      '2:2: unknown key "arg" in mcp.files: did you mean "args"?',
    ],
    [
      'MCP servers in a list',
      ['{"mcp": ["x"]}'],
      '1:9: mcp must be an object: names and servers, not a list',
    ],
    [
      'an MCP address that is none',
      ['{"mcp": {"web": {"url": "ftp://x"}}}'],
      '1:25: mcp.web.url must begin with http:// or https://',
    ],
    [
      'a bad class of a tool',
      ['{"mcp": {"a": {"command": "x", "access": {"t": "reed"}}}}'],
      '1:48: mcp.a.access.t must be "read" or "write" or "network" or "execute", not "reed": did you mean "read"?',
    ],
    [
      'an embedding that is none',
      ['{"embedding": "anthropic:claude"}'],
      '1:15: embedding "anthropic:claude" is not an embedding model; there are openai:<model>, google:<model>, ollama:<model> or http://host/v1#<model>',
    ],
    [
      'an embedding without its provider',
      ['{"embedding": {"model": "text-embedding-3-small"}}'],
      '1:25: embedding.model "text-embedding-3-small" names no provider: did you mean "openai:text-embedding-3-small"?',
    ],
    [
      'an embedding without a model',
      ['{"embedding": "ollama:"}'],
      '1:15: embedding "ollama:" names no model',
    ],
    [
      'an embedding with a key in its address',
      ['{"embedding": "http://me:sesame@host/v1#m"}'],
      '1:15: embedding must not have a key or a query in the address',
    ],
    [
      'an embedding that is a number',
      ['{"embedding": 5}'],
      '1:15: embedding must be a spec such as "openai:text-embedding-3-small", a function of texts, or an AI SDK embedding model, or an object with "model" and settings, not 5',
    ],
    [
      'a setting that an embedding does not have',
      ['{"embedding": {"model": "ollama:m", "temperature": 1}}'],
      '1:37: unknown key "temperature" in embedding',
    ],
    ['an unknown language', ['{"lang": "fr"}'], '1:10: lang must be "en" or "zh", not "fr"'],
    ['a key twice', ['{"budget": {"calls": 1,', '  "calls": 2}}'], '2:3: "calls" occurs twice in budget'],
    // Syntax
    ['nothing', [''], '1:1: the file ends here: a value is expected'],
    ['a comma too many', ['{', '  "lang": "en",', '}'], '3:1: a comma must not come before }'],
    [
      'a comma too few',
      ['{', '  "lang": "en"', '  "store": "x"', '}'],
      '3:3: unexpected "\\"": "," or "}" is expected',
    ],
    ['a comment', ['{', '  // hm', '}'], '2:3: JSON has no comments'],
    ['single quotes', ['{', "  'lang': 'en'}"], '2:3: unexpected "\'": a key in double quotes is expected'],
    ['a value in single quotes', ['{"lang": \'en\'}'], "1:10: strings need double quotes, not '…'"],
    ['a word', ['{"lang":', ' en}'], '2:2: unexpected "e": a value is expected'],
    ['a cut file', ['{"budget": {"calls": 1'], '1:23: the file ends here: "," or "}" is expected'],
    ['a text over two lines', ['{"lang": "e', 'n"}'], '1:12: the string is not closed by " on its line'],
    ['something after the end', ['{}', 'x'], '2:1: unexpected "x": nothing more is expected'],
    ['a number that is none', ['{"budget": {"calls": 01}}'], '1:23: unexpected "1"'],
  ])('%s', async (_, lines, said) => {
    const { message } = await errorOf(json(lines.join('\n')))
    expect(message).toContain(`thinkon.config.json:${said}`)
    expect(message).not.toContain('sesame')
  })

  it('tells of a backslash that is alone', async () => {
    const { message } = await errorOf(json('{"store": "C:\\data"}'))
    expect(message).toContain('1:14: \\d means nothing in JSON; a backslash is written \\\\')
  })

  it('tells all that is wrong, in the order of the file', async () => {
    const text = '{\n  "lang": "fr",\n  "budget": { "calls": -1, "dept": 2 },\n  "model": "gpt-5"\n}'
    const { message, data } = await errorOf(json(text))
    expect(message.split('\n').map((line) => line.slice(0, 26))).toEqual([
      'thinkon.config.json:2:11: ',
      'thinkon.config.json:3:24: ',
      'thinkon.config.json:3:28: ',
      'thinkon.config.json:4:12: ',
    ])
    expect(data).toMatchObject({
      file: 'thinkon.config.json',
      problems: [
        { line: 2, column: 11, key: 'lang' },
        { key: 'budget.calls' },
        { key: 'budget.dept' },
        { key: 'model' },
      ],
    })
  })

  it('shows the first 20 of many problems, in time that grows with the file', async () => {
    const cpuMsOf = async (keys: number) => {
      const { user } = process.cpuUsage()
      const lines = Array.from({ length: keys }, (_, i) => `"k${i}": 1`)
      const { message, data } = await errorOf(json(`{${lines.join(',\n')}}`))
      expect(data?.problems).toHaveLength(20)
      expect(message).toContain('thinkon.config.json:20:1: unknown key "k19"')
      expect(message).toContain(`\nand ${keys - 20} more`)
      return (process.cpuUsage().user - user) / 1_000
    }
    await cpuMsOf(1_000)
    const few = await cpuMsOf(4_000)
    expect(await cpuMsOf(32_000)).toBeLessThan(8 * Math.max(few, 100) * 3)
  })

  it('names the line in package.json', async () => {
    const { message } = await errorOf({
      'package.json': '{\n  "name": "x",\n  "thinkon": {\n    "lnag": "en"\n  }\n}',
    })
    expect(message).toBe('package.json:4:5: unknown key "lnag": did you mean "lang"?')
  })

  it('has two sources', async () => {
    const { message } = await errorOf({ ...json('{}'), 'package.json': '{"thinkon": {}}' })
    expect(message).toBe(
      'thinkon.config.json and package.json#thinkon both hold a configuration: keep one of them',
    )
  })

  it('has a name that is not read', async () => {
    const { message } = await errorOf({ 'thinkon.config.yaml': 'lang: en' })
    expect(message).toContain('thinkon.config.yaml is not read: name it thinkon.config.ts')
  })
})

// In a process of its own, because there Node loads them, not the test runner.
const modules: [what: string, file: string, text: string, said: RegExp | object][] = [
  ['an object', 'thinkon.config.ts', 'export default { lang: "zh" as const }', { lang: 'zh' }],
  [
    'a constant',
    'thinkon.config.mts',
    'const c: { lang: string } = { lang: "en" }\nexport default c',
    { lang: 'en' },
  ],
  ['a promise', 'thinkon.config.mjs', 'export default Promise.resolve({ lang: "en" })', { lang: 'en' }],
  ['CommonJS', 'thinkon.config.js', 'module.exports = { lang: "en" }', { lang: 'en' }],
  [
    'undefined',
    'thinkon.config.js',
    'export default { model: process.env.NO_SUCH, lang: "en" }',
    { lang: 'en' },
  ],
  [
    'no limit',
    'thinkon.config.ts',
    'export default { budget: { calls: Infinity } }',
    { budget: { calls: null } },
  ],
  [
    'a model object',
    'thinkon.config.ts',
    'export default { model: { id: "own", call: async () => ({}) } }',
    { model: { id: 'own' } },
  ],
  [
    'a wrong object',
    'thinkon.config.ts',
    'export default {\n  model: { id: "own" },\n}',
    /ts:2:12: unknown key "id" in model/,
  ],
  [
    'a wrong value',
    'thinkon.config.ts',
    'export default {\n  // lang: "x",\n  lang: "fr", // hm\n}',
    /ts:3:9: lang must be "en" or "zh", not "fr"/,
  ],
  [
    'a wrong value in a constant',
    'thinkon.config.ts',
    'const other = { lang: 1 }\nconst c = {\n  "lang": "fr",\n} satisfies object\nexport default c',
    /ts:3:11: lang must be/,
  ],
  [
    'a wrong value in a function call',
    'thinkon.config.js',
    'const defineConfig = (c) => c\nexport default defineConfig({\n  budget: {\n    calls: -1,\n  },\n})',
    /js:4:12: budget\.calls must be/,
  ],
  [
    'a wrong entry of a list',
    'thinkon.config.js',
    "export default {\n  approval: {\n    allow: ['read', // ok\n      'shell(a']\n  }\n}",
    /js:4:7: approval\.allow\[1\]/,
  ],
  [
    'an unknown key',
    'thinkon.config.ts',
    'export default {\n  "strategy": `minimal`, ...{},\n  modle: "x",\n}',
    /ts:3:3: unknown key "modle": did you mean "model"/,
  ],
  [
    'what is computed',
    'thinkon.config.ts',
    'const lang = "fr"\nexport default {\n  ["la" + "ng"]: lang,\n}',
    /ts:2:16: lang must be/,
  ],
  [
    'a shorthand',
    'thinkon.config.ts',
    'const lang = "fr"\nexport default {\n  store: [1, 2].join(","),\n  lang,\n}',
    /ts:4:3: lang must be/,
  ],
  [
    'a function',
    'thinkon.config.ts',
    'export default () => ({})',
    /config\.ts: the configuration must be an object, not a function/,
  ],
  [
    'no default export',
    'thinkon.config.ts',
    'export const config = {}',
    /config\.ts: has no default export: write export default/,
  ],
  [
    'a syntax error in TypeScript',
    'thinkon.config.ts',
    'export default {\n  lang: "en",\n  store: : 2\n}',
    /ts:3:10: can't be read: /,
  ],
  [
    'a syntax error in JavaScript',
    'thinkon.config.js',
    'export default {\n  lang: "en",\n  store: : 2\n}',
    /js:3:10: can't be read: /,
  ],
  [
    'an enum',
    'thinkon.config.ts',
    'const a = 1\nenum B { C }\nexport default {}',
    /ts:2:1: can't be read: .*enum/,
  ],
  [
    'an error when it runs',
    'thinkon.config.ts',
    'const a: string = "x"\nthrow new Error("out of luck")\nexport default {}',
    /ts:2:\d+: can't be loaded: out of luck/,
  ],
  [
    'thinkon that is not installed',
    'thinkon.config.ts',
    "// yes\nimport { defineConfig } from 'thinkon'\nexport default defineConfig({})",
    /ts:2:30: imports "thinkon", which is not installed in this folder: npm install thinkon/,
  ],
  [
    'a module that is not there',
    'thinkon.config.js',
    "import './nothing.js'\nexport default {}",
    /js:1:8: can't be loaded: Cannot find module/,
  ],
]

it('is checked in TypeScript and JavaScript too', () => {
  const cases = modules.map(([, file, text]) => folderWith({ [file]: text }))
  const program = `
    const { loadConfig } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'load-config.ts')).href)})
    const results = []
    for (const folder of ${JSON.stringify(cases)})
      results.push(await loadConfig(folder).then(({ config }) => ({ config }), (error) => ({ code: error.code, message: error.message ?? String(error) })))
    process.stdout.write(JSON.stringify(results))`
  const output = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  const results = JSON.parse(output) as { config?: object; code?: string; message?: string }[]
  modules.forEach(([what, , , said], at) => {
    const result = results[at]!
    if (said instanceof RegExp) {
      expect(result.message, what).toMatch(said)
      expect(result.code, what).toBe('BAD_INPUT')
    } else expect(result.config, `${what}: ${result.message}`).toEqual(said)
  })
})

it('takes a function and an AI SDK model as the embedding, and fills in keys of an entry', async () => {
  const embed = async (texts: readonly string[]) => texts.map(() => [1])
  const object = { specificationVersion: 'v4', provider: 'p', modelId: 'm', doEmbed: async () => ({}) }
  for (const embedding of [embed, object, { model: embed, name: 'mine' }, { model: object }])
    expect(checkConfig({ embedding })).toEqual([])
  for (const embedding of [{ doEmbed: 1 }, { model: {} }, { name: 'mine' }, []])
    expect(checkConfig({ embedding })).not.toEqual([])
  const entry = { model: 'openai:m', apiKey: fromEnv('MY_KEY') }
  expect(configuredEmbedding({ embedding: entry }, { MY_KEY: 'k' })).toEqual({ ...entry, apiKey: 'k' })
  expect(() => configuredEmbedding({ embedding: entry }, {})).toThrow(
    'embedding.apiKey needs the environment',
  )
  expect(configuredEmbedding({ embedding: embed })).toBe(embed)
  expect(configuredEmbedding({})).toBeUndefined()
})

describe('the parts that it configures', () => {
  it('have the built-in tools that it names', () => {
    const readResult = readResultTool(async () => undefined)
    const tools = [...builtinTools({ http: { allow: ['*'] } }), readResult]
    expect(tools.map(({ name }) => name).sort()).toEqual([...BUILTIN_TOOLS].sort())
  })

  it.each([
    'read',
    'shell(npm *)',
    ' write ( src/** ) ',
    'tool:read',
    'mcp_*',
    '*',
    'a b',
    'shell(',
    'shell()',
    '(x)',
    'x(y)z',
  ])('agree on the rule "%s"', (rule) => {
    const findings = checkConfig({ approval: { ask: [rule] } })
    expect(findings.length === 0).toBe(isFine(() => parsePolicy({ ask: [rule] }, '/')))
  })

  it.each([
    'a.com',
    '*.a.com',
    'localhost:1',
    '10.0.0.0/8',
    '::1',
    '[::1]:80',
    'fe80::/10',
    '*',
    '*:80',
    'http://a',
    'a.com/x',
    'a b',
    'u@h',
    'a:b',
    '10.0.0.0/33',
    'x.y/8',
  ])('agree on the host "%s"', (host) => {
    const findings = checkConfig({ tools: { http: { allow: [host] } } })
    expect(findings.length === 0).toBe(isFine(() => allowedHosts([host])))
  })

  it.each<[object]>([
    [{ command: 'x' }],
    [{ url: 'https://x/mcp', trust: true }],
    [{ command: 'x', url: 'https://x' }],
    [{}],
    [{ command: '' }],
    [{ url: 'x' }],
    [{ command: 'x', timeoutMs: 0 }],
    [{ command: 'x', type: 'stdio' }],
    [{ command: 'x', headers: {} }],
  ])('agree on the server %j', (server) => {
    const findings = checkConfig({ mcp: { a: server } })
    expect(findings.length === 0).toBe(isFine(() => readServers({ a: server as never }, {})))
  })

  it('take its types', () => {
    const models = { model: 'embedded:demo', models: {} } as ConfiguredModels
    const options: EngineOptions = models
    const server: Parameters<typeof readServers>[0] = {} as NonNullable<ThinkonConfig['mcp']>
    expect([options, server]).toHaveLength(2)
  })
})

function isFine(action: () => unknown): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
