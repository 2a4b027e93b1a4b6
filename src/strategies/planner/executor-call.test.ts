import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { KnownTool, ThinkonError } from '../../protocol/index.ts'
import { loadExecutors, executorTools as workspaceExecutors } from '../../tools/executors/executor-tools.ts'
import { executorsOf, executorTools, readCommand, resolveCall } from './executor-call.ts'
import type { PlannerContext } from './schema.ts'

type Property = Readonly<Record<string, unknown>>

function executor(id: string, properties: Readonly<Record<string, Property>>, required: string[]): KnownTool {
  return {
    name: `executor__${id}`,
    description: `${id} · told`,
    schema: { type: 'object', properties, required, additionalProperties: false },
    access: 'execute',
    executor: { id, description: id, guarantees: ['g'], limits: ['l'], side_effects: ['files'] },
  }
}

const text = { type: 'string' }
const SHELL: KnownTool = { ...executor('shell', { command: text }, ['command']), hidden: true }
const TOOLS = [
  SHELL,
  executor('cat', { file: text, lines: { type: 'integer' } }, ['file']),
  executor('cp', { a: text, b: text }, ['a', 'b']),
  executor('npm-build', {}, []),
  executor('wait', { seconds: { type: 'number' } }, ['seconds']),
  executor('cat-all', { files: { type: 'array', items: text } }, ['files']),
]
const READ_FILE: KnownTool = {
  name: 'read_file',
  description: 'Reads a file',
  schema: { type: 'object', properties: { path: text }, required: ['path'] },
  access: 'read',
}

/** What a plan may call in a run with these tools. */
function callable(tools: readonly KnownTool[], options = { tools: false }): readonly KnownTool[] {
  return executorTools({
    tools: tools.filter(({ hidden }) => !hidden),
    hiddenTools: tools.filter(({ hidden }) => hidden),
    options,
  } as unknown as PlannerContext)
}

const resolve = (
  command: string,
  inputs: Record<string, unknown> = {},
  tools: readonly KnownTool[] = TOOLS,
) => resolveCall({ command, inputs, expected_observations: [] }, tools)

function failure(
  command: string,
  inputs?: Record<string, unknown>,
  tools?: readonly KnownTool[],
): ThinkonError {
  try {
    resolve(command, inputs, tools)
  } catch (error) {
    return error as ThinkonError
  }
  throw new Error('did not fail')
}

