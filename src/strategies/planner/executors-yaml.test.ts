// Entries of executors.yaml in a real workspace: their inputs, their limits, and leave to run them.
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { execute, goOn, returned, solvePlanner, steps } from '../../../tests/planner/planner-runs.ts'

const one = (reply: object) => ({ 'plan do it': [reply] })
const ends = { 'reflect do it': [returned('failed', 'it can not be done')] }

describe('an entry of executors.yaml', () => {
  const yaml = (entries: string) => ({ '.thinkon/executors/executors.yaml': `executors:\n${entries}` })
  const count = `  - id: count
    description: Counts the lines of a file
    command: wc -l {{path}}
    inputs: { path: { type: string, format: path } }
    guarantees: prints the number of lines
    limits: { paths: [data], notes: [text only] }
    side_effects: none
`
  const call = (command: string, inputs: object, expected: string[] = ['exit code 0'], goal = 'use it') => {
    const plan = execute(goal, command, expected)
    return { ...plan, executor_call: { ...plan.executor_call, inputs } }
  }

  it('is shown to the Planner with what it guarantees, its limits and side effects, and runs', async () => {
    const run = await solvePlanner(
      'do it',
      one(call('count', { path: 'data/a.txt' }, ['stdout contains "3"'])),
      { files: { ...yaml(count), 'data/a.txt': '1\n2\n3\n' } },
    )
    expect(run.outcome.status).toBe('completed')
    const told = JSON.stringify(run.requests[0]?.messages[0]?.content)
    for (const text of ['prints the number of lines', 'text only', 'paths within: data', 'ended after 120 s'])
      expect(told).toContain(text)
    expect(told).toContain('\\"side_effects\\":[\\"none\\"]')
  })

  it.each(['other.txt', '../data/a.txt', 'data/../other.txt', '/etc/passwd', 'database/a.txt'])(
    'a path outside its limits is refused when planning, not after a failed block: %s',
    async (path) => {
      const run = await solvePlanner(
        'do it',
        { 'plan do it': [call('count', { path }), call('count', { path: './data//a.txt' })] },
        { files: { ...yaml(count), 'data/a.txt': '1\n', 'other.txt': '1\n' } },
      )
      expect(run.prompt('plan do it', 2)).toContain(
        `CALL_BAD_INPUTS (executor_call): inputs of executor "count": "path" must be a path within data, written from the workspace, not "${path}"`,
      )
      expect(run.outcome).toMatchObject({ status: 'completed', violations: { CALL_BAD_INPUTS: 1 } })
      expect(run.block('1').children).toHaveLength(1)
    },
  )

  it.each([
    ['read_file', { path: '../secret' }],
    ['read_files', { paths: ['a.txt', '/etc/passwd'] }],
    ['list_files', { path: '/' }],
  ])('a path outside the workspace is refused when planning: %s', async (command, inputs) => {
    const run = await solvePlanner(
      'do it',
      { 'plan do it': [call(command, inputs, []), call('read_file', { path: 'a.txt' }, [])] },
      { files: { 'a.txt': '1\n' } },
    )
    expect(run.prompt('plan do it', 2)).toContain(
      'must be a path within the workspace, written from the workspace, not "',
    )
    expect(run.block('1').children).toHaveLength(1)
  })

  it('optional inputs work: the example of the docs, with and without them', async () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/executors.md'), 'utf8')
    const example = /```yaml\n([\s\S]*?)```/.exec(docs)?.[1] ?? ''
    const python = '#!/bin/sh\necho "ran $*"\n'
    const looks = [
      call('pytest', {}, ['stdout is "ran -m pytest -q tests"'], 'all'),
      call(
        'pytest',
        { path: 'tests/unit', extra: null },
        ['stdout is "ran -m pytest -q tests/unit"'],
        'unit',
      ),
      call('pytest: tests/unit', {}, ['stdout is "ran -m pytest -q tests/unit"'], 'unit, in short'),
      call('pytest', { extra: ['-k', 'a b'] }, ['stdout is "ran -m pytest -q tests -k a b"'], 'some'),
    ]
    const run = await solvePlanner(
      'do it',
      { 'plan do it': looks, 'reflect do it': [goOn, goOn, goOn] },
      {
        files: {
          '.thinkon/executors/executors.yaml': example,
          'tests/unit/a.py': '',
          'bin/python': python,
        },
        onWorkspace(workspace) {
          chmodSync(join(workspace, 'bin/python'), 0o755)
          vi.stubEnv('PATH', `${join(workspace, 'bin')}:${process.env.PATH}`)
        },
      },
    )
    vi.unstubAllEnvs()
    for (const path of run.block('1').children) expect(run.block(path).outcome?.status).toBe('completed')
    expect(run.outcome.violations).toBeUndefined()
  })

  it('is held to its inputs: what is wrong with them is told, and asked again', async () => {
    const run = await solvePlanner(
      'do it',
      { 'plan do it': [call('count', { file: 'data/a.txt' }), call('count: data/a.txt', {})] },
      { files: { ...yaml(count), 'data/a.txt': '1\n' } },
    )
    expect(run.prompt('plan do it', 2)).toContain(
      'CALL_BAD_INPUTS (executor_call): inputs of executor "count": "path" is missing; unknown "file"',
    )
    expect(run.outcome).toMatchObject({ status: 'completed', violations: { CALL_BAD_INPUTS: 1 } })
  })

  it.each<[inputs: object, told: string]>([
    [{ path: 3 }, '"path" must be a string, not 3'],
    [{ path: ['data/a.txt'] }, '"path" must be a string, not '],
    [{ path: null }, '"path" must be a string, not null'],
  ])(
    'inputs of a wrong type are refused when planning, not after a failed block: %j',
    async (inputs, told) => {
      const run = await solvePlanner(
        'do it',
        { 'plan do it': [call('count', inputs), call('count', { path: 'data/a.txt' })] },
        { files: { ...yaml(count), 'data/a.txt': '1\n' } },
      )
      expect(run.prompt('plan do it', 2)).toContain(
        `CALL_BAD_INPUTS (executor_call): inputs of executor "count": ${told}`,
      )
      expect(run.outcome).toMatchObject({ status: 'completed', violations: { CALL_BAD_INPUTS: 1 } })
      expect(run.block('1').children).toHaveLength(1)
    },
  )

  it('is ended when its time is up', async () => {
    const slow = '  - { id: slow, description: Sleeps, command: sleep 300; echo late, timeout: 300ms }\n'
    const run = await solvePlanner('do it', { ...one(call('slow', {})), ...ends }, { files: yaml(slow) })
    expect(run.block('1-1').outcome).toMatchObject({
      status: 'failed',
      result: expect.stringMatching(
        /time was up\n[\s\S]*### Constraints\nbeyond the executor's limits: ended because its time was up$/,
      ),
    })
  })

  it('that ran out of time has failed, even where a failure was expected', async () => {
    const slow = '  - { id: slow, description: Sleeps, command: sleep 30, timeout: 200ms }\n'
    const run = await solvePlanner(
      'do it',
      { ...one(call('slow', {}, ['exit code is non-zero'])), ...ends },
      { files: yaml(slow) },
    )
    expect(run.block('1-1').outcome?.status).toBe('failed')
  })

  it('has no more output than it may: what was to be in the rest is not decided by code', async () => {
    const loud = '  - { id: loud, description: Counts, command: seq 1 100000, limits: { output: 1KB } }\n'
    const run = await solvePlanner(
      'do it',
      {
        ...one(call('loud', {}, ['stdout contains "50000"'])),
        observe: [{ verdicts: [{ observation: 'stdout contains "50000"', verdict: 'unknown' }] }],
      },
      { files: yaml(loud) },
    )
    const end = run.events.find((event) => event.type === 'tool-end' && event.path === '1-1')
    expect(JSON.stringify(end).length).toBeLessThan(3_000)
    const result = run.block('1-1').outcome?.result
    expect(result).toContain('could not be decided: stdout contains "50000"')
    expect(result).toContain("beyond the executor's limits: its output was too long and is cut")
  })

  it('needs leave for its side effects; without it the Planner learns that it is not allowed', async () => {
    const files = {
      ...yaml(
        `${count}  - { id: make, description: Makes a file, command: 'touch made {{more}}', inputs: { more: { type: array, items: { type: string }, optional: true } }, side_effects: files }\n`,
      ),
      'data/a.txt': '1\n',
    }
    const run = await solvePlanner(
      'do it',
      {
        'plan do it': [steps('all', ['make it', 'count it', 'end it'])],
        'plan all': [call('make', {}), call('count', { path: 'data/a.txt' })],
        'reflect all': [goOn, returned('partial', 'counted, not made')],
        'reflect do it': [returned('partial', 'counted, not made')],
      },
      // Some call of it may be made: so it is offered, and this one is denied.
      { files, asks: 'nobody', allow: ['executor__make(touch another)'] },
    )
    expect(run.block('1-1-1').outcome).toMatchObject({
      status: 'failed',
      code: 'DENIED',
      reason: '`make`: it is not allowed',
      result: expect.stringMatching(/### Constraints\nit is not allowed$/),
    })
    expect(run.prompt('plan all', 2)).toContain("needs a person's permission, and nobody is there to ask")
    expect(existsSync(join(run.workspace, 'made'))).toBe(false)
    expect(run.block('1-1-2').outcome?.status, 'what has no side effects runs unasked').toBe('completed')
  })

  it('is the only way where the file takes the shell away, be there any or none', async () => {
    const run = await solvePlanner(
      'do it',
      {
        'plan do it': [execute('it', 'shell: touch made'), execute('it', 'read_file: a', [])],
        ...ends,
      },
      { files: { '.thinkon/executors/executors.yaml': 'shell: false\nexecutors: []\n' } },
    )
    expect(run.prompt('plan do it', 2)).toContain('CALL_UNKNOWN_EXECUTOR')
    expect(existsSync(join(run.workspace, 'made'))).toBe(false)
  })

  it('is offered beside the tools that read, which a plan may call without a command', async () => {
    const files = {
      'data.csv': 'a,b\n1,2\n',
      '.thinkon/executors/executors.yaml':
        'executors:\n  - { id: list_files, description: mine, command: ls, side_effects: none }\n',
    }
    const plans = [
      execute('look at it', 'read_file: data.csv', [], { update_plan: ['list'] }),
      execute('list', 'list_files', []),
    ]
    const run = await solvePlanner('count', { 'plan count': plans, ...ends }, { files, asks: 'nobody' })
    const input = run.requests[0]?.input as { executors: { id: string; description: string }[] }
    expect(input.executors.map(({ id }) => id)).toEqual([
      'list_files',
      'read_file',
      'search_files',
      'read_files',
      'text',
      'cot',
    ])
    expect(input.executors[0]?.description, 'an executor replaces the tool of its name').toBe('mine')
    expect(run.block('1-1').outcome?.result).toContain('a,b\n1,2')
    expect(run.block('1-2').outcome).toMatchObject({
      status: 'completed',
      result: expect.stringContaining('data.csv'),
    })
  })

  it('is denied like the generic shell, whose command may do anything', async () => {
    const run = await solvePlanner(
      'do it',
      { ...one(execute('it', 'shell: touch made')), ...ends },
      { asks: 'nobody', allow: ['executor__shell(ls *)'] },
    )
    expect(run.block('1-1').outcome?.code).toBe('DENIED')
    expect(existsSync(join(run.workspace, 'made'))).toBe(false)
  })
})
