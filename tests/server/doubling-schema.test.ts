// A schema of 2 KB whose references double 30 times is neither written out nor checked without end.
import { afterEach, expect, it } from 'vitest'
import { endAll, serveHere } from './serve-here.ts'

afterEach(endAll)

const LEVELS = 30

function doublingSchema(): object {
  const $defs: Record<string, object> = { [`d${LEVELS}`]: { type: 'string' } }
  for (let i = 0; i < LEVELS; i++) {
    const next = { $ref: `#/$defs/d${i + 1}` }
    $defs[`d${i}`] = { type: 'object', properties: { a: next, b: next } }
  }
  return { $ref: '#/$defs/d0', $defs }
}

it('a run with an output whose references double ends, and the service answers meanwhile', async () => {
  const { post, json } = await serveHere()
  const response = await post('/api/runs', { goal: 'what is 6 * 7?', output: doublingSchema() })
  expect(response.status).toBe(201)
  const { run } = (await response.json()) as { run: string }
  expect(await json('/api/health')).toMatchObject({ ok: true })
  await expect.poll(async () => json(`/api/runs/${run}`)).toMatchObject({ outcome: expect.any(Object) })
})
