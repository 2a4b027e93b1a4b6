import { expect, it } from 'vitest'
import type { JsonSchema } from '../../views/schema-nodes.ts'
import { type Asker, Back, fillForm } from './fill-form.ts'

/** Types these lines, and tells what was asked. */
function typing(...lines: string[]): Asker & { asked: string[]; said: string[] } {
  const asked: string[] = []
  const said: string[] = []
  return {
    asked,
    said,
    say: (text) => void said.push(text.trim()),
    async line(prompt) {
      asked.push(prompt)
      const line = lines.shift()
      if (line === undefined) throw new Back()
      return line
    },
  }
}

const BOOK: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'What it is called' },
    pages: { type: 'integer' },
    price: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    kind: { enum: ['poem', 'novel'] },
    isNew: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    parts: { type: 'array', items: { $ref: '#' } },
    by: { type: 'object', properties: { first: { type: 'string' } } },
    rest: {},
    version: { const: 3 },
  },
  required: ['name', 'pages', 'kind', 'version'],
}

it('asks for each field by its kind, again for what is none, and leaves out what is not filled in', async () => {
  const asker = typing('Middle\\', 'march', 'many', '1.5', '880', '', '3', 'novel', '', '', 'n', 'n', '')
  expect(await fillForm(BOOK, '', asker, 'en')).toEqual({
    name: 'Middle\nmarch',
    pages: 880,
    kind: 'novel',
    version: 3,
  })
  expect(asker.said).toContain('What it is called')
  expect(asker.said).toContain('This is no number.')
  expect(asker.said).toContain('This must be a whole number.')
  expect(asker.said).toContain('Type one of the numbers.')
  expect(asker.asked).toContain('price which? (Enter leaves it out) ›')
})

it('fills in lists, branches, parts that hold themselves, and JSON', async () => {
  const lines = ['a', '1', '1', '2.5', '1', '2', 'x', 'y', '', 'y']
  const inner = ['b', '2', '', '1', '', '', 'n', 'n', '']
  const asker = typing(...lines, ...inner, 'n', 'y', 'Ann', '{"k":[1]}')
  expect(await fillForm(BOOK, '', asker, 'en')).toEqual({
    name: 'a',
    pages: 1,
    price: 2.5,
    kind: 'poem',
    isNew: false,
    tags: ['x', 'y'],
    parts: [{ name: 'b', pages: 2, kind: 'poem', version: 3 }],
    by: { first: 'Ann' },
    rest: { k: [1] },
    version: 3,
  })
})

it('takes any JSON where a reference leads nowhere or in a circle, and goes back when it is told to', async () => {
  const circle = { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } }
  expect(await fillForm(circle, 'it', typing('[1]'), 'zh')).toEqual([1])
  expect(await fillForm({ $ref: '#/nowhere' }, 'it', typing('no', '"yes"'), 'en')).toBe('yes')
  await expect(fillForm(BOOK, '', typing('a'), 'en')).rejects.toBeInstanceOf(Back)
})
