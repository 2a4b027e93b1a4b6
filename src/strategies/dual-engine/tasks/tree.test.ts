import { describe, expect, it } from 'vitest'
import { depthFirst, type Plan, type PlanTask, postOrder } from './task.ts'
import { buildTree, findTask, parentInputs, parentOf, planOf, taskAt, taskNames } from './tree.ts'

const plan: Plan = {
  main_task: 'ship it',
  main_task_goal: 'it is out',
  tasks: [
    {
      subtask_name: 'build',
      subtask_goal: 'it runs',
      subtasks: [
        { subtask_name: 'compile', subtask_goal: 'no errors' },
        { subtask_name: 'link', subtask_goal: 'one file', depends_on: ['compile'] },
      ],
    },
    { subtask_name: 'test', subtask_goal: 'all pass', depends_on: ['build'] },
  ],
}

describe('a tree of tasks', () => {
  it('is numbered by place, with the root as 1', () => {
    const tree = buildTree(plan)
    expect(depthFirst(tree.root).map(({ index, name }) => `${index} ${name}`)).toEqual([
      '1 ship it',
      '1-1 build',
      '1-1-1 compile',
      '1-1-2 link',
      '1-2 test',
    ])
    expect(taskAt(tree, '1-1-2')).toMatchObject({
      goal: 'one file',
      parent_index: '1-1',
      status: 'created',
      attempt: 1,
      status_summary: '',
      task_summary: '',
      short_summary: '',
      long_summary: '',
      tool_call_results: {},
      depends_on: [taskAt(tree, '1-1-1').id],
    })
  })

  it('finds a task by index and by id, and says when there is none', () => {
    const tree = buildTree(plan)
    const link = taskAt(tree, '1-1-2')
    expect(findTask(tree, link.id)).toBe(link)
    expect(parentOf(tree, link)?.name).toBe('build')
    expect(findTask(tree, '1-9')).toBeUndefined()
    expect(() => taskAt(tree, '1-9')).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: 'there is no task 1-9 in this plan' }),
    )
  })

  it('is walked after its sub-tasks, too', () => {
    expect(postOrder(buildTree(plan).root).map(({ name }) => name)).toEqual([
      'compile',
      'link',
      'build',
      'test',
      'ship it',
    ])
  })

  it('tells a task what it is part of, from far to near, twenty at most', () => {
    const tree = buildTree(plan)
    expect(parentInputs(tree, '1')).toEqual([])
    expect(parentInputs(tree, '1-1-2')).toEqual([
      { index: '1', name: 'ship it', goal: 'it is out' },
      { index: '1-1', name: 'build', goal: 'it runs' },
    ])
    const deep = buildTree(chain(30))
    const inputs = parentInputs(deep, Array(31).fill('1').join('-'))
    expect(inputs.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, i) => `level ${i + 10}`))
  })

  it('gives back the plan it was built from', () => {
    expect(planOf(buildTree(plan))).toEqual(plan)
    expect([...taskNames(buildTree(plan))]).toEqual(['build', 'compile', 'link', 'test'])
  })

  it('refuses what can never be done', () => {
    const waiting = (depends_on: string[]): Plan => ({
      ...plan,
      tasks: [{ subtask_name: 'a', subtask_goal: 'a', depends_on }],
    })
    expect(() => buildTree(waiting(['b']))).toThrow('the plan has no task "b" to depend on')
    expect(() => buildTree(waiting(['a']))).toThrow('in a circle: "a" → "a"')
  })

  it('may be deep: nothing recurses', () => {
    const tree = buildTree(chain(2_000))
    expect(depthFirst(tree.root)).toHaveLength(2_001)
    expect(postOrder(tree.root)[0]?.name).toBe('level 2000')
    expect(planOf(tree).tasks).toHaveLength(1)
  })
})

function chain(depth: number): Plan {
  let inner: PlanTask = { subtask_name: `level ${depth}`, subtask_goal: 'g' }
  for (let i = depth - 1; i > 0; i--)
    inner = { subtask_name: `level ${i}`, subtask_goal: 'g', subtasks: [inner] }
  return { main_task: 'level 0', main_task_goal: 'g', tasks: [inner] }
}
