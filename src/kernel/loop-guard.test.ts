import { describe, expect, it } from 'vitest'
import { LoopGuard } from './loop-guard.ts'

describe('the loop guard (K5)', () => {
  it('notices the same action with the same result in a row, and refuses it then', () => {
    const guard = new LoopGuard(3)
    expect(guard.actionEnded('look', { at: 1 }, 'same')).toBeNull()
    expect(guard.actionEnded('look', { at: 1 }, 'same')).toBeNull()
    expect(guard.refusesAction('look', { at: 1 })).toBe(false)
    expect(guard.actionEnded('look', { at: 1 }, 'same')).toEqual({ kind: 'action', what: 'look', times: 3 })
    expect(guard.refusesAction('look', { at: 1 })).toBe(true)
    expect(guard.refusesAction('look', { at: 2 })).toBe(false)
  })

  it('takes the same input and result with their keys in another order for the same', () => {
    const guard = new LoopGuard(2)
    guard.actionEnded('look', { at: 1, how: { far: 2, fast: 3 } }, { ok: true, value: { a: 1, b: 2 } })
    const loop = guard.actionEnded(
      'look',
      { how: { fast: 3, far: 2 }, at: 1 },
      { value: { b: 2, a: 1 }, ok: true },
    )
    expect(loop).toEqual({ kind: 'action', what: 'look', times: 2 })
    expect(guard.refusesAction('look', { at: 1, how: { far: 2, fast: 3 } })).toBe(true)
    expect(guard.refusesAction('look', { how: { fast: 3, far: 2 }, at: 1 })).toBe(true)
  })

  it('begins anew when the result, the input or the tool is another', () => {
    for (const other of [
      ['look', 1, 'other'],
      ['look', 2, 'same'],
      ['read', 1, 'same'],
    ] as [string, number, string][]) {
      const guard = new LoopGuard(2)
      guard.actionEnded('look', 1, 'same')
      guard.actionEnded(...other)
      expect(guard.actionEnded('look', 1, 'same')).toBeNull()
      expect(guard.refusesAction('look', 1)).toBe(false)
    }
  })

  it('notices the same sub-goal with nothing new, however it is written, and whatever comes in between', () => {
    const guard = new LoopGuard(3)
    expect(guard.goalEnded('Find it', 'nothing')).toBeNull()
    expect(guard.goalEnded('another goal', 'something')).toBeNull()
    expect(guard.goalEnded(' find  IT ', 'Nothing')).toBeNull()
    expect(guard.goalEnded('find it', '')).toEqual({ kind: 'goal', what: 'find it', times: 3 })
    expect(guard.refusesGoal('FIND IT')).toBe(true)
    expect(guard.refusesGoal('another goal')).toBe(false)
  })

  it('takes a new result as progress', () => {
    const guard = new LoopGuard(2)
    for (const result of ['one', 'two', 'three', 'four'])
      expect(guard.goalEnded('find it', result)).toBeNull()
    expect(guard.refusesGoal('find it')).toBe(false)
    expect(guard.goalEnded('find it', 'two')).not.toBeNull()
  })
})
