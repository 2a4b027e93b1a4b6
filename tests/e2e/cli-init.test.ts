// `thinkon init`: in a pipe it asks nothing, on a terminal it asks for what flags don't say.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { configText, configValue } from '../../src/cli/init/config-text.ts'
import { makePlace } from './cli-process.ts'
import { hasScript, inTerminal } from './terminal.ts'

const place = makePlace()
afterAll(() => place.remove())

const { THINKON_MODEL: _, THINKON_TRUST: __, ...bare } = place.env

function folder(files: Readonly<Record<string, string>> = {}): string {
  const made = mkdtempSync(join(place.folder, 'init-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text)
  return made
}
const read = (made: string, name: string) => readFileSync(join(made, name), 'utf8')
const init = (made: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = bare) =>
  place.cli(['init', '--workspace', made, ...args], '', env)

describe('in a pipe', () => {
  it('takes the model of a key, writes a configuration that is right, and says what is next', async () => {
    const made = folder({ '.gitignore': 'node_modules' })
    const { code, stdout } = await init(made, [], { ...bare, ANTHROPIC_API_KEY: 'sk-secret' })
    expect(code).toBe(0)
    expect(JSON.parse(read(made, 'thinkon.config.json'))).toEqual({ model: 'anthropic:claude-sonnet-5-5' })
    expect(read(made, '.gitignore')).toBe('node_modules\n.thinkon/\n')
    expect(stdout).toContain('thinkon run "<your goal>"')
    expect(stdout).not.toContain('secret')
    const doctor = await place.cli(['doctor', '--workspace', made, '--trust'], '', {
      ...bare,
      ANTHROPIC_API_KEY: 'x',
    })
    expect(doctor.stdout).toContain('anthropic:claude-sonnet-5-5')
  })

  it('overwrites nothing unasked, adds no second configuration, and refuses what is no model', async () => {
    const made = folder({ 'thinkon.config.json': '{}', '.gitignore': '/.thinkon\n' })
    const refused = await init(made, ['--yes'])
    expect([refused.code, read(made, 'thinkon.config.json')]).toEqual([2, '{}'])
    expect(refused.stderr).toContain('thinkon.config.json exists already; --force overwrites it')
    expect((await init(made, ['--format', 'ts'])).stderr).toContain(
      'thinkon.config.json is the configuration of this folder',
    )
    const forced = await init(made, ['--force', '--json', '--model', 'ollama:qwen3', '--approval', 'write'])
    expect(JSON.parse(forced.stdout)).toMatchObject({
      type: 'init',
      file: 'thinkon.config.json',
      config: { model: 'ollama:qwen3', approval: { allow: ['read', 'write'] } },
      gitignore: null,
    })
    const other = folder({ 'package.json': '{"thinkon":{}}' })
    expect((await init(other)).stderr).toContain('package.json (its key "thinkon")')
    expect((await init(folder(), ['--model', 'opnai:gpt-5'])).stderr).toContain('did you mean "openai:"?')
    expect(readdirSync(other)).toEqual(['package.json'])
  })
})

it('the configuration of TypeScript is a program', () => {
  const value = configValue({ model: "module:it's.ts", store: 'a/b.db', approval: 'read-only' })
  const text = configText(value, 'ts', false)
  expect(text).toBe(`export default {
  model: "module:it's.ts",
  store: 'a/b.db',
  approval: {
    allow: ['read'],
    deny: ['write', 'execute', 'network'],
  },
}
`)
  expect(configText(configValue({}), 'ts', true)).toBe(
    `import { defineConfig } from 'thinkon'\n\nexport default defineConfig({})\n`,
  )
})

describe.skipIf(!hasScript)('on a terminal (skipped where `script` of util-linux is missing)', () => {
  it('asks for what flags do not say, and again where an answer is wrong', async () => {
    const made = folder({ 'tsconfig.json': '{}' })
    mkdirSync(join(made, '.git'))
    const { child, ended, seen } = inTerminal({ folder: made, env: bare }, 'init')
    await seen('Which model?')
    child.stdin?.write('olama:qwen3\r')
    await seen('did you mean "ollama:"?')
    child.stdin?.write('ollama:qwen3\r')
    await seen('Where are runs kept?')
    child.stdin?.write('\r')
    await seen('What may tools do?')
    child.stdin?.write('7\r')
    await seen('"7" is none of 1, 2, 3')
    child.stdin?.write('2\r')
    expect((await ended).code).toBe(0)
    expect(read(made, 'thinkon.config.ts')).toContain("model: 'ollama:qwen3'")
    expect(read(made, '.gitignore')).toBe('.thinkon/\n')
  })

  it('breaks its questions between words, on a narrow terminal', async () => {
    const { child, ended, seen } = inTerminal({ folder: folder(), env: bare }, 'init', {}, { size: [60, 24] })
    await seen('later)')
    child.stdin?.write('\r')
    await seen('Where are runs kept?')
    child.stdin?.write('\r')
    await seen('What may tools do?')
    child.stdin?.write('\r')
    const { code, stdout } = await ended
    expect(code).toBe(0)
    const said = stripVTControlCharacters(stdout).split(/[\r\n]+/)
    for (const line of said) expect(line.length, line).toBeLessThanOrEqual(60)
    expect(said.join(' ')).toMatch(
      /Enter: +later\).*tools may read; for anything else you are +asked.*whether you trust it/,
    )
  })
})
