import { afterEach, expect, it, vi } from 'vitest'
import { journal } from '../../tests/views/journal.ts'
import { emptyState, foldEvent } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { createDetails } from '../views/details.ts'
import { plainText } from '../views/line.ts'
import { openQuestions } from '../views/questions.ts'
import { plainView, type ViewParts } from './run-view.ts'

afterEach(() => {
  vi.useRealTimers()
})

function printing() {
  const printed: string[] = []
  const out = {
    print: (text: string) => printed.push(text),
    printLines: (lines: Parameters<typeof plainText>[0]) => printed.push(plainText(lines)),
  }
  const session = { hint: (words: string) => `thinkon ${words}` }
  const details = createDetails(SHIPPED_VIEWS)
  const view = plainView({ out, session, lang: 'en', yes: false } as unknown as ViewParts, details)
  return { printed, details, view }
}

it('what is asked for is told once, also if it is answered before anybody could be told how', () => {
  const { printed, details, view } = printing()
  const state = emptyState()
  const made = journal()
    .runStart('all', 'fractal@3')
    .start('1', 'all', 'fractal@3')
    .add('1', {
      type: 'signal-asked',
      n: 1,
      name: 'answer',
      question: { text: 'write_file asks for permission:\na.txt\nb.txt', choices: ['yes', 'no'] },
    })
  for (const event of made.events) {
    foldEvent(state, event)
    details.follow(event)
    view.event(event, state)
  }
  const lines = () => printed.join('\n').split('\n')
  expect(lines().filter((line) => /^ +a\.txt$/.test(line))).toHaveLength(1)
  expect(printed.join('\n')).not.toContain('waiting:')
  for (const question of openQuestions(state)) view.asked(question, state)
  expect(lines().filter((line) => /^ +a\.txt$/.test(line))).toHaveLength(1)
  expect(printed.at(-1)).toBe("    waiting: thinkon answer r1 3 'yes|no'")
})

it('a waiting question is said again after other output, once it pauses', async () => {
  vi.useFakeTimers()
  const { printed, details, view } = printing()
  const state = emptyState()
  const made = journal()
    .runStart('all', 'fractal@3')
    .start('1', 'all', 'fractal@3')
    .add('1', {
      type: 'signal-asked',
      n: 1,
      name: 'answer',
      question: { text: 'Go on?', choices: ['yes', 'no'] },
    })
    .start('1-1', 'another branch', 'fractal@3')
    .start('1-2', 'a third', 'fractal@3')
  for (const event of made.events) {
    foldEvent(state, event)
    details.follow(event)
    view.event(event, state)
  }
  const before = printed.length
  vi.advanceTimersByTime(60_000)
  expect(printed.slice(before)).toEqual([
    '[?] 1 Go on? (yes / no)',
    "    waiting: thinkon answer r1 3 'yes|no'",
  ])
  await view.close()
})
