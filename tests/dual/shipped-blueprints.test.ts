// The shipped blueprints carried out to their end, with the built-in tools on real files and a program as the model.
import { expect, it } from 'vitest'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, fileOf, finish, newWorkspace, solveDual } from './dual-runs.ts'

interface Input {
  name: string
  history: readonly { action: string; data?: string; failed?: true }[]
}

/** What each task does, one after the other, before it finishes with what it saw last. */
function program(doings: Readonly<Record<string, readonly object[]>>): ScriptedModel {
  return new ScriptedModel(({ kind, input }: ModelRequest) => {
    if (kind === 'dual/summarize') return { result: 'all tasks are done' }
    if (kind !== 'dual/decide') return { advice: 'go on', spinning: false }
    const { name, history } = input as Input
    return doings[name]?.[history.length] ?? finish(history.at(-1)?.data ?? 'seen')
  })
}

const approval = (workspace: string) => ({ workspace, asks: 'yes' as const })

it('code-audit reads the code and writes the report, and no other file', async () => {
  const code = 'export const run = (text: string) => eval(text)\n'
  const workspace = newWorkspace({ 'src/run.ts': code })
  const model = program({
    'Survey the code': [call('list_files', { path: 'src' })],
    'Trace the inputs': [call('search_files', { pattern: 'eval(' })],
    'Confirm findings': [call('read_file', { path: 'src/run.ts' })],
    'Write the report': [
      call('write_file', {
        path: 'findings.md',
        content: '# Findings\n- src/run.ts:1 `eval(text)`: critical\n',
      }),
      call('read_file', { path: 'findings.md' }),
    ],
  })
  const run = await solveDual('audit this code', model, {
    workspace,
    approval: approval(workspace),
    options: { blueprint: 'code-audit', params: { path: 'src', report: 'findings.md' } },
  })
  expect(run.outcome).toMatchObject({ status: 'completed', result: 'all tasks are done' })
  expect(fileOf(workspace, 'findings.md')).toContain('src/run.ts:1')
  expect(fileOf(workspace, 'src/run.ts')).toBe(code)
  expect(run.notes('dual/action-ended').filter(({ failed }) => failed)).toEqual([])
  expect(ended(run)).toEqual([
    'Survey the code',
    'Trace the inputs',
    'Check security',
    'Check robustness',
    'Confirm findings',
    'Write the report',
  ])
})

it('migration changes the sources and runs the tests before and after', async () => {
  const workspace = newWorkspace({
    'main.js': "const { readFile } = require('fs')\nmodule.exports = readFile\n",
    'test.sh': 'grep -q readFile main.js && echo ok\n',
  })
  const test = call('shell', { command: 'sh test.sh' })
  const model = program({
    'Analyse dependencies': [call('search_files', { pattern: 'require(' })],
    'Record the baseline': [test],
    'Change sources': [
      call('edit_file', {
        path: 'main.js',
        old: "const { readFile } = require('fs')\nmodule.exports = readFile",
        new: "export { readFile } from 'node:fs'",
      }),
    ],
    'Run the tests': [test],
  })
  const run = await solveDual('move to ES modules', model, {
    workspace,
    approval: approval(workspace),
    options: {
      blueprint: 'migration',
      params: { from: 'CommonJS', to: 'ES modules', test_command: 'sh test.sh' },
    },
  })
  expect(run.outcome.status).toBe('completed')
  expect(fileOf(workspace, 'main.js')).toBe("export { readFile } from 'node:fs'\n")
  const shells = run.events.flatMap((event) =>
    event.type === 'tool-end' && event.result.ok ? [event.result.value] : [],
  )
  expect(shells.filter((value) => (value as { stdout?: string } | null)?.stdout === 'ok\n')).toHaveLength(2)
  expect(ended(run)).toHaveLength(7)
})

/** The names of the leaves, in the order in which they were completed. */
function ended({ events }: Awaited<ReturnType<typeof solveDual>>): string[] {
  const names = new Map<string, string>()
  for (const event of events) {
    const { task } = ((event.type === 'block-start' && event.options) || {}) as { task?: { name: string } }
    if (task !== undefined) names.set(event.path, task.name)
  }
  return events.flatMap((event) =>
    event.type === 'block-end' && event.outcome.status === 'completed' && names.has(event.path)
      ? [names.get(event.path) as string]
      : [],
  )
}
