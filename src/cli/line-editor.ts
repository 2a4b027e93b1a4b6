/** A line that a person types: the text before the cursor and the text after it. */
import { cleanText } from '../protocol/index.ts'
import { fitTail, fitText, textWidth } from '../views/text-width.ts'
import type { Key } from './keys.ts'

export interface Draft {
  readonly before: string
  readonly after: string
}

export const EMPTY_DRAFT: Draft = { before: '', after: '' }

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The draft after a key; keys that don't edit leave it as it is. */
export function editedDraft(draft: Draft, key: Key): Draft {
  const { before, after } = draft
  const lastStart = [...graphemes.segment(before)].at(-1)?.index ?? 0
  const firstEnd = [...graphemes.segment(after)][0]?.segment.length ?? 0
  switch (key.name) {
    case 'text':
    case 'paste':
      return { before: before + cleanText(key.text), after }
    case 'backspace':
      return { before: before.slice(0, lastStart), after }
    case 'delete':
      return { before, after: after.slice(firstEnd) }
    case 'left':
      return { before: before.slice(0, lastStart), after: before.slice(lastStart) + after }
    case 'right':
      return { before: before + after.slice(0, firstEnd), after: after.slice(firstEnd) }
    case 'home':
      return { before: '', after: before + after }
    case 'end':
      return { before: before + after, after: '' }
    case 'clear-word':
      return { before: before.replace(/\S+\s*$|\s+$/, ''), after }
    case 'clear-end':
      return { before, after: '' }
    case 'clear':
    case 'escape':
      return EMPTY_DRAFT
    default:
      return draft
  }
}

export function draftText({ before, after }: Draft): string {
  return before + after
}

/** The part of the draft around the cursor that fits into `cells`, and the cursor's cell in it. */
export function shownDraft(draft: Draft, cells: number): { text: string; cursor: number } {
  const [before = '', after = ''] = [draft.before, draft.after].map((text) => text.replaceAll('\n', '↵'))
  const start = fitTail(before, cells - 1)
  const cursor = textWidth(start)
  return { text: start + fitText(after, cells - cursor), cursor }
}
