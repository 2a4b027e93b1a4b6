import { expect, it } from 'vitest'
import { emptyState, type PendingQuestion } from '../protocol/index.ts'
import { plainText } from '../views/line.ts'
import { createPrompt } from './prompt.ts'

it('shows a long question in pages, and takes `always` only after the last one', () => {
  const text = ['shell asks:', ...Array.from({ length: 25 }, (_, i) => `  line ${i}`)].join('\n')
  const asking = {
    id: 7,
    path: '1',
    n: 1,
    name: 'approve',
    text,
    choices: ['yes', 'no', 'always'],
  } as unknown as PendingQuestion
  const state = emptyState()
  const prompt = createPrompt('en', true)
  const shown = () => {
    return plainText(prompt.show(asking, state, { width: 80, maxLines: 11 }).lines)
  }
  const type = (word: string) => {
    prompt.press(asking, { name: 'text', text: word })
    return prompt.press(asking, { name: 'enter' })
  }
  expect(shown()).toMatch(/line 0\n.*line 9\n +page 1 of 3/s)
  expect(type('always')).toBeUndefined()
  expect(shown()).toContain('see all pages before you answer')
  expect(prompt.press(asking, { name: 'enter' })).toBeUndefined()
  expect(shown()).toMatch(/line 10\n.*line 19\n +page 2 of 3/s)
  prompt.press(asking, { name: 'enter' })
  expect(shown()).toMatch(/line 24\n +page 3 of 3/)
  expect(type('always')).toEqual({ value: 'always' })
  expect(createPrompt('en', true).press(asking, { name: 'enter' })).toBeUndefined()
})

it('shows all pages of a question with a fallback before an empty answer takes it', () => {
  const text = ['Go on?', ...Array.from({ length: 25 }, (_, i) => `  line ${i}`)].join('\n')
  const asking = { id: 7, path: '1', n: 1, name: 'answer', text, choices: ['go', 'end'], fallback: 'go' }
  const prompt = createPrompt('en', true)
  const shown = () =>
    plainText(
      prompt.show(asking as unknown as PendingQuestion, emptyState(), { width: 80, maxLines: 11 }).lines,
    )
  const enter = () => prompt.press(asking as unknown as PendingQuestion, { name: 'enter' })
  expect(shown()).toMatch(/line 0\n.*line 9\n +page 1 of 3/s)
  expect(shown()).not.toContain('⏎')
  expect(enter()).toBeUndefined()
  expect(shown()).toContain('line 12')
  expect(enter()).toBeUndefined()
  expect(shown()).toMatch(/line 24\n.*⏎ go/s)
  expect(enter()).toEqual({ value: 'go' })
})
