import { describe, expect, it } from 'vitest'
import { walk } from '../../tests/views/game24-walk.ts'
import { type Journal, journal } from '../../tests/views/journal.ts'
import { emptyState, foldEvent } from '../protocol/index.ts'
import { firstSentence } from '../strategies/chain-of-thought/views/thought-chain-lines.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { createDetails } from './details.ts'
import { newsLine } from './event-line.ts'
import { plainText } from './line.ts'
import { progressLines } from './progress.ts'
import { textWidth } from './text-width.ts'

const PLAN = [
  { description: 'compute 3 + 4', status: 'Done', result: '7' },
  {
    description: 'compute the rest',
    status: 'Pending',
    sub_steps: [
      { description: 'compute 8 - 6', status: 'Verification Needed', mark: 'a sign was lost' },
      { description: 'multiply', status: 'Pending' },
    ],
  },
]

function chain(to: Journal = journal(), path = '1'): Journal {
  return to
    .start(path, '((3+4)*(8-6))', 'cot@1')
    .add(path, { type: 'todo-set', n: 1, todo: ['compute 3 + 4', 'compute the rest'] })
    .note(path, 'cot/thought', {
      thought_number: 1,
      current_thinking: 'The innermost first. Then the rest.',
      planning: [],
      next_thought_needed: true,
    })
    .note(path, 'cot/thought', {
      thought_number: 2,
      current_thinking: '3 + 4 = 7',
      planning: PLAN,
      next_thought_needed: true,
      evaluation: 'fine',
    })
}

function draw(made: Journal, maxLines = 50, lang: 'en' | 'zh' = 'en', width = 80): string {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of made.events) {
    foldEvent(state, event)
    details.follow(event)
  }
  const nowMs = Date.parse(made.events.at(-1)?.ts ?? '')
  return plainText(progressLines(state, { lang, width, maxLines, nowMs, details }))
}

function news(made: Journal, lang: 'en' | 'zh' = 'en'): string[] {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  const lines: string[] = []
  for (const event of made.events) {
    foldEvent(state, event)
    details.follow(event)
    const line = event.type === 'note' ? newsLine(state, event, lang, details) : null
    if (line !== null) lines.push(plainText([line]))
  }
  return lines
}

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

describe('what a chain of thought shows below its block', () => {
  it('is the last thoughts and the plan as a nested checklist, in place of the plan', () => {
    expect(draw(chain()).split('\n').slice(1)).toEqual([
      '    thought 1: The innermost first.',
      '    evaluation: fine',
      '    thought 2: 3 + 4 = 7',
      '    [x] compute 3 + 4: 7',
      '    [ ] compute the rest',
      '       [?] compute 8 - 6 (verify: a sign was lost)',
      '       [ ] multiply',
    ])
  })

  it('is folded to the room there is: what is done goes first', () => {
    expect(draw(chain(), 8, 'zh').split('\n')).toHaveLength(8)
    expect(draw(chain(), 5).split('\n').slice(1)).toEqual(
      ['    thought 2: 3 + 4 = 7', '    … 2 more steps'].concat([
        '    [ ] compute the rest',
        '       [?] compute 8 - 6 (verify: a sign was lost)',
      ]),
    )
  })

  it('has the evaluation before earlier thoughts, where there is room for one more line', () => {
    expect(draw(chain(), 7).split('\n').slice(1, 3)).toEqual([
      '    evaluation: fine',
      '    thought 2: 3 + 4 = 7',
    ])
    expect(draw(chain(), 6).split('\n')[1]).toBe('    thought 2: 3 + 4 = 7')
  })

  it('is no wider than the screen, in Chinese too', () => {
    const text = '很长的思考'.repeat(40)
    const planning = [{ description: text, status: 'Done', result: text }]
    const thought = { thought_number: 1, current_thinking: text, evaluation: text, planning }
    const made = journal().start('1', text, 'cot@1').note('1', 'cot/thought', thought)
    for (const width of [14, 24, 40])
      for (const line of draw(made, 20, 'zh', width).split('\n').slice(1))
        expect(textWidth(line)).toBeLessThanOrEqual(width)
  })

  it('takes over a step that a block below has solved', () => {
    const made = chain().note('1', 'cot/step-solved', {
      thought_number: 2,
      step: '2',
      planning: [{ description: 'all of it', status: 'Done', result: '14' }],
    })
    expect(draw(made)).toContain('[x] all of it: 14')
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

  it('are the thoughts of a chain: number, first sentence, how far the plan is', () => {
    expect(news(chain())).toEqual([
      '[-] 1 thought 1: The innermost first.',
      '[-] 1 thought 2: 3 + 4 = 7 (1 of 4 steps done, 1 to verify)',
    ])
  })

  it('are the steps of a chain that were Done and are in doubt now', () => {
    const made = journal()
      .start('1', 'x', 'cot@1')
      .note('1', 'cot/step-reopened', {
        thought_number: 3,
        steps: [
          { step: '2.1', description: 'subtract', status: 'Verification Needed', mark: 'a sign was lost' },
          { step: '3', description: 'multiply', status: 'Pending' },
        ],
      })
    const told = '2.1. subtract (verify: a sign was lost); 3. multiply'
    expect(news(made)).toEqual([`[-] 1 open again: ${told}`])
    expect(news(made, 'zh')[0]).toContain('重新打开: 2.1. subtract (待验证')
  })

  it('are none of strategies that have nothing to tell', () => {
    expect(news(journal().start('1', 'x', 'fractal@1').note('1', 'fractal/thought', {}))).toEqual([])
  })

  it('end a sentence at its end, not in a number', () => {
    expect(firstSentence('It is 3.14, roughly. Go on.')).toBe('It is 3.14, roughly.')
    expect(firstSentence('先算括号。再算其余。')).toBe('先算括号。')
    expect(firstSentence('no end')).toBe('no end')
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
