import { describe, expect, it } from 'vitest'
import { draw, news } from '../../tests/views/draw.ts'
import { type Journal, journal } from '../../tests/views/journal.ts'

const checked = (problems: readonly string[], sentBack: boolean): Journal =>
  journal()
    .start('1', 'write a memo', 'fractal@1')
    .note('1', 'result-checked', { by: 'model', problems, sentBack })

describe('the note on a checked result', () => {
  it('is news, and stands below its block', () => {
    const made = checked(['the rent is 20 and 30', 'no recommendation'], true)
    const line = 'the result is sent back (by a model): the rent is 20 and 30 · no recommendation'
    expect(news(made)).toEqual([`[-] 1 ${line}`])
    expect(draw(made, 50, 'en', 120)).toContain(`    ${line}`)
  })

  it('says that it fits, or what is still wrong, in the language of the view', () => {
    expect(news(checked([], false))[0]).toContain(
      'the result was held against the goal and fits (by a model)',
    )
    expect(news(checked(['太长'], false), 'zh')[0]).toContain('结果与目标不符 (模型核对): 太长')
  })

  it('is drawn from any data', () => {
    for (const data of [null, 'x', { problems: 'x' }, { problems: [1, null] }])
      expect(news(journal().start('1', 'g', 'fractal@1').note('1', 'result-checked', data))).toHaveLength(1)
  })
})
