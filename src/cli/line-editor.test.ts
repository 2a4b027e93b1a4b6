import { expect, it } from 'vitest'
import type { Key } from './keys.ts'
import { draftText, EMPTY_DRAFT, editedDraft, shownDraft } from './line-editor.ts'

type Press = string | { name: Exclude<Key['name'], 'text' | 'paste'> }

function typed(...keys: readonly Press[]) {
  return keys.reduce(
    (draft, key) => editedDraft(draft, typeof key === 'string' ? { name: 'text', text: key } : key),
    EMPTY_DRAFT,
  )
}

it('edits where the cursor is, by characters as people see them', () => {
  expect(typed('ab', { name: 'left' }, 'x')).toEqual({ before: 'ax', after: 'b' })
  expect(typed('a👨‍👩‍👧', { name: 'backspace' })).toEqual({ before: 'a', after: '' })
  expect(typed('好的', { name: 'home' }, { name: 'delete' }, { name: 'right' }, '吗')).toEqual({
    before: '的吗',
    after: '',
  })
  expect(draftText(typed('one two', { name: 'clear-word' }))).toBe('one ')
  expect(draftText(typed('one', { name: 'home' }, { name: 'right' }, { name: 'clear-end' }))).toBe('o')
  expect(typed('one', { name: 'escape' })).toEqual(EMPTY_DRAFT)
  expect(typed({ name: 'backspace' }, { name: 'left' }, { name: 'delete' }, { name: 'enter' })).toEqual(
    EMPTY_DRAFT,
  )
})

it('takes no escape sequences from a paste, and keeps its lines', () => {
  const draft = editedDraft(EMPTY_DRAFT, { name: 'paste', text: 'a\u001b[31m\nb\u0003' })
  expect(draftText(draft)).toBe('a\nb')
  expect(shownDraft(draft, 20)).toEqual({ text: 'a↵b', cursor: 3 })
})

it('shows the part around the cursor, measured in cells', () => {
  expect(shownDraft(typed('一二三四五六'), 8)).toEqual({ text: '…四五六', cursor: 7 })
  expect(shownDraft(typed('abcdefghij', { name: 'home' }), 6)).toEqual({ text: 'abcde…', cursor: 0 })
})
