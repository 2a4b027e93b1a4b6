import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSchema } from '../../../schema/check-schema.ts'
import { MAX_PLAN_DEPTH, MAX_PLAN_TASKS, readPlan, readTasks } from './read-plan.ts'

type Item = Record<string, unknown>

const task = (name: string, more: Item = {}): Item => ({
  subtask_name: name,
  subtask_goal: `${name} is done`,
  ...more,
})
const planned = (...tasks: unknown[]): Item => ({ main_task: 'audit', main_task_goal: 'a report', tasks })
const problemsOf = (...tasks: unknown[]) => readPlan(planned(...tasks)).problems

describe('the published schema of a plan', () => {
  const planJsonSchema = JSON.parse(readFileSync(join(import.meta.dirname, 'plan.schema.json'), 'utf8'))

  it("has the document's fields, and requires what it requires", () => {
    const value = planned(task('分析需求'), task('部署服务'))
    expect(checkSchema(value, planJsonSchema)).toEqual([])
    for (const field of Object.keys(value)) {
      const { [field]: _, ...rest } = value
      expect(checkSchema(rest, planJsonSchema)).toHaveLength(1)
    }
    expect(checkSchema(planned({ subtask_name: 'a' }), planJsonSchema)).toHaveLength(1)
    expect(checkSchema(planned(), planJsonSchema)).toHaveLength(1)
  })

  it('reaches into nested tasks', () => {
    const nested = (inner: Item) => planned(task('a', { subtasks: [task('b', { subtasks: [inner] })] }))
    expect(checkSchema(nested(task('c', { depends_on: ['x'] })), planJsonSchema)).toEqual([])
    expect(checkSchema(nested({ subtask_name: 'c' }), planJsonSchema)).toMatchObject([
      { path: ['tasks', 0, 'subtasks', 0, 'subtasks', 0, 'subtask_goal'] },
    ])
  })
})

