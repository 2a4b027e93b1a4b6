// The tree shows tasks by one numbering: a task has the same number in its line, in the row of its block, and in commands.
import { expect, it } from 'vitest'
import { type Event, emptyState, foldEvent, foldEvents } from '../../src/protocol/index.ts'
import { steerTask } from '../../src/strategies/dual-engine/views/steer-task.ts'
import { SHIPPED_VIEWS } from '../../src/strategies/shipped-views.ts'
import { createDetails } from '../../src/views/details.ts'
import { plainText } from '../../src/views/line.ts'
import { progressLines } from '../../src/views/progress.ts'
import { allNews } from '../views/draw.ts'
import { finish, isNote, nested, plan, startDual, type TaskInput, type TaskScript } from './scripted-tasks.ts'

/** `b1` and `c` ask for plans, `c` for two. */
const SCRIPT: TaskScript = {
  'plan all': [plan('a', { name: 'b', parts: ['b1', 'b2'] }, 'c')],
  'act b1': [nested('inside b1'), finish('b1')],
  'plan inside b1': [plan('left', { name: 'right', parts: ['far right'] })],
  'act c': [nested('first'), nested('second'), finish('c')],
  'plan first': [plan('x')],
  'plan second': [plan('y')],
}

/** The lines of the tree. */
function drawn(events: readonly Event[]): string[] {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of events) {
    foldEvent(state, event)
    details.follow(event)
  }
  const lines = progressLines(state, { lang: 'en', width: 200, maxLines: 100, nowMs: 0, details })
  return plainText(lines).split('\n')
}

/** `1-2-1 b1`, for each line of a task and each row of a block. */
function numbers(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [, number, name] =
      /-\[.\] ([\d-]+)\. (.+?)(?: \(|$)/.exec(line) ??
      /\[.\] (?:task |plan )?([\d-]+) "([^"]+)"/.exec(line) ??
      []
    return number === undefined ? [] : [`${number} ${name}`]
  })
}

it('a number means one task in the whole tree, and a task has one number, also where its block has another path', async () => {
  const run = await startDual('all', SCRIPT)
  expect((await run.outcome()).status).toBe('completed')
  const tree = drawn(await run.events())
  const shown = new Map<string, Set<string>>()
  for (const line of numbers(tree)) {
    const [number = '', ...name] = line.split(' ')
    shown.set(number, (shown.get(number) ?? new Set()).add(name.join(' ')))
  }
  expect(Object.fromEntries([...shown].map(([number, names]) => [number, [...names].join(', ')]))).toEqual({
    '1': 'all',
    '1-1': 'a',
    '1-2': 'b',
    '1-2-1': 'b1',
    '1-2-1-1': 'inside b1',
    '1-2-1-1-1': 'left',
    '1-2-1-1-2': 'right',
    '1-2-1-1-2-1': 'far right',
    '1-2-2': 'b2',
    '1-3': 'c',
    '1-3-1': 'first',
    '1-3-1-1': 'x',
    '1-3-2': 'second',
    '1-3-2-1': 'y',
  })
  // Where the path of the block is another, it is said: commands take paths.
  expect(tree.find((line) => line.includes('"b1"'))).toMatch(/\[x\] task 1-2-1 "b1" ‹1-2›/)
  expect(tree.find((line) => line.includes('"inside b1"'))).toMatch(/\[x\] plan 1-2-1-1 "inside b1" ‹1-2-1›/)
  expect(tree.find((line) => line.includes('"a"'))).toMatch(/\[x\] 1-1 "a" /)
})

it('a redo has the number of its task', async () => {
  let times = 0
  const run = await startDual('all', {
    'plan all': [plan('a', 'b')],
    'act b': async ({ attempt }: TaskInput) => {
      if (attempt === 1 && ++times === 1) {
        await run.run.signal('1', 'subtask', { do: 'redo', subtask_index: '1-1', user_message: 'better' })
        await run.see('it was taken', isNote('dual/subtask-signalled'))
      }
      return finish('b')
    },
  })
  await run.outcome()
  const tree = drawn(await run.events())
  expect(numbers(tree).filter((line) => line.startsWith('1-1 '))).toHaveLength(2)
  expect(tree.find((line) => line.includes('‹1-3›'))).toMatch(/\[x\] task 1-1 "a/)
})

it('a task is steered by its number, whichever plan it is of', async () => {
  const run = await startDual('all', { ...SCRIPT, 'act left': () => new Promise(() => {}) })
  await run.see('left has begun', (event) => event.type === 'model-start' && event.path === '1-2-1-1')
  const journal = await run.events()
  const state = foldEvents(journal)
  const steer = (target: string) =>
    steerTask({
      act: 'skip',
      target,
      message: 'no',
      path: '1',
      lang: 'en',
      state,
      journal,
      hint: (words) => words,
    })
  expect(steer('1-2-1-1-1')).toMatchObject({
    path: '1-2-1',
    value: { do: 'skip', subtask_index: '1-2-1-1-1' },
  })
  expect(steer('1-3')).toMatchObject({ path: '1', value: { subtask_index: '1-3' } })
  expect(() => steer('1-9')).toThrow('the plan of block 1 has no task "1-9"')
  const { path = '', name, value } = steer('1-2-1-1-1')
  await run.run.signal(path, name, value)
  expect((await run.outcome()).status).toBe('completed')
})

it('a task that was never begun stands in the tree of a plan that has ended, too', async () => {
  const run = await startDual(
    'all',
    {
      'plan all': [plan('a', { name: 'b', after: ['a'] })],
      'act a': [finish('nothing', { status: 'failed', reason: 'the door is shut' })],
    },
    { options: { maxReplans: 0 } },
  )
  expect((await run.outcome()).reason).toContain('1 task was not begun')
  expect(drawn(await run.events()).join('\n')).toMatch(/\[!\] 1-1 "a".*\n.*\[ \] "1-2 b"/)
})

it('a pipe says which task a block carries out, where its path is the number of another', async () => {
  const run = await startDual('all', {
    'plan all': [plan({ name: 'a', parts: ['a1', 'a2'] }, 'b')],
  })
  expect((await run.outcome()).status).toBe('completed')
  const begun = allNews({ events: await run.events() }, 'en', ({ type }) => type === 'block-start')
  expect(begun).toEqual([
    '[-] 1 "all"',
    '[-] 1-1 "a1" ‹task 1-1-1›',
    '[-] 1-2 "a2" ‹task 1-1-2›',
    '[-] 1-3 "b" ‹task 1-2›',
  ])
})
