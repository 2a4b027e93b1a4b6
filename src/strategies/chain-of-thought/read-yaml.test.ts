import { expect, it } from 'vitest'
import { readYaml } from './read-yaml.ts'

const PLAN = '"planning": [{"description": "count", "status": "Done", "result": RESULT}]'

function read(result: string) {
  return readYaml(
    `{"current_thinking": "so far", ${PLAN.replace('RESULT', result)}, "next_thought_needed": true}`,
  )
}

it('reads proper JSON as it reads the same YAML', () => {
  const value = {
    current_thinking: 'so far',
    planning: [{ description: 'count', status: 'Done', result: 'a "b" — ü' }],
    next_thought_needed: true,
  }
  expect(read('"a \\"b\\" — ü"')).toEqual({ value, repairs: [] })
  expect(
    readYaml(
      `current_thinking: so far\nplanning:\n  - description: count\n    status: Done\n    result: 'a "b" — ü'\nnext_thought_needed: true\n`,
    ),
  ).toEqual({ value, repairs: [] })
})

it('keeps numbers in JSON as they are written', () => {
  expect(read('7.0')).toMatchObject({ value: { planning: [{ result: '7.0' }] } })
})

it('gives back what JSON takes for an escape', () => {
  expect(read('"\\frac{1}{2} \\times"')).toMatchObject({
    value: { planning: [{ result: '\\frac{1}{2} \\times' }] },
    repairs: ['quotes'],
  })
})

it('refuses JSON with a key that comes twice', () => {
  expect(read('"one", "result": "two"')).toHaveProperty('error')
})
