import { describe, expect, it } from 'vitest'
import { type Journal, journal } from '../../../../tests/views/journal.ts'
import { chainMarkdown } from './chain-markdown.ts'
import { chainOf } from './thought-chain.ts'

function markdown({ events }: Journal): string {
  return chainMarkdown(chainOf({ path: '1', journal: events }), 'en')
}

describe('a chain of thought in Markdown', () => {
  const planning = [
    { description: 'add', status: 'Done', result: '3 + 4 = 7' },
    {
      description: 'rest',
      status: 'Pending',
      sub_steps: [
        { description: 'subtract', status: 'Verification Needed', mark: 'sign?', result: null },
        { description: 'multiply\nall', status: 'Pending', sub_steps: null },
      ],
    },
  ]

  it('is a trace that ends with the solution', () => {
    const made = journal()
      .start('1', 'a *sum*', 'cot@1')
      .note('1', 'cot/thought', {
        thought_number: 1,
        current_thinking: 'First <b>this</b>.\n\nThen that.',
        planning,
        next_thought_needed: true,
        evaluation: 'Nothing to judge yet.',
      })
      .note('1', 'cot/thought', {
        thought_number: 2,
        current_thinking: 'It is 14.',
        planning: [],
        next_thought_needed: false,
      })
      .end('1', { status: 'partial', result: 'It is 14.', reason: '1: two steps are left' })
    expect(markdown(made)).toBe(
      [
        '# a \\*sum\\*',
        '',
        '## Thought 1',
        '',
        '**Evaluation:** Nothing to judge yet.',
        '',
        'First &lt;b>this&lt;/b>.',
        '',
        'Then that.',
        '',
        '**Plan**',
        '',
        '- [x] add: 3 + 4 = 7',
        '- [ ] rest',
        '  - [?] subtract (verify: sign?)',
        '  - [ ] multiply all',
        '',
        '## Thought 2',
        '',
        'It is 14.',
        '',
        '## Solution',
        '',
        'It is 14.',
        '',
        '_partial: 1: two steps are left_',
        '',
      ].join('\n'),
    )
  })

  it('is whole: the problem, every thought, results of several lines below their step', () => {
    const long = `${'很长的问题 '.repeat(60)}end of the problem`
    const result = `a table:\n\n| a | b |\n${'x'.repeat(3_000)}end of the result`
    const text = markdown(
      journal()
        .start('1', long, 'cot@1')
        .note('1', 'cot/thought', {
          thought_number: 1,
          current_thinking: `${'y '.repeat(3_000)}end of the thinking`,
          planning: [
            {
              description: `${'d'.repeat(2_000)}end of the step`,
              status: 'Done',
              result: `${'r'.repeat(2_000)}end`,
            },
            {
              description: 'a',
              status: 'Pending',
              sub_steps: [{ description: 'b', status: 'Done', result }],
            },
          ],
          next_thought_needed: true,
        }),
    )
    for (const end of ['problem', 'thinking', 'step', 'result']) expect(text).toContain(`end of the ${end}`)
    expect(text).toContain('rend\n')
    expect(text).toContain('  - [x] b:\n\n    a table:\n\n    | a | b |\n')
  })

  it('has no solution before a thought concludes: what there is then is the result', () => {
    const made = journal()
      .start('1', 'x', 'cot@1')
      .note('1', 'cot/thought', {
        thought_number: 1,
        current_thinking: 'half of it',
        planning: [],
        next_thought_needed: true,
      })
      .end('1', { status: 'partial', result: '- a: 1', reason: 'the limit' })
    expect(markdown(made)).toContain('## Result\n\n- a: 1\n\n_partial: the limit_')
    expect(markdown(made)).not.toContain('Solution')
  })

  it('is short before the first thought', () => {
    expect(markdown(journal().start('1', 'x', 'cot@1'))).toBe('# x\n\n_Nothing has happened yet._\n')
  })
})
