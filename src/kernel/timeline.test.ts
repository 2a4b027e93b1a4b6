import { describe, expect, it } from 'vitest'
import type { TimelineEntry } from '../protocol/index.ts'
import { Timeline, timelineText } from './timeline.ts'

function entry(path: string, kind: TimelineEntry['kind'], text: string): TimelineEntry {
  return { path, kind, text }
}

describe('a timeline', () => {
  it('tells what was inherited first, then its own, in order', () => {
    const timeline = new Timeline([entry('1', 'plan', 'the plan above')])
    timeline.add(entry('1-1', 'tool', 'look → 1'))
    timeline.take([entry('1-1-1', 'child', 'of a child')])
    expect(timeline.text(500)).toBe(
      '[1] plan: the plan above\n[1-1] tool: look → 1\n[1-1-1] child: of a child',
    )
  })

  it('passes on to the parent what a person said to it, not what it inherited', () => {
    const timeline = new Timeline([entry('1', 'message', 'inherited')])
    expect(timeline.forParent()).toEqual([])
    timeline.add(entry('1-1', 'tool', 'own'))
    timeline.add(entry('1-1', 'message', 'be quick'))
    expect(timeline.forParent()).toEqual([{ path: '1-1', kind: 'message', text: 'be quick' }])
  })

  it('stays within the characters it is given, and says how much it left out', () => {
    const timeline = new Timeline([])
    for (let i = 0; i < 100; i++) timeline.add(entry('1', 'tool', `look → ${i}`))
    expect(timeline.text(0)).toBe('')
    expect(timeline.text(30).length).toBeLessThanOrEqual(30)
    for (const maxChars of [100, 500, 2_000]) {
      const text = timeline.text(maxChars)
      expect(text.length).toBeLessThanOrEqual(maxChars)
      expect(text).toMatch(/^\(\d+ entries left out\)\n/)
      expect(text.endsWith('look → 99')).toBe(true)
    }
  })

  it("leaves out a person's words, warnings and failures last", () => {
    const timeline = new Timeline([])
    timeline.add(entry('1', 'message', 'a person said so'))
    for (let i = 0; i < 500; i++) timeline.add(entry('1', 'tool', `look → ${i}`))
    expect(timeline.text(300)).toContain('a person said so')
    expect(timeline.known().some((item) => item.kind === 'message')).toBe(true)
  })

  it('keeps every entry, whole', () => {
    const timeline = new Timeline([])
    for (let i = 0; i < 1_000; i++)
      timeline.add({ path: '1', kind: 'tool', text: 'look →', data: 'x'.repeat(5_000) })
    expect(timeline.known()).toHaveLength(1_000)
    expect(timeline.known()[0]?.data).toHaveLength(5_000)
  })

  it('gives a child what was known then: what comes later does not change it', () => {
    const timeline = new Timeline([])
    timeline.add(entry('1', 'tool', 'before'))
    const known = timeline.known()
    timeline.add(entry('1', 'tool', 'after'))
    expect(known.map((item) => item.text)).toEqual(['before'])
  })

  it('is no text at all when there is nothing to tell', () => {
    expect(timelineText([], 100)).toBe('')
  })

  it('tells what a person said to one block again again', () => {
    const timeline = new Timeline([])
    for (const text of ['use A', 'use B', 'use A']) timeline.add(entry('1', 'message', text))
    expect(timeline.known().map(({ text }) => text)).toEqual(['use A', 'use B', 'use A'])
  })

  it('tells what a person said to several blocks at once only once, where it came first', () => {
    const timeline = new Timeline([])
    timeline.add(entry('1', 'message', 'hurry'))
    timeline.take([entry('1-1', 'message', 'hurry'), entry('1-1', 'tool', 'look')])
    timeline.take([entry('1-2', 'message', 'hurry'), entry('1-2', 'message', 'be kind')])
    expect(timeline.known().map(({ path, text }) => `${path} ${text}`)).toEqual([
      '1 hurry',
      '1-1 look',
      '1-2 be kind',
    ])
  })
})
