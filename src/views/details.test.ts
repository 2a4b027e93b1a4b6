import { describe, expect, it } from 'vitest'
import { draw, news } from '../../tests/views/draw.ts'
import { walk } from '../../tests/views/game24-walk.ts'
import { journal } from '../../tests/views/journal.ts'
import { createDetails } from './details.ts'
import { plainText } from './line.ts'
import { textWidth } from './text-width.ts'

describe('what a search shows below its block', () => {
  it('is the tree, best branches first, with scores and marks', () => {
    expect(draw(walk()).split('\n').slice(1)).toEqual([
      '    BFS · round 3 · 9 thoughts · 4 pruned · best 10',
      '    ★    8   13 - 9 = 4 (left: 4, 4, 10)',
      '    ★    9     10 - 4 = 6 (left: 4, 6)',
      '    ★   10 ✓     6 × 4 = 24',
      '    ×    0       6 - 4 = 2',
      '    ·  5.5     4 + 4 = 8 (left: 8, 10)',
      '    ·  6.5   10 + 4 = 14 (left: 9, 13, 14)',
      '    ×    5     13 - 9 = 4 (left: 4, 14)',
      '    ≡    2     14 - 13 = 1 (left: 1, 9) ≡ 13 - 9 = 4 (left: 4, 14)',
      '    ×  1.5   9 × 13 = 117 (left: 4, 10, 117)',
    ])
  })

  it('is folded to the room there is: the best path stays, what is left out is counted', () => {
    const lines = draw(walk(), 6).split('\n').slice(1)
    expect(lines).toEqual([
      '    BFS · round 3 · 9 thoughts · 4 pruned · best 10',
      '    ★    8   13 - 9 = 4 (left: 4, 4, 10)',
      '    ★    9     10 - 4 = 6 (left: 4, 6)',
      '    ★   10 ✓     6 × 4 = 24',
      '    … 6 more (4 pruned)',
    ])
  })

  it('grows with every event, within its lines and cells, also with odd texts', () => {
    const odd = `中文 "quoted"\n<b>line</b>\u001b[2J 😀 ${'long '.repeat(200)}`
    const made = walk(journal(), { goal: odd, lang: 'zh' })
    made.note('1', 'tot/nodes-added', {
      parent_id: 'node_2',
      nodes: [{ ...nodeOf('odd', 'node_2'), content: odd }],
    })
    for (const maxLines of [1, 2, 3, 5, 40]) {
      for (let n = 1; n <= made.events.length; n++) {
        const lines = draw({ ...made, events: made.events.slice(0, n) }, maxLines, 'zh', 40).split('\n')
        expect(lines.length).toBeLessThanOrEqual(maxLines)
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(40)
        expect(lines.join('')).not.toContain('\u001b')
      }
    }
  })

  it('is nothing while there is no thought', () => {
    expect(draw(journal().start('1', 'x', 'tot@1')).split('\n')).toHaveLength(1)
  })

  it('stands between a block and its children, and leaves room to the other blocks', () => {
    const made = journal().start('1', 'both', 'fractal@1')
    walk(made, { path: '1-1', killedBefore: 'tot/best-path' })
    made.start('1-1-1', 'below', 'cot@1')
    made.start('1-2', 'beside', 'fractal@1')
    const lines = draw(made, 10).split('\n')
    expect(lines).toHaveLength(10)
    expect(lines[1]).toMatch(/^├─ \[-\] 1-1 /)
    expect(lines[2]).toMatch(/^│ {2}│ {2}BFS/)
    expect(lines.at(-2)).toMatch(/^│ {2}└─ \[-\] 1-1-1 "below"/)
    expect(lines.at(-1)).toMatch(/^└─ \[-\] 1-2 "beside"/)
  })
})

describe('news of strategies, in a pipe', () => {
  it('are the layers and the verified solution of a search', () => {
    expect(news(walk())).toEqual([
      '[-] 1 round 1: 3 candidates, best 8, 2 kept',
      '[-] 1 round 2: 4 candidates, best 9, 2 kept',
      '[-] 1 ✓ verified: (10 - (13 - 9)) × 4 = 24',
      '[-] 1 round 3: 2 candidates, best 10, 1 kept',
    ])
    expect(news(walk(), 'zh')[0]).toBe('[-] 1 第 1 轮: 3 个候选, 最高分 8, 保留 2 个')
  })

  it('are none of strategies that have nothing to tell', () => {
    expect(news(journal().start('1', 'x', 'fractal@1').note('1', 'fractal/thought', {}))).toEqual([])
  })
})

function nodeOf(id: string, parent: string) {
  return {
    id,
    parent_id: parent,
    children_ids: [],
    depth: 2,
    content: id,
    action_type: 'x',
    evaluation: null,
    status: 'pending',
  }
}

describe('a view that breaks', () => {
  const broken = { detail: () => ({ follow: () => failing(), lines: () => [], news: () => failing() }) }
  const failing = (): never => {
    throw new Error('no such field')
  }

  it('is dropped with a line that says so; the rest of the run is drawn', () => {
    const details = createDetails(new Map([['own', broken]]))
    const { events } = journal().start('1', 'x', 'own@1').note('1', 'own/note', {})
    for (const event of events) details.follow(event)
    expect(details.newsOf(events[1]!, 'en')).toBeNull()
    expect(plainText(details.linesOf('1', { width: 60, maxLines: 5, lang: 'en' }))).toBe(
      '(its view failed: no such field)',
    )
  })
})
