/** JSON Schemas for people: what an object has, as a table, and the whole of it behind a click. */
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'

/** An object with its fields, or what else it is; a reference is a link. */
export function schemaHtml(schema: JsonSchema): string {
  const { properties, required } = schema
  if (!isObject(properties) || Object.keys(properties).length === 0)
    return `<p>${typeHtml(schema)}${about(schema)}</p>${isPlain(schema) ? '' : whole(schema)}`
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const rows = Object.entries(properties).map(([name, given]) => {
    const field = (isObject(given) ? given : {}) as JsonSchema
    const mark = needed.includes(name) ? '' : ' <small>optional</small>'
    return `<tr><td><code>${escaped(name)}</code>${mark}</td><td>${typeHtml(field)}</td><td>${prose(text(field.description))}</td></tr>`
  })
  const intro = text(schema.description) === '' ? '' : `<p>${escaped(text(schema.description))}</p>`
  return `${intro}<table>${rows.join('')}</table>${whole(schema)}`
}

/** In a few words: `integer from 1 to 1000`, `list of Run`, `"red" or "green"`. */
export function typeHtml(schema: JsonSchema): string {
  const { $ref, type, enum: values, items, anyOf, minimum, maximum, default: usual } = schema
  if (typeof $ref === 'string') {
    const name = escaped($ref.split('/').at(-1) ?? '')
    return `<a href="#schema-${name}">${name}</a>`
  }
  const parts = [
    Array.isArray(values)
      ? values.map((value) => `<code>${escaped(JSON.stringify(value))}</code>`).join(' or ')
      : '',
    Array.isArray(anyOf) ? anyOf.map((one) => typeHtml(one as JsonSchema)).join(' or ') : '',
    type === 'array' ? `list${isObject(items) ? ` of ${typeHtml(items as JsonSchema)}` : ''}` : '',
  ].filter((part) => part !== '')
  const words =
    parts.length > 0 ? parts.join(' ') : [type ?? 'any'].flat().map(String).map(escaped).join(' or ')
  const range = `${minimum === undefined ? '' : ` from ${Number(minimum)}`}${maximum === undefined ? '' : ` to ${Number(maximum)}`}`
  return `${words}${range}${usual === undefined ? '' : ` (<code>${escaped(JSON.stringify(usual))}</code>)`}`
}

export function escaped(given: string): string {
  return given
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** What stands in backticks is code. */
export function prose(given: string): string {
  return escaped(given).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function whole(schema: JsonSchema): string {
  const linked = escaped(JSON.stringify(schema, null, 2)).replaceAll(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    '<a href="#schema-$1">&quot;#/components/schemas/$1&quot;</a>',
  )
  return `<details><summary>JSON Schema</summary><pre>${linked}</pre></details>`
}

function about({ description }: JsonSchema): string {
  return text(description) === '' ? '' : `: ${escaped(text(description))}`
}

function isPlain({ $ref, type }: JsonSchema): boolean {
  return $ref !== undefined || (typeof type === 'string' && type !== 'object' && type !== 'array')
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
