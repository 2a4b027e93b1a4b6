/** docs/events.md has every event type with exactly its fields. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPage, root } from './pages.ts'

const source = readFileSync(join(root, 'src/protocol/event.ts'), 'utf8')
const page = readPage('docs/events.md')

const events = [...source.matchAll(/export interface (\w+)[^{]*\{\n {2}type: '([\w-]+)'/g)].map(
  ([, name = '', type = '']) => [type, fieldsOf(name)] as const,
)

it('finds the event types in the sources', () => {
  const union = /export type EventBody =([\s\S]*?)\n\n/.exec(source)?.[1] ?? ''
  expect(events.length).toBe(union.trim().split('\n').length + 3)
})

it.each(events)('%s has its section, with its fields', (type, fields) => {
  const section = page.split(/^##+ /m).find((text) => text.startsWith(`\`${type}\`\n`)) ?? ''
  expect(rowsOf(section)).toEqual(fields)
})

it('has the stamp of every event', () => {
  const section = page.split(/^##+ /m).find((text) => text.startsWith('What every event has')) ?? ''
  expect(rowsOf(section).toSorted()).toEqual([...fieldsOf('Stamp'), 'type'].toSorted())
})

it('has no event that does not exist', () => {
  const named = [...page.matchAll(/^### `([\w-]+)`/gm)].map(([, type]) => type)
  expect(named.toSorted()).toEqual(events.map(([type]) => type).toSorted())
})

/** Of the interface, those that it inherits first. */
function fieldsOf(name: string): string[] {
  const [, base, body = ''] =
    new RegExp(`export interface ${name}(?: extends (\\w+))? \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
  const own = [...body.matchAll(/^ {2}(\w+\??):/gm)].map(([, field = '']) => field)
  return [...own, ...(base === undefined ? [] : fieldsOf(base))].filter((field) => field !== 'type')
}

function rowsOf(section: string): string[] {
  return [...section.matchAll(/^\| `([\w?]+)` \|/gm)].map(([, field = '']) => field)
}
