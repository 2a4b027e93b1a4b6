/** The schema of a form (`Form` of thinkon/views), for the OpenAPI document. */
import { list, object } from './schemas.ts'

const aText = { type: 'string' } as const

const ITEM = {
  title: 'FormItem',
  ...object(
    {
      text: aText,
      state: { enum: ['plain', 'todo', 'active', 'done', 'doubt', 'failed', 'skipped'] },
      label: aText,
      note: aText,
      tags: list(aText),
      needs: { ...list(aText), description: 'Labels of what has to be done before.' },
      progress: { type: 'number', minimum: 0, maximum: 1 },
      changed: { const: true },
      block: { type: 'string', description: 'The path of the block that does it.' },
      items: { type: 'array', description: 'Items below it, of the same form.' },
    },
    ['text', 'state'],
  ),
} as const

const PICTURE = {
  title: 'Picture',
  ...object({
    title: aText,
    caption: aText,
    result: aText,
    nodes: list(
      object(
        {
          id: aText,
          parent: { type: ['string', 'null'] },
          text: aText,
          badge: aText,
          look: aText,
          verified: { type: 'boolean' },
          mergedInto: { type: ['string', 'null'] },
          weight: { type: 'number' },
          note: aText,
        },
        ['id', 'parent', 'text', 'badge', 'look', 'verified', 'mergedInto'],
      ),
    ),
  }),
} as const

export const FORM = {
  title: 'Form',
  description: "A block in its strategy's own form.",
  ...object({
    caption: aText,
    parts: list({
      anyOf: [
        object({ kind: { const: 'tree' }, picture: PICTURE }),
        object(
          { kind: { const: 'list' }, title: aText, text: aText, items: list(ITEM), past: { const: true } },
          ['kind', 'title', 'items'],
        ),
        object({ kind: { const: 'board' }, columns: list(object({ title: aText, items: list(ITEM) })) }),
      ],
    }),
  }),
} as const
