import { describe, expect, it } from 'vitest'
import type { Event } from '../../../protocol/index.ts'
import { createDetails } from '../../../views/details.ts'
import { plainText } from '../../../views/line.ts'
import { SHIPPED_VIEWS } from '../../shipped-views.ts'
import { redoTask, removeTask, setStatus, skipTask } from '../tasks/change-tasks.ts'
import type { StatusChange } from '../tasks/task.ts'
import { buildTree } from '../tasks/tree.ts'
import { planOf } from './task-plan.ts'

const task = (name: string, ...parts: readonly string[]) => ({
  subtask_name: name,
  subtask_goal: `${name} is done`,
  ...(parts.length > 0 && { subtasks: parts.map((part) => ({ subtask_name: part, subtask_goal: 'g' })) }),
})

/** A journal of notes that a real tree was told by. */
function journal(tasks: readonly ReturnType<typeof task>[], strategy = 'dual@1') {
  const tree = buildTree({ main_task: 'all', main_task_goal: 'g', tasks })
  const events: Event[] = []
  const add = (path: string, body: object) =>
    void events.push({ seq: events.length + 1, path, ...body } as Event)
  const note = (path: string, name: string, data: unknown) =>
    add(path, { type: 'note', name, data: structuredClone(data) })
  const told = (changes: readonly StatusChange[]) => {
    for (const change of changes) note('1', 'dual/task-changed', change)
  }
  add('1', { type: 'block-start', strategy, goal: 'all', options: {} })
  note('1', 'dual/phase-begun', { phase: 'plan-generation' })
  note('1', 'dual/plan-changed', { tree: tree.root })
  let children = 0
  return {
    tree,
    events,
    told,
    note,
    begin(index: string, attempt = 1) {
      const path = `1-${++children}`
      told([...setStatus(tree, index, 'queueing'), ...setStatus(tree, index, 'processing')])
      add(path, { type: 'block-start', strategy, goal: 'g', options: { task: { index, attempt } } })
      return path
    },
    end(path: string, index: string, result: string) {
      add(path, { type: 'block-end', outcome: { status: 'completed', result } })
      told(setStatus(tree, index, 'completed'))
    },
  }
}

function drawn(events: readonly Event[], maxLines = 20, width = 60): string {
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of events) details.follow(event)
  return plainText(details.linesOf('1', { lang: 'en', width, maxLines }))
}

/** What the rows after the coordinator's children say, and how those children are called. */
function rows(events: readonly Event[], ...children: string[]) {
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of events) details.follow(event)
  const names = children.map((path) => {
    const row = details.rowOf(path, 'en')
    return [row?.name, ...(row?.tags ?? [])].join(', ')
  })
  return { todo: details.todoOf('1', 'en'), names }
}

describe('the tasks of a plan', () => {
  it('are drawn once: what a block carries out is its row, what is to be done the rows after, the rest are lines', () => {
    const { begin, end, note, told, events, tree } = journal([
      task('north', 'a', 'b'),
      task('south'),
      task('east'),
    ])
    const first = begin('1-1-1')
    end(first, '1-1-1', 'found it\nat last')
    const second = begin('1-1-2')
    note(second, 'dual/action-begun', { action: 'require_tool', thought: 'Look again.' })
    told(skipTask(tree, '1-3', 'no time'))
    expect(drawn(events)).toBe(
      ['-[~] 1-1. north (1 finished, 1 executing)', '-[/] 1-3. east  skipped: no time'].join('\n'),
    )
    expect(rows(events, first, second)).toEqual({ todo: ['1-2 south'], names: ['task 1-1-1', 'task 1-1-2'] })
    expect(planOf(events, '1').byIndex.get('1-1-1')).toMatchObject({ status: 'completed', attempt: 1 })
  })

  it('know by which reference the results of their tool calls can be read', () => {
    const { begin, events } = journal([task('north')])
    const path = begin('1-1')
    events.push({ seq: 99, path, type: 'tool-end', n: 4, result: { ok: true, value: 'x' } } as Event)
    // What the loop remembers is no result of the task.
    events.push({ seq: 100, path, type: 'tool-start', n: 5, name: 'memory__load' } as Event)
    events.push({ seq: 101, path, type: 'tool-end', n: 5, result: { ok: true, value: [] } } as Event)
    expect(planOf(events, '1').byIndex.get('1-1')?.tool_call_results).toEqual({ 4: '1-1/4' })
  })

  it('that are done again lose what they came to, and say which attempt it is', () => {
    const { begin, end, told, events, tree } = journal([task('north'), task('south')])
    end(begin('1-1'), '1-1', 'found it')
    told(redoTask(tree, '1-1', 'look better'))
    expect(rows(events).todo).toEqual(['1-1 north (attempt 2)', '1-2 south'])
    const again = begin('1-1', 2)
    end(again, '1-1', 'found more')
    expect(rows(events, '1-1', again)).toEqual({ todo: ['1-2 south'], names: ['1-1', 'task 1-1, attempt 2'] })
    expect(planOf(events, '1').byIndex.get('1-1')?.task_summary).toBe('found more')
  })

  it('fold where there is little room: what goes on stays', () => {
    const many = Array.from({ length: 30 }, (_, i) => task(`t${i + 1}`, `${i + 1}.a`, `${i + 1}.b`))
    const { begin, end, events } = journal(many)
    for (let i = 1; i <= 14; i++)
      for (const part of [1, 2]) end(begin(`1-${i}-${part}`), `1-${i}-${part}`, 'done')
    begin('1-15-1')
    for (const room of [1, 2, 3, 5, 8, 13]) {
      const lines = drawn(events, room).split('\n')
      expect(lines.length).toBeLessThanOrEqual(room)
      expect(lines.join('\n')).toContain('-[-] 1-15. t15 (1 executing, 1 not started)')
    }
    for (const line of drawn(events, 20, 24).split('\n')) expect(line.length).toBeLessThanOrEqual(24)
  })

  it('are drawn for a strategy of another name that is made from dual', () => {
    expect(rows(journal([task('north')], 'kitchen@1').events).todo).toEqual(['1-1 north'])
  })

  it('keep what was known when the plan is changed', () => {
    const { begin, end, note, events, tree } = journal([task('north'), task('south')])
    end(begin('1-1'), '1-1', 'found it')
    note('1', 'dual/plan-changed', { tree: tree.root })
    expect(planOf(events, '1').byIndex.get('1-1')?.task_summary).toBe('found it')
  })

  it('keep what their blocks do when an edit gives them other indices', () => {
    const { begin, note, events, tree } = journal([task('north'), task('south')])
    const path = begin('1-2')
    events.push({ seq: 99, path, type: 'tool-end', n: 4, result: { ok: true, value: 'x' } } as Event)
    removeTask(tree, '1-1')
    note('1', 'dual/plan-changed', { tree: tree.root })
    note(path, 'dual/action-begun', { thought: 'Look south.' })
    const plan = planOf(events, '1')
    expect(plan.byIndex.get('1-1')).toMatchObject({ name: 'south', status_summary: 'Look south.' })
    expect(rows(events, path)).toEqual({ todo: [], names: ['1-1'] })
    expect(plan.byIndex.get('1-1')?.tool_call_results).toEqual({ 4: `${path}/4` })
    expect([...plan.taskOf]).toEqual([[path, '1-1']])
  })
})

