import { expect, it } from 'vitest'
import { ThinkonError } from '../../../protocol/index.ts'
import { checkTransition, isEnded, TASK_STATUSES, type TaskStatus } from './task.ts'

const ALLOWED = [
  'created queueing',
  'created aborted',
  'created skipped',
  'queueing processing',
  'queueing aborted',
  'queueing skipped',
  'processing completed',
  'processing aborted',
  'processing skipped',
]

function allowed(subtasks: unknown[]): string[] {
  const found: string[] = []
  for (const status of TASK_STATUSES) {
    for (const to of TASK_STATUSES) {
      try {
        checkTransition({ index: '1-2', name: 'read', status, subtasks }, to)
        found.push(`${status} ${to}`)
      } catch (error) {
        expect(ThinkonError.isInstance(error)).toBe(true)
      }
    }
  }
  return found.sort()
}

it('lets a leaf go through its life in order, and end early from anywhere', () => {
  expect(allowed([])).toEqual([...ALLOWED].sort())
})

it('lets a parent be completed without being executed', () => {
  expect(allowed([{}])).toEqual([...ALLOWED, 'queueing completed'].sort())
})

it('names the task and both statuses when it refuses', () => {
  const task = { index: '1-2', name: 'read', status: 'completed' as TaskStatus, subtasks: [] }
  expect(() => checkTransition(task, 'processing')).toThrow(
    expect.objectContaining({
      code: 'STRATEGY_ERROR',
      message: 'task 1-2 "read" can\'t go from completed to processing',
      data: { index: '1-2', name: 'read', from: 'completed', to: 'processing' },
    }),
  )
})

it('knows which statuses are ends', () => {
  expect(TASK_STATUSES.filter(isEnded)).toEqual(['completed', 'aborted', 'skipped'])
})
