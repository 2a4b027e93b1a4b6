import { expect, it } from 'vitest'
import { journal } from '../../../../tests/views/journal.ts'
import type { FormBoard } from '../../../views/form.ts'
import { buildTree } from '../tasks/tree.ts'
import { taskForm } from './task-form.ts'

const named = (subtask_name: string) => ({ subtask_name, subtask_goal: `${subtask_name} is done` })

it('is a board with what each task needs, the plan with its progress, and the reviews', () => {
  const { root } = buildTree({
    main_task: 'all',
    main_task_goal: 'g',
    tasks: [
      { ...named('build'), subtasks: [named('walls'), { ...named('roof'), depends_on: ['walls'] }] },
      named('paint'),
    ],
  })
  const walls = root.subtasks[0]?.subtasks[0]
  const { events } = journal()
    .start('1', 'all', 'dual@1')
    .note('1', 'dual/plan-changed', { tree: root })
    .note('1', 'dual/plan-reviewed', { choice: 'revise', words: 'a window, too' })
    .start('1-1', 'walls', 'dual@1', { task: { index: walls?.index, attempt: 1 } })
    .end('1-1', { status: 'completed', result: 'four walls' })
    .note('1', 'dual/task-changed', {
      id: walls?.id,
      index: walls?.index,
      from: 'processing',
      to: 'completed',
    })
  const form = taskForm({ path: '1', journal: events }, 'en')
  expect(form?.caption).toBe('1 finished, 2 not started')
  const [board, plan, reviews] = form?.parts ?? []
  const [todo, executing, finished] = (board as FormBoard).columns
  expect(todo?.items).toMatchObject([
    { text: 'roof', needs: [walls?.index], tags: ['build'], note: 'roof is done' },
    { text: 'paint', state: 'todo' },
  ])
  expect(executing?.items).toEqual([])
  expect(finished?.items).toMatchObject([{ text: 'walls', block: '1-1', note: 'four walls', state: 'done' }])
  expect(plan).toMatchObject({
    title: 'Plan: all',
    items: [{ text: 'build', progress: 0.5, state: 'active' }, {}],
  })
  expect(reviews).toMatchObject({
    items: [{ text: 'plan', tags: ['revise'], note: 'a window, too', state: 'doubt' }],
  })
})
