import { expect, it } from 'vitest'
import { journal } from '../../../../tests/views/journal.ts'
import type { FormList } from '../../../views/form.ts'
import { planForm } from './plan-form.ts'

const todo = (items: readonly string[]) => ({ type: 'todo-set', n: 1, todo: items }) as never

it('shows hypotheses with what was found of them, and that the second gate was not asked', () => {
  const plan = ['it is A', 'it is B', 'it is C', 'it is D']
  const { events } = journal()
    .start('1-1', 'why?', 'planner@1', {
      start: { plan_type: 'PLAN_PROBES', plan, success_signal: 'one stands' },
    })
    .add('1-1', todo(plan))
    .add('1-1', todo(plan.slice(3)))
    .note('1-1', 'planner/probe-judged', { hypothesis: 'it is A', verdict: 'refuted', evidence: 'a log' })
    .note('1-1', 'planner/probe-judged', { hypothesis: 'it is B', verdict: 'confirmed', evidence: '' })
  const form = planForm({ path: '1-1', journal: events }, 'en')
  expect(form?.caption).toBe('probes · success: one stands')
  const [gates, hypotheses] = (form?.parts ?? []) as readonly FormList[]
  expect(gates?.items.map(({ state }) => state)).toEqual(['doubt', 'skipped'])
  expect(hypotheses?.items).toEqual([
    { text: 'it is A', state: 'failed', tags: ['refuted'], note: 'a log' },
    { text: 'it is B', state: 'done', tags: ['confirmed'] },
    { text: 'it is C', state: 'active', tags: ['tested'] },
    { text: 'it is D', state: 'todo', tags: ['open'] },
  ])
})

it('shows what an executor was to observe, then what was observed', () => {
  const executor_call = { command: 'shell: ls', inputs: { in: 'src' }, expected_observations: ['a file'] }
  const made = journal().start('1-1', 'list', 'planner@1', {
    start: { plan_type: 'EXECUTE', plan: [], executor_call },
  })
  const executor = () => planForm({ path: '1-1', journal: made.events }, 'en')?.parts.at(-1)
  expect(executor()).toMatchObject({
    title: 'Executor and observations',
    items: [
      {
        text: 'shell: ls',
        state: 'active',
        note: '{"in":"src"}',
        items: [{ text: 'a file', state: 'todo' }],
      },
    ],
  })
  const observed = [{ observation: 'a file', verdict: 'unmet', evidence: 'it is empty' }]
  made.note('1-1', 'planner/call-executed', { command: 'shell: ls', ok: true, observed })
  expect(executor()).toMatchObject({
    items: [{ state: 'done', items: [{ state: 'failed', tags: ['not met'], note: 'it is empty' }] }],
  })
})

it('has none before anything is known, and passes over notes of another writer', () => {
  const { events } = journal().start('1', 'g', 'planner@1').note('1', 'planner/reply-refused', {})
  expect(planForm({ path: '1', journal: events }, 'en')).toBeNull()
})

it('shows the report of a sub-goal as people read it', () => {
  const result =
    '### Completion\nCompleted\n\n### Deliverables\n<data-fef0467cf9ef from="executor">\n200\n</data-fef0467cf9ef>\nkept'
  const { events } = journal()
    .start('1', 'g', 'planner@1')
    .start('1-1', 'count', 'planner@1')
    .end('1-1', { status: 'completed', result })
  const [children] = (planForm({ path: '1', journal: events }, 'en')?.parts ?? []) as readonly FormList[]
  expect(children?.items[0]?.note).toBe('Completion\nCompleted\n\nDeliverables\n200\nkept')
})
