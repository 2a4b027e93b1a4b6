/** How a result is given as a value: numbers and texts, one for each result, where a schema has just these places. */
import { type Expression, formatExpression } from '../../arithmetic/expression.ts'
import { formatRational, type Rational } from '../../arithmetic/rational.ts'
import { isObject } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { type Analysis, type Kind, kind } from './kinds.ts'
import { recalled, recalledAnswer } from './mind.ts'

interface ValueInput {
  readonly goal: string
  /** As it was told. */
  readonly result: string
  readonly schema: JsonSchema
}

/** A value of null is none: what the schema asks for is not what was computed. */
export const VALUE_KIND: Kind = kind<ValueInput>(async (analysis, { result, schema }) => {
  const results = await resultsOf(analysis, result)
  const places = numbersIn(schema)
  return places <= 1 || places === results.length ? filled(schema, results) : null
})

interface Computed {
  readonly expression: string
  readonly value: number
  /** Exact. */
  readonly text: string
  /** "3 + 4 = 7" */
  readonly line: string
}

/** None, if one of them has no value. */
async function resultsOf({ task, mind }: Analysis, result: string): Promise<Computed[]> {
  if (task.type === 'reach') {
    const reached = recalledAnswer(mind, [result]) ?? (await mind.reach(task.puzzle))
    return reached.ok ? [computed(formatExpression(reached.expression), reached.value)] : []
  }
  const left = recalled(mind, task.expressions, [result])
  const found = await Promise.all(left.map((expression) => mind.value(expression)))
  const results = found.flatMap((one, i) =>
    one.ok ? [computed(formatExpression(task.expressions[i] as Expression), one.value)] : [],
  )
  return results.length === found.length ? results : []
}

function computed(expression: string, value: Rational): Computed {
  const text = formatRational(value)
  return { expression, value: Number(value.n) / Number(value.d), text, line: `${expression} = ${text}` }
}

/** Takes the results in order, one for each number; a single one stands wherever a number does. */
function filled(schema: JsonSchema, results: readonly Computed[]): unknown {
  const left = [...results]
  const place = (one: JsonSchema, name: string): unknown => {
    if (one.type === 'number' || one.type === 'integer') return left.shift()?.value ?? null
    if (one.type === 'string') return textFor(name, left[0] ?? results.at(-1))
    if (one.type === 'array' && isObject(one.items)) {
      const items = one.items
      return results.map((result) => filled(items, [result]))
    }
    const fields = Object.entries(fieldsOf(one)).map(([key, field]) => [key, place(field, key)] as const)
    return one.type === 'object' ? Object.fromEntries(fields.filter(([, value]) => value !== null)) : null
  }
  return results.length === 0 ? null : place(schema, '')
}

function textFor(name: string, result: Computed | undefined): string | null {
  if (result === undefined) return null
  if (/answer|value|result|答案|结果|值/i.test(name)) return result.text
  return /expression|question|problem|formula|task|式|题/i.test(name) ? result.expression : result.line
}

/** Places for numbers, outside of lists. */
function numbersIn(schema: JsonSchema): number {
  if (schema.type === 'number' || schema.type === 'integer') return 1
  return Object.values(fieldsOf(schema)).reduce((sum, field) => sum + numbersIn(field), 0)
}

function fieldsOf({ type, properties }: JsonSchema): Record<string, JsonSchema> {
  if (type !== 'object' || !isObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isObject(entry[1])),
  )
}
