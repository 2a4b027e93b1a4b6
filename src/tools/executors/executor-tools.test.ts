import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tool } from '../../kernel/tool.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import type { ThinkonError } from '../../protocol/index.ts'
import { toolIo } from '../../testing/tool-io.ts'
import type { ExecutorResult } from './executor.ts'
import { EXECUTORS_PATH, executorTools, loadExecutors } from './executor-tools.ts'
import { fillTemplate } from './template.ts'

const openExecutors = async (folder: string) => executorTools(await loadExecutors(folder))

let workspace = ''

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'thinkon-executors-')))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

function write(yaml: string): void {
  mkdirSync(join(workspace, '.thinkon/executors'), { recursive: true })
  writeFileSync(join(workspace, EXECUTORS_PATH), yaml)
}

const never = new AbortController().signal

async function run(id: string, input: unknown, signal = never): Promise<ExecutorResult> {
  const tool = (await openExecutors(workspace)).find((one) => one.name === `executor__${id}`) as Tool
  return (await tool.run(tool.input?.check(input), toolIo({ workspace, signal }))) as ExecutorResult
}

async function failing(promise: Promise<unknown>): Promise<ThinkonError> {
  return promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error,
  )
}

describe('a template', () => {
  it('gives the shell each value as one word, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        fc.constantFrom(
          "a'b",
          '$(touch x)',
          '`id`',
          '-n',
          '\\',
          '"',
          '\n',
          '; rm -rf /',
          '*',
          '~',
          'if',
          'A=b',
          '!',
          '',
        ),
        (list, nasty) => {
          const command = fillTemplate("printf '%s\\0' {{one}} {{list}}", { one: nasty, list }, budget())
          const out = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8', env: {} })
          expect(out.split('\0').slice(0, -1)).toEqual([nasty, ...list])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('leaves nothing where an input is not given, and what is no place as it is', () => {
    expect(fillTemplate("a {{x}} '{{.Names}}' {{ y }}", { y: true }, budget())).toBe("a  '{{.Names}}' 'true'")
  })

  it('takes an input from the budget of the command as often as it is used', () => {
    const filled = (limit: number) => fillTemplate('{{x}}'.repeat(10), { x: "'".repeat(100) }, budget(limit))
    expect(filled(5_000)).toHaveLength(10 * 402)
    expect(() => filled(4_000)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  })
})

describe('executors', () => {
  it('are the generic shell alone when there is no file', async () => {
    expect((await loadExecutors(workspace)).map(({ id }) => id)).toEqual(['shell'])
    expect(await run('shell', { command: 'echo hi; echo err >&2; exit 3' })).toMatchObject({
      exitCode: 3,
      stdout: 'hi\n',
      stderr: 'err\n',
      truncated: false,
      durationMs: expect.any(Number),
    })
  })

  it('are refused with the file’s name when it is broken, or misnamed', async () => {
    write('executors:\n  - id: x\n    comand: ls\n')
    expect((await failing(openExecutors(workspace))).message).toContain(`${EXECUTORS_PATH}:3:5: `)
    rmSync(join(workspace, EXECUTORS_PATH))
    writeFileSync(join(workspace, '.thinkon/executors/executors.yml'), '')
    expect((await failing(loadExecutors(workspace))).message).toContain('rename it to')
  })

  it('run in the workspace with their inputs and defaults, and say what they touch', async () => {
    writeFileSync(join(workspace, 'a b.txt'), '1\n2\n3\n')
    write(`
executors:
  - id: head
    description: Shows the first lines
    command: head -n {{lines}} {{file}}
    inputs:
      file: {type: string, format: path}
      lines: {type: integer, default: 2, minimum: 1}
    side_effects: none
`)
    expect((await run('head', { file: 'a b.txt' })).stdout).toBe('1\n2\n')
    const [tool] = await openExecutors(workspace)
    expect(tool).toMatchObject({ access: 'read', idempotent: false })
    expect(tool?.deeds({ file: 'a b.txt' })).toEqual([
      { does: 'execute', command: "head -n '2' 'a b.txt'" },
      { does: 'read', path: 'a b.txt' },
    ])
    expect(tool?.deeds('?')).toEqual([])
  })

  it('tell bad inputs as data', async () => {
    write('- {id: e, description: d, command: "echo {{n}}", inputs: {n: integer}}')
    const check = async (input: unknown) => (await failing(run('e', input))).message
    expect(await check({})).toBe('inputs of executor "e": "n" is missing')
    expect(await check({ n: 'x', m: 1 })).toBe(
      'inputs of executor "e": "n" must be an integer, not "x"; "m" is not a known field: did you mean "n"?',
    )
    expect(await check('x')).toContain('must be an object')
  })

  it('never run a value', async () => {
    write('- {id: e, description: d, command: "printf %s {{text}}", inputs: {text: string}}')
    const text = "$(touch pwned) `touch pwned` '; touch pwned; ' \" && touch pwned"
    expect((await run('e', { text })).stdout).toBe(text)
    expect(() => readFileSync(join(workspace, 'pwned'))).toThrow()
    expect((await failing(run('e', { text: 'a\0b' }))).code).toBe('BAD_INPUT')
  })

  it('keep paths within the workspace and within their limits', async () => {
    mkdirSync(join(workspace, 'src'))
    writeFileSync(join(workspace, 'src/-rf'), 'dash')
    writeFileSync(join(workspace, 'top.txt'), 'top')
    symlinkSync('/etc', join(workspace, 'src/link'))
    write(
      '- {id: cat, description: d, command: "cat {{file}}", inputs: {file: {type: string, format: path}}, limits: {paths: [src]}, cwd: src}',
    )
    expect((await run('cat', { file: 'src/-rf' })).stdout).toBe('dash')
    expect((await failing(run('cat', { file: 'top.txt' }))).message).toContain('may touch: src')
    for (const file of ['../x', '/etc/passwd', 'src/link/passwd', 'src/../../x'])
      expect((await failing(run('cat', { file }))).code).toBe('TOOL_ERROR')
  })

  it('are ended with all they started when their time is up, and give what they said', async () => {
    write('- {id: slow, description: d, command: "echo begun; sleep 300 & sleep 300", timeout: 300ms}')
    const result = await run('slow', {})
    expect(result).toMatchObject({ exitCode: null, timedOut: true, stdout: 'begun\n' })
  })

  it('are ended when they are cancelled', async () => {
    const error = await failing(run('shell', { command: 'sleep 300' }, AbortSignal.timeout(150)))
    expect(error.code).toBe('CANCELLED')
  })

  it('keep so much of the output, and say that it is cut', async () => {
    write('- {id: much, description: d, command: "seq 100000", limits: {output: 2000}}')
    const { stdout, truncated } = await run('much', {})
    expect(truncated).toBe(true)
    expect(stdout.startsWith('1\n2\n')).toBe(true)
    expect(stdout.endsWith('100000\n')).toBe(true)
    expect(stdout.length).toBeLessThan(2100)
  })

  it('see no keys but those they are given', async () => {
    vi.stubEnv('SECRET_OF_TEST', 'sk-1')
    vi.stubEnv('GIVEN_IN_TEST', 'yes')
    write('- {id: env, description: d, command: "echo $SECRET_OF_TEST $GIVEN_IN_TEST", env: [GIVEN_IN_TEST]}')
    expect((await run('env', {})).stdout).toBe('yes\n')
  })

  it('are described as data for prompts, the same each time', async () => {
    write(
      '- {id: t, description: Runs tests, command: "npm test {{at}}", inputs: {at: {type: string, format: path}}, guarantees: tells failures, limits: {paths: [src], notes: needs npm}, side_effects: files, timeout: 90s}',
    )
    const described = (await openExecutors(workspace)).flatMap(({ executor }) => executor ?? [])
    expect(described.map(({ id }) => id)).toEqual(['t', 'shell'])
    expect(described[0]).toEqual({
      id: 't',
      description: 'Runs tests',
      guarantees: ['tells failures'],
      limits: ['needs npm', 'ended after 90 s', 'output kept: 64000 bytes', 'paths within: src'],
      side_effects: ['files'],
      paths: ['src'],
    })
  })

  it('take optional inputs, given, left out or null, however often they are checked', async () => {
    write(
      '- {id: say, description: d, command: "echo {{a}} {{b}} {{c}}", inputs: {a: string, b: {type: array, optional: true}, c: {type: string, default: z}}, side_effects: none}',
    )
    const [tool] = await openExecutors(workspace)
    const checked = tool?.input?.check({ a: 'x' })
    expect(checked).toStrictEqual({ a: 'x', c: 'z' })
    expect(tool?.input?.check(checked)).toStrictEqual(checked)
    expect((await run('say', { a: 'x' })).stdout).toBe('x z\n')
    expect((await run('say', { a: 'x', b: null, c: null })).stdout).toBe('x z\n')
    expect((await run('say', { a: 'x', b: ['1', '2'] })).stdout).toBe('x 1 2 z\n')
    expect(() => tool?.input?.check({ a: null })).toThrow('"a" must be')
  })

  it('have what is expected of them looked for, as a tool that no model is offered', async () => {
    write('- {id: make, description: d, command: "echo hi > a.txt", side_effects: files}')
    const tools = await openExecutors(workspace)
    expect(tools.filter(({ hidden }) => hidden).map(({ name }) => name)).toEqual([
      'executor__shell',
      'executor__observe',
    ])
    const result = await run('make', {})
    const observe = tools.at(-1) as Tool
    const given = { observations: ['a.txt exists', 'exit code 1', 'it is beautiful'], result }
    expect(await observe.run(given, toolIo({ workspace }))).toMatchObject([
      { verdict: 'met' },
      { verdict: 'unmet' },
      { verdict: 'unknown' },
    ])
  })
})

function budget(limit?: number): DecodingBudget {
  return new DecodingBudget('the command', limit === undefined ? {} : { limit })
}
