import { describe, expect, it } from 'vitest'
import type { Ancestor } from '../protocol/index.ts'
import { type Ancestors, ancestorList, Lineage } from './lineage.ts'

const ancestor = (level: number): Ancestor => ({
  path: `1${'-1'.repeat(level)}`,
  goal: `goal ${level}`,
  todo: '',
})

/** Of a block this deep. */
function lineage(level: number, begin: Ancestors = []): Ancestors {
  let above = begin
  for (let at = above.length; at < level; at++) above = new Lineage(ancestor(at), above)
  return above
}

describe('the blocks above a block', () => {
  it('are nearest first, and as many as the block is deep', () => {
    expect(lineage(3).length).toBe(3)
    expect(ancestorList(lineage(3))).toEqual([ancestor(2), ancestor(1), ancestor(0)])
    expect(ancestorList(lineage(0))).toEqual([])
  })

  it('are a list as JSON, which a block in another process continues', () => {
    const read = JSON.parse(JSON.stringify(lineage(2)))
    expect(read).toEqual([ancestor(1), ancestor(0)])
    expect(ancestorList(lineage(4, read))).toEqual(ancestorList(lineage(4)))
  })

  it('are the same list each time, however deep', () => {
    const deep = lineage(100_000)
    expect(ancestorList(deep)).toBe(ancestorList(deep))
    expect(ancestorList(deep)).toHaveLength(100_000)
  })
})
