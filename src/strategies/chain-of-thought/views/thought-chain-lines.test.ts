import { describe, expect, it } from 'vitest'
import { allNews, draw, news } from '../../../../tests/views/draw.ts'
import { type Journal, journal } from '../../../../tests/views/journal.ts'
import { textWidth } from '../../../views/text-width.ts'
import { firstSentence } from './thought-chain-lines.ts'

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

  it('says how many earlier thoughts are left out', () => {
    const made = chain()
    for (let n = 3; n <= 6; n++)
      made.note('1', 'cot/thought', { thought_number: n, current_thinking: `number ${n}`, planning: [] })
    expect(draw(made).split('\n').slice(1)).toEqual([
      '    … 3 earlier thoughts',
      '    thought 4: number 4',
      '    thought 5: number 5',
      '    thought 6: number 6',
    ])
    expect(draw(made, 3, 'zh').split('\n').slice(1)).toEqual([
      '    … 之前还有 5 次思考',
      '    思考 6: number 6',
    ])
    expect(draw(made, 2).split('\n').slice(1)).toEqual(['    thought 6: number 6'])
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

describe('news of a chain of thought, in a pipe', () => {
  it('are its thoughts as the document prints them, in short: number, first sentence, the plan as it stands', () => {
    expect(news(chain())).toEqual([
      '[-] 1 thought 1: The innermost first.',
      '[-] 1 thought 2: 3 + 4 = 7 (1 of 4 steps done, 1 to verify)',
      '    [x] compute 3 + 4: 7',
      '    [ ] compute the rest',
      '       [?] compute 8 - 6 (verify: a sign was lost)',
      '       [ ] multiply',
    ])
  })

  it('name the thought that concludes, whose solution follows as the result', () => {
    const last = {
      thought_number: 3,
      current_thinking: 'It is 14.',
      planning: [{ description: 'all', status: 'Done' }],
      next_thought_needed: false,
    }
    const made = chain().note('1', 'cot/thought', last)
    expect(news(made).slice(-2)).toEqual([
      '[-] 1 thought 3 (conclusion): It is 14. (1 of 1 step done)',
      '    [x] all',
    ])
    expect(news(made, 'zh').at(-2)).toContain('思考 3（结论）')
  })

  it('have the plan in a few lines: what is done is folded first', () => {
    const step = (n: number) => ({ description: `step ${n}`, status: n < 30 ? 'Done' : 'Pending' })
    const planning = Array.from({ length: 32 }, (_, n) => step(n + 1))
    const thought = { thought_number: 1, current_thinking: 'x', planning, next_thought_needed: true }
    const lines = news(journal().start('1', 'x', 'cot@1').note('1', 'cot/thought', thought))
    expect(lines).toHaveLength(13)
    expect(lines.slice(1, 3)).toEqual(['    … 21 more steps', '    [x] step 22'])
    expect(lines.at(-1)).toBe('    [ ] step 32')
  })

  it('have the plan once: that it is the todo is no news', () => {
    expect(allNews(chain()).join('\n')).not.toContain('plan:')
  })

  it('are its steps that were Done and are in doubt now', () => {
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

  it('end a sentence at its end, not in a number', () => {
    expect(firstSentence('It is 3.14, roughly. Go on.')).toBe('It is 3.14, roughly.')
    expect(firstSentence('先算括号。再算其余。')).toBe('先算括号。')
    expect(firstSentence('no end')).toBe('no end')
  })
})
