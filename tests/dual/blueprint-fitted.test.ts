// A blueprint's plan is fitted to the goal that it is used for: by its parameters, and where these do not reach, in the plan itself.
import { expect, it } from 'vitest'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { call, fileOf, finish, newWorkspace, solveDual } from './dual-runs.ts'

const CODE = { 'src/run.ts': 'export const run = (text: string) => eval(text)\n' }

/** Fits the blueprint with these replies, one after the other; the task that writes the report writes the file that its goal names. */
function auditor(...fits: readonly object[]): ScriptedModel {
  const left = [...fits]
  return new ScriptedModel(({ kind, input }: ModelRequest) => {
    if (kind === 'dual/blueprint-params') return left.shift() ?? { params: {} }
    if (kind === 'dual/summarize') return { result: 'audited' }
    if (kind !== 'dual/decide') return { advice: '', spinning: false, problems: [], fits: true }
    const { name, goal, history } = input as { name: string; goal: string; history: unknown[] }
    const [path] = /[\w/-]+\.(md|txt)/.exec(goal) ?? []
    if (!name.startsWith('Write') || history.length > 0 || path === undefined) return finish('seen')
    return call('write_file', { path, content: '# Findings\n' })
  })
}

const audit = (goal: string, model: ScriptedModel, params?: Record<string, unknown>) => {
  const workspace = newWorkspace(CODE)
  return solveDual(goal, model, {
    workspace,
    approval: { workspace, asks: 'yes' },
    options: { blueprint: 'code-audit', ...(params && { params }) },
  }).then((run) => ({ ...run, workspace }))
}

const paths = (run: Awaited<ReturnType<typeof audit>>) =>
  run.requests('dual/decide').map(({ input }) => (input as { goal: string }).goal)

it('a file name that the goal asks for is a parameter also where a person gave others', async () => {
  const run = await audit(
    'audit src and write what you find to AUDIT.md',
    auditor({ params: { path: 'elsewhere', report: 'AUDIT.md' } }),
    { path: 'src' },
  )
  expect(run.outcome.status).toBe('completed')
  expect(fileOf(run.workspace, 'AUDIT.md')).toContain('# Findings')
  expect(run.prompts('dual/blueprint-params')).toHaveLength(1)
  expect(run.prompts('dual/blueprint-params')[0]).toContain('{"path":"src"}')
  // What the person gave stands.
  expect(paths(run).join('\n')).not.toContain('elsewhere')
})

it('who fits it sees the plan of the blueprint, and leaves it as it is where it does what was asked for', async () => {
  const run = await audit('audit src', auditor({ params: { path: 'src' }, plan: null }))
  const [prompt] = run.prompts('dual/blueprint-params')
  expect(prompt).toContain('"subtask_name":"Trace the inputs"')
  expect(prompt).toContain('{{report}}')
  expect(paths(run)).toHaveLength(7)
  expect(fileOf(run.workspace, 'audit-report.md')).toContain('# Findings')
})

const SHORT = {
  main_task: 'Audit {{path}}',
  main_task_goal: 'The findings are in {{report}} and in summary.txt.',
  tasks: [
    { subtask_name: 'Survey the code', subtask_goal: 'A map of {{path}}.' },
    {
      subtask_name: 'Write the summary',
      subtask_goal: 'summary.txt has three lines on {{path}}.',
      depends_on: ['Survey the code'],
    },
  ],
}

it('the plan is changed where the goal asks for something else, with the parameters in their places', async () => {
  const run = await audit(
    'survey src and write three lines to summary.txt',
    auditor({ params: { path: 'src' }, plan: SHORT }),
  )
  expect(run.outcome.status).toBe('completed')
  expect(paths(run).at(-1)).toBe('summary.txt has three lines on "src".')
  expect(fileOf(run.workspace, 'summary.txt')).toContain('# Findings')
  expect(run.notes('dual/blueprint-marked').map(({ mark }) => mark)).toEqual([
    '[BLUEPRINT_INVOKE_START]',
    '[BLUEPRINT_FOUND]',
    '[BLUEPRINT_PLAN_FITTED]',
  ])
  // The blueprint's rules hold for whatever plan.
  for (const prompt of run.prompts('dual/decide')) expect(prompt).toContain('Rules of this audit of "src"')
})

it('a file that was asked for and is nowhere in the plan is told, once', async () => {
  const fits = [{ params: {} }, { params: { report: 'AUDIT.md' } }]
  const run = await audit('audit this, and save the findings as AUDIT.md', auditor(...fits))
  expect(fileOf(run.workspace, 'AUDIT.md')).toContain('# Findings')
  const [, again] = run.prompts('dual/blueprint-params')
  expect(again).toContain(
    'The task asks for the file "AUDIT.md", which neither the parameters nor the plan name.',
  )
  const stubborn = await audit('audit this, and save the findings as AUDIT.md', auditor())
  expect(stubborn.prompts('dual/blueprint-params')).toHaveLength(2)
  expect(stubborn.notes('dual/blueprint-marked')).toHaveLength(2)
})

it('a plan that can not be used is told; the blueprint’s own is used if no better one comes', async () => {
  const bad = { ...SHORT, tasks: [{ subtask_name: 'a', subtask_goal: 'a {{nothing}}', depends_on: ['b'] }] }
  const unknown = { ...SHORT, tasks: [{ subtask_name: 'a', subtask_goal: 'a {{nothing}}' }] }
  const run = await audit('audit src', auditor({ params: {}, plan: bad }, { plan: unknown }, { plan: bad }))
  expect(run.outcome.status).toBe('completed')
  const [, second, third] = run.prompts('dual/blueprint-params')
  expect(second).toContain('The task "a" depends on "b", which is no task of the plan.')
  expect(third).toContain('{{nothing}} is not a parameter')
  expect(paths(run)).toHaveLength(7)
})

it('a blueprint without a plan and with all its parameters asks for nothing', async () => {
  const workspace = newWorkspace({
    '.thinkon/blueprints/plain.yaml': 'name: plain\ndescription: plain\ninit_prompt: Be plain.\n',
  })
  const model = new ScriptedModel(({ kind }: ModelRequest) =>
    kind === 'dual/plan'
      ? { main_task: 'm', main_task_goal: 'g', tasks: [{ subtask_name: 'a', subtask_goal: 'a' }] }
      : finish('a'),
  )
  const run = await solveDual('be plain', model, { workspace, options: { blueprint: 'plain' } })
  expect(run.outcome.status).toBe('completed')
  expect(run.prompts('dual/blueprint-params')).toEqual([])
})