describe('an executor call', () => {
  it('gives the shell all that stands after its colon, with line breaks and heredocs', () => {
    const command = "cat > login.html << 'EOF'\n<!DOCTYPE html>: ...\n  EOF\nEOF"
    expect(resolve(`shell: ${command}`)).toEqual({ tool: 'executor__shell', input: { command } })
    expect(resolve(`  shell :\n${command}\n`)).toEqual({ tool: 'executor__shell', input: { command } })
    expect(resolve('shell', { command: 'ls' })).toEqual({ tool: 'executor__shell', input: { command: 'ls' } })
  })

  it('names an executor and gives its inputs', () => {
    expect(resolve('cp', { a: '1', b: '2' })).toEqual({ tool: 'executor__cp', input: { a: '1', b: '2' } })
    expect(resolve('npm-build')).toEqual({ tool: 'executor__npm-build', input: {} })
    expect(resolve('npm-build:')).toEqual({ tool: 'executor__npm-build', input: {} })
  })

  it('gives one input as text, the one that is required and not there', () => {
    expect(resolve('cat: my file')).toEqual({ tool: 'executor__cat', input: { file: 'my file' } })
    expect(resolve('cat: x', { lines: 2 }).input).toEqual({ file: 'x', lines: 2 })
    expect(resolve('cp: 2', { a: '1' }).input).toEqual({ a: '1', b: '2' })
    expect(resolve('wait: 1.5').input).toEqual({ seconds: 1.5 })
    expect(resolve('cat-all: a, b').input).toEqual({ files: ['a', 'b'] })
    expect(resolve('cat: 2', { file: 'x' }).input, 'or the first that is optional').toEqual({
      file: 'x',
      lines: 2,
    })
  })

  it('leaves out an optional input that is null, and refuses a value of a wrong type', () => {
    expect(resolve('cat: x', { lines: null }).input).toEqual({ file: 'x' })
    expect(failure('wait: long').message).toContain('inputs of executor "wait": "seconds" must be a number')
    expect(failure('cat', { fil: 'x', lines: '2' }).message).toMatch(
      /^inputs of executor "cat": "file" is missing; unknown "fil": did you mean "file"\?; "lines" must be /,
    )
  })

  it('leaves what it was given as it was', () => {
    const inputs = Object.freeze({ lines: 2 })
    expect(resolve('cat: x', inputs).input).not.toBe(inputs)
  })

  it('is refused with what is wrong, what there is, and what may have been meant', () => {
    expect(failure('cp: 1 2').message).toContain(
      'takes its inputs in "inputs" (a, b), not after its id: "1 2"',
    )
    expect(failure('npm-build: fast').message).toContain('takes its inputs in "inputs" (none)')
    expect(failure('shell: ls', { command: 'pwd' }).message).toContain(
      'takes its inputs in "inputs" (command)',
    )
    expect(failure('cta: x').message).toContain('There is no "cta": did you mean "cat"?')
    expect(failure('quux').message).toMatch(/There is no "quux"\.$/)
    expect(failure('ls -la').message).toBe(
      'the command must begin with the id of an executor (shell, cat, cp, npm-build, wait, cat-all). A shell command is written "shell: <command>".',
    )
    expect(failure('shell:').message).toBe(
      'inputs of executor "shell": "command" is missing: write "shell: <command>"',
    )
    expect(failure('cat', { fil: 'x' }).message).toBe(
      'inputs of executor "cat": "file" is missing; unknown "fil": did you mean "file"?',
    )
    expect(failure('cta: x')).toMatchObject({
      code: 'BAD_INPUT',
      data: { command: 'cta: x', available: ['shell', 'cat', 'cp', 'npm-build', 'wait', 'cat-all'] },
    })
    expect(failure('ls', {}, []).message).toContain('(there is none)')
  })

  it('calls any tool that models are offered where there is no executor', () => {
    const write: KnownTool = { ...READ_FILE, name: 'write_file', access: 'write' }
    const tools = callable([write, { ...READ_FILE, name: 'observe', hidden: true }])
    expect(resolve('write_file: a.txt', {}, tools)).toEqual({ tool: 'write_file', input: { path: 'a.txt' } })
    expect(failure('observe: x', {}, tools).data.available).toEqual(['write_file', 'text'])
    expect(failure('write_file: x', {}, callable([write, SHELL])).data.available).toEqual(['shell', 'text'])
    expect(resolve('write_file: x', {}, callable([write, SHELL], { tools: true })).tool).toBe('write_file')
  })

  it('delivers a text that stands in the call, unless an executor of that name does something else', () => {
    expect(resolve('text', { text: 'a page' }, callable([]))).toEqual({
      tool: 'planner/text',
      input: { text: 'a page' },
    })
    expect(failure('text', {}, callable([])).message).toBe('inputs of executor "text": "text" is missing')
    const own = executor('text', { text }, ['text'])
    expect(resolve('text: x', {}, callable([own])).tool).toBe('executor__text')
  })

  it('fits the executors of a real workspace', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-call-'))
    try {
      const tools = workspaceExecutors(await loadExecutors(workspace)).map(
        ({ name, description, access, input, hidden, executor: note }): KnownTool => ({
          name,
          description,
          access,
          schema: (input?.json ?? {}) as KnownTool['schema'],
          ...(hidden && { hidden }),
          ...(note && { executor: note }),
        }),
      )
      expect(resolve('shell: ls', {}, tools)).toEqual({ tool: 'executor__shell', input: { command: 'ls' } })
      expect(executorsOf(callable(tools)).map(({ id }) => id)).toEqual(['shell', 'text'])
    } finally {
      rmSync(workspace, { recursive: true })
    }
  })
})

describe('executors for prompts', () => {
  it('are told in their order, in the words of executors.yaml', () => {
    expect(executorsOf(callable([READ_FILE, ...TOOLS])).map(({ id }) => id)).toEqual([
      'cat',
      'cp',
      'npm-build',
      'wait',
      'cat-all',
      'shell',
      'read_file',
      'read_files',
      'text',
    ])
    expect(executorsOf(TOOLS)[0]).toEqual({
      id: 'shell',
      description: 'shell',
      // What the shell runs stands after its id.
      inputs: { type: 'object', properties: {} },
      guarantees: ['g'],
      limits: ['l'],
      side_effects: ['files'],
    })
  })

  it('are the tools themselves where there is none', () => {
    expect(executorsOf(callable([READ_FILE])).slice(0, 1)).toEqual([
      {
        id: 'read_file',
        description: 'Reads a file',
        inputs: READ_FILE.schema,
        guarantees: [],
        limits: [],
        side_effects: ['none'],
      },
    ])
  })
})

it('a command is read as an id and a text', () => {
  expect(readCommand('shell: a: b')).toEqual({ id: 'shell', text: 'a: b' })
  expect(readCommand('npm-build')).toEqual({ id: 'npm-build', text: '' })
  expect(readCommand('ls -la')).toEqual({ id: '', text: '' })
  expect(readCommand('')).toEqual({ id: '', text: '' })
})
