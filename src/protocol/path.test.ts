import { describe, expect, it } from 'vitest'
import { attemptOf, attemptPath, childPath, isInside, isPath, levelOf, parentPath, placeOf } from './path.ts'

describe('a path', () => {
  it('is numbers with dashes, each with an attempt from 2 on', () => {
    for (const path of ['1', '1-2', '1-10-3', '1-2#2', '1-2#2-1', '1#3-4#12'])
      expect([path, isPath(path)]).toEqual([path, true])
    for (const text of [
      '',
      '0',
      '1-',
      '-1',
      '1-0',
      '1--2',
      '1#1',
      '1#0',
      '1#',
      '01',
      '1-2 ',
      'a',
      '1.2',
      '1-2#2#3',
    ])
      expect([text, isPath(text)]).toEqual([text, false])
  })

  it('leads to its children, its parent, its level', () => {
    expect(childPath('1-2', 3)).toBe('1-2-3')
    expect(parentPath('1-2-3')).toBe('1-2')
    expect(parentPath('1-2#2-3')).toBe('1-2#2')
    expect(parentPath('1')).toBeNull()
    expect(['1', '1-2', '1-2#2-1'].map(levelOf)).toEqual([0, 1, 2])
  })

  it('has attempts at one place; the marks of its ancestors stay', () => {
    expect(attemptPath('1-2', 2)).toBe('1-2#2')
    expect(attemptPath('1-2#2', 3)).toBe('1-2#3')
    expect(attemptPath('1-2#2', 1)).toBe('1-2')
    expect(attemptPath('1-2#2-1', 2)).toBe('1-2#2-1#2')
    expect(placeOf('1-2#2-1')).toBe('1-2#2-1')
    expect(placeOf('1-2#12')).toBe('1-2')
    expect(['1-2', '1-2#2', '1-2#2-1', '1-2#2-1#11'].map(attemptOf)).toEqual([1, 2, 1, 11])
  })

  it('is inside itself and its ancestors, not inside what only begins like it, nor inside another attempt', () => {
    expect(isInside('1-2', '1-2')).toBe(true)
    expect(isInside('1-2-3', '1-2')).toBe(true)
    expect(isInside('1-22', '1-2')).toBe(false)
    expect(isInside('1-2#2', '1-2')).toBe(false)
    expect(isInside('1', '1-2')).toBe(false)
  })
})
