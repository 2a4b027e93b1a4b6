import { describe, expect, it } from 'vitest'
import { relatedTo } from './related.ts'

const GOAL =
  'write the release notes: notes.md lists what has changed since the last release\nprepare the release of version 3'

describe('what has to do with a task', () => {
  it.each([
    ['Ada signs the release notes.'],
    ['The release script needs the branch main.'],
    ['Changed behaviour is listed first in notes.md.'],
    ['Release notes are read by the whole team, by support, and by customers who decide whether to update.'],
  ])('%s', (text) => expect(relatedTo(GOAL)(text)).toBe(true))

  it.each([
    ['The kitten gets milk at noon.'],
    ['The user wants every task to be done and the result written to a file.'],
    ['The evening class on pottery has changed its room, and the new one is on the third floor.'],
    [''],
  ])('and not: %s', (text) => expect(relatedTo(GOAL)(text)).toBe(false))

  it('a short query is about each of its words', () => {
    expect(
      relatedTo('milk')('The kitten gets milk at noon, and water in the evening, from a blue bowl.'),
    ).toBe(true)
    expect(relatedTo('a task')('The task was done.')).toBe(false)
  })

  it('in Chinese, too', () => {
    expect(relatedTo('写发布说明，列出版本变化')('发布说明由小王签字')).toBe(true)
    expect(relatedTo('写发布说明，列出版本变化')('小猫中午喝牛奶')).toBe(false)
  })
})
