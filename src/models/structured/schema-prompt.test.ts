import { expect, test } from 'vitest'
import { schemaPrompt } from './schema-prompt.ts'

test('tells the shape as a type, and what a type cannot say behind it', () => {
  const step = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      steps: { type: 'array', items: { $ref: '#/$defs/step' } },
    },
    required: ['name'],
  }
  const schema = {
    type: 'object',
    properties: {
      type: { enum: ['CALL', 'RETURN'] },
      plan: { type: 'array', items: { $ref: '#/$defs/step' }, maxItems: 5 },
      score: { type: ['integer', 'null'], minimum: 0, description: 'how sure\nyou are' },
      goal: { anyOf: [{ type: 'string' }, { const: false }] },
    },
    required: ['type', 'plan'],
    $defs: { step },
  }
  expect(
    schemaPrompt(schema),
  ).toBe(`Answer with one JSON value of this form and nothing else: no explanation, no code fence.
{
  "type": "CALL" | "RETURN",
  "plan": [{
    "name": string, // not empty
    "steps": [(step again), …] // may be left out
  }, …], // at most 5 items
  "score": whole number | null, // may be left out; how sure you are; at least 0
  "goal": string | false // may be left out
}`)
})

test('does not repeat a form that the prompt describes already', () => {
  const schema = {
    type: 'object',
    properties: { type: { enum: ['CALL', 'RETURN'] }, plan: { type: 'array', items: { type: 'string' } } },
  }
  const told = 'Answer {"type":"CALL","plan":["…"]} or {"type":"RETURN"}.'
  expect(schemaPrompt(schema, { told })).toBe(
    'Answer with one JSON value and nothing else: no explanation, no code fence.',
  )
  expect(schemaPrompt(schema, { told, orCallTools: true })).toMatch(
    /^Call tools, or answer with one JSON value/,
  )
  for (const missing of ['"plan"', 'RETURN'])
    expect(schemaPrompt(schema, { told: told.replace(missing, '') })).toContain('"CALL" | "RETURN"')
})

test('has nothing to say of a schema that takes any object', () => {
  expect(schemaPrompt({ type: 'object' }, { isOpen: true })).not.toContain('form')
  expect(schemaPrompt({ type: 'array', items: { type: 'string' } })).toContain('[string, …]')
})