describe('news of a plan', () => {
  function news(name: string, data: unknown, lang: 'en' | 'zh' = 'en'): string | null {
    const { events, note } = journal([task('north', 'a')])
    note('1', name, data)
    const details = createDetails(SHIPPED_VIEWS)
    for (const event of events) details.follow(event)
    const line = details.newsOf(events.at(-1) as Event, lang)
    return line === null ? null : plainText([line])
  }

  it.each([
    ['dual/phase-begun', { phase: 'execution' }, 'carries out the plan'],
    ['dual/phase-begun', { phase: 'plan-request' }, null],
    [
      'dual/task-changed',
      { id: 't2', index: '1-1', from: 'queueing', to: 'completed' },
      'task 1-1 "north" completed',
    ],
    ['dual/task-changed', { id: 't3', index: '1-1-1', from: 'queueing', to: 'processing' }, null],
    [
      'dual/task-changed',
      { id: 't3', index: '1-1-1', from: 'processing', to: 'aborted', reason: 'no\nway' },
      'task 1-1-1 "a" aborted: no way',
    ],
    [
      'dual/action-begun',
      { action: 'require_tool', params: { tool: 'read_file' }, thought: 'Look.' },
      'Look.',
    ],
    ['dual/action-begun', { action: 'finish', params: {}, thought: '' }, 'finish'],
    ['dual/action-refused', { problem: 'There is no action.' }, "can't be used: There is no action."],
    ['dual/plan-reviewed', { choice: 'continue' }, null],
    ['dual/plan-reviewed', { choice: 'revise', words: 'shorter' }, 'review: revise — shorter'],
    ['dual/loop-reflected', { advice: 'Stop.', spinning: true }, 'looks back (goes round in circles): Stop.'],
    ['dual/loop-reflected', { advice: '', spinning: false }, null],
    [
      'dual/subtask-signalled',
      { do: 'redo', subtask_index: '1-1', reopened: ['1-2', '1-4'], stands: ['1-3'] },
      'redo 1-1: done again too, as they build on it: 1-2, 1-4; stand as they are: 1-3',
    ],
    [
      'dual/task-changed',
      { id: 't2', index: '1-1', from: 'skipped', to: 'completed', attempt: 1, reason: 'attempt 1 stands' },
      'task 1-1 "north" completed: attempt 1 stands',
    ],
    ['dual/plan-mending', { index: '1-2', mends: 1, of: 2 }, 'mends the plan (task 1-2; 1/2)'],
    ['dual/mend-failed', { index: '1-2', problem: 'no' }, 'the plan stays as it is: no'],
    ['dual/subtask-signalled', { do: 'skip', subtask_index: '1-9', problem: 'no' }, 'skip 1-9 not done: no'],
    ['dual/blueprint-marked', { mark: '[BLUEPRINT_FOUND]', about: 'docs' }, '[BLUEPRINT_FOUND] docs'],
    ['dual/history-compacted', { items: 3 }, null],
  ])('%s %j', (name, data, line) => expect(news(name, data)).toBe(line))

  it('is in Chinese where the goal is', () => {
    expect(news('dual/task-changed', { id: 't2', index: '1-1', from: 'queueing', to: 'skipped' }, 'zh')).toBe(
      '任务 1-1 "north" 已跳过',
    )
  })
})