describe('reading a plan', () => {
  it('gives it trimmed, with nesting and dependencies where there are some', () => {
    const { plan, problems, dropped } = readPlan({
      ...planned(
        task(' a ', { subtasks: [], depends_on: [], extra: 1 }),
        task('b', { depends_on: [' a', 'a'], subtasks: [task('c')] }),
      ),
      '@action': 'plan',
    })
    expect(problems).toEqual([])
    expect(dropped).toBe(0)
    expect(plan).toEqual({
      main_task: 'audit',
      main_task_goal: 'a report',
      tasks: [
        { subtask_name: 'a', subtask_goal: 'a  is done' },
        {
          subtask_name: 'b',
          subtask_goal: 'b is done',
          depends_on: ['a'],
          subtasks: [{ subtask_name: 'c', subtask_goal: 'c is done' }],
        },
      ],
    })
  })

  it('drops nameless tasks with what is below them, and counts them', () => {
    const nameless = { subtask_goal: 'g', subtasks: [task('lost'), { subtask_name: ' ' }] }
    const { plan, dropped } = readPlan(planned(task('a'), nameless, null, { subtask_name: '' }))
    expect(plan?.tasks).toHaveLength(1)
    expect(dropped).toBe(5)
  })

  it('has no plan when there is a problem', () => {
    expect(readPlan('do it')).toEqual({
      plan: null,
      problems: ['A plan must be one JSON object.'],
      dropped: 0,
    })
    expect(readPlan({ main_task: ' ', tasks: {} })).toEqual({
      plan: null,
      problems: [
        '"main_task" must be a text that is not empty.',
        '"main_task_goal" must be a text that is not empty.',
        '"tasks" must be a list of tasks.',
      ],
      dropped: 0,
    })
    expect(problemsOf()).toEqual(['The plan has no sub-tasks: "tasks" must hold at least one.'])
    expect(problemsOf({ subtask_goal: 'g' })[0]).toContain('no sub-tasks with a name')
    expect(problemsOf({ subtask_name: 'a' })).toEqual(['The task "a" has no "subtask_goal".'])
    expect(problemsOf(task('a', { depends_on: 'b' }))[0]).toContain('"depends_on" of "a" must be a list')
    expect(problemsOf(task('a', { subtasks: 'b' }))[0]).toContain('"subtasks" of "a" must be a list')
  })

  it('wants names that are unique, wherever they stand', () => {
    expect(problemsOf(task('a'), task('b', { subtasks: [task('a')] }))).toEqual([
      'The name "a" is used twice: names must be unique in a plan.',
    ])
    expect(problemsOf(task('audit'))).toEqual([])
  })

  it('wants dependencies that are there, and that can be waited for', () => {
    expect(problemsOf(task('a', { depends_on: ['z'] }))).toEqual([
      'The task "a" depends on "z", which is no task of the plan.',
    ])
    expect(problemsOf(task('a', { depends_on: ['a'] }))).toEqual(['The task "a" depends on itself.'])
    expect(
      problemsOf(task('a', { subtasks: [task('b', { subtasks: [task('c', { depends_on: ['a'] })] })] })),
    ).toEqual(['The task "c" depends on "a", which it is a part of.'])
    expect(problemsOf(task('a', { depends_on: ['b'], subtasks: [task('b')] }))).toEqual([
      'The task "a" depends on "b", which is a part of it.',
    ])
  })

  it('names the way of a circle', () => {
    expect(
      problemsOf(
        task('a', { depends_on: ['b'] }),
        task('b', { depends_on: ['c'] }),
        task('c', { depends_on: ['a'] }),
        task('d', { depends_on: ['a'] }),
      ),
    ).toEqual(['Tasks wait for each other in a circle: "a" → "b" → "c" → "a".'])
  })

  it('sees a circle that goes through parents and their parts', () => {
    const [problem, ...more] = problemsOf(
      task('A', { depends_on: ['B'], subtasks: [task('a')] }),
      task('B', { subtasks: [task('b', { depends_on: ['a'] })] }),
    )
    expect(more).toEqual([])
    expect(problem).toBe('Tasks wait for each other in a circle: "A" → "B" → "b" → "a" → "A".')
    // The same parts in one direction are fine.
    expect(
      problemsOf(
        task('A', { subtasks: [task('a'), task('a2', { depends_on: ['b'] })] }),
        task('B', { subtasks: [task('b', { depends_on: ['a'] })] }),
      ),
    ).toEqual([])
  })

  it('has a limit of depth and of tasks', () => {
    const deep = (levels: number): Item =>
      levels === 1 ? task('level 1') : task(`level ${levels}`, { subtasks: [deep(levels - 1)] })
    expect(problemsOf(deep(MAX_PLAN_DEPTH))).toEqual([])
    expect(problemsOf(deep(MAX_PLAN_DEPTH + 1))[0]).toContain(`deeper than ${MAX_PLAN_DEPTH} levels`)
    expect(problemsOf(deep(5_000))).toHaveLength(1)
    const many = (n: number) => Array.from({ length: n }, (_, i) => task(`t${i}`))
    expect(problemsOf(...many(MAX_PLAN_TASKS))).toEqual([])
    expect(problemsOf(...many(MAX_PLAN_TASKS + 1))[0]).toContain('201 tasks, more than 200')
  })

  it('tells a few problems of many', () => {
    const problems = problemsOf(...Array.from({ length: 50 }, (_, i) => ({ subtask_name: `t${i}` })))
    expect(problems).toHaveLength(12)
    expect(problems.at(-1)).toBe('There are 39 more problems like these.')
  })

  it('reads tasks for a tree that is there: they may depend on it and must not be named like it', () => {
    const known = ['read', 'think']
    const more = [task('write', { depends_on: ['think'] })]
    expect(readTasks(more, known)).toEqual({ tasks: more, problems: [], dropped: 0 })
    expect(readTasks([task('read')], known)).toEqual({
      tasks: null,
      problems: ['The name "read" is taken by a task that is there already.'],
      dropped: 0,
    })
  })
})
