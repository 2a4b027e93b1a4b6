import { expect, it } from 'vitest'
import { journal } from '../../tests/views/journal.ts'
import { blockForm } from './block-form.ts'
import type { Form } from './form.ts'
import type { StrategyView } from './strategy-view.ts'

function formBy(form: StrategyView['form'] & {}) {
  const { events } = journal().start('1', 'g', 'own@1')
  return blockForm(events, new Map([['own', { form }]]), { path: '1', lang: 'en' })
}

it('is bounded, however much a view gives', () => {
  const items = Array.from({ length: 1_000 }, (_, i) => ({
    text: `${i} ${'x'.repeat(10_000)}`,
    state: 'todo' as const,
  }))
  const form = formBy(() => ({ caption: '', parts: [{ kind: 'list', title: 'many', items }] }))
  expect(JSON.stringify(form).length).toBeLessThan(1_500_000)
  const [part] = form?.parts ?? []
  expect(part?.kind === 'list' && part.items.at(-1)).toEqual({ text: '… 700 more', state: 'plain' })
})

it('is data alone, of the right shape: what a view adds is left out', () => {
  const item = { text: 5, state: 'odd', onClick: () => 'boo', html: '<b>' }
  const form = formBy(() => ({ caption: 'c', parts: [{ kind: 'list', title: 't', items: [item] }] }) as never)
  expect(form?.parts).toEqual([{ kind: 'list', title: 't', items: [{ text: '5', state: 'plain' }] }])
})

it('says which block a broken view was of', () => {
  expect(() => formBy(() => ({ parts: 1 }) as unknown as Form)).toThrow(/form of block 1: it is no form/)
  expect(() => formBy(() => JSON.parse('{'))).toThrow(/the strategy's view failed/)
})

it('is null where the strategy has none', () => {
  const { events } = journal().start('1', 'g', 'other@1')
  expect(blockForm(events, new Map(), { path: '1', lang: 'zh' })).toBeNull()
})
