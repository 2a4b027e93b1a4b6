// `--output`: the result as a JSON value, in whatever process the run goes on.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { cli } = place
afterAll(() => place.remove())

const SCHEMA = {
  type: 'object',
  properties: { expression: { type: 'string' }, answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
}
const VALUE = { expression: '2 + 3 × 4', answer: 14 }
const ABACUS = ['--model', 'embedded:abacus']
writeFileSync(join(place.folder, 'answer.json'), JSON.stringify(SCHEMA))

it('prints the value as JSON, and keeps it for show, resume and --format', async () => {
  const made = await cli(['fractal', '2+3*4', '-q', '--output', 'answer.json', ...ABACUS])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(made.stdout)).toEqual(VALUE)
  const shown = await cli(['show', 'last'])
  expect(shown.stdout).toContain('"answer": 14')
  expect(JSON.parse((await cli(['resume', 'last'])).stdout)).toEqual(VALUE)
  expect((await cli(['show', 'last', '--format', 'md'])).stdout).toContain('## Value\n\n```json\n{')
})

it('has the value in the last line of --json, takes the schema as text, and is partial without a value', async () => {
  const args = ['run', '2+3*4', '--json', '--store', ':memory:', ...ABACUS]
  const fits = await cli([...args, '--output', JSON.stringify(SCHEMA)])
  expect(jsonLines(fits.stdout).at(-1)).toMatchObject({ type: 'outcome', status: 'completed', value: VALUE })
  const { code, stdout } = await cli([...args, '--output', '{"type":"object","required":["why"]}'])
  expect(code).toBe(3)
  const outcome = jsonLines(stdout).at(-1)
  expect(outcome).toMatchObject({ status: 'partial', result: '2 + 3 × 4 = 14', code: 'INVALID_FORMAT' })
  expect(outcome).not.toHaveProperty('value')
})

it('reads a file as Windows writes it, and says what is wrong with one', async () => {
  writeFileSync(join(place.folder, 'marked.json'), `\ufeff${JSON.stringify(SCHEMA)}`)
  writeFileSync(join(place.folder, 'list.json'), '[]')
  const args = ['fractal', '2+3*4', '-q', '--store', ':memory:', ...ABACUS, '--output']
  expect(JSON.parse((await cli([...args, 'marked.json'])).stdout)).toEqual(VALUE)
  const { code, stderr } = await cli([...args, 'list.json'])
  expect([code, stderr]).toEqual([
    2,
    'thinkon: --output list.json must be a JSON object such as {"type": "object", …}\n',
  ])
})
