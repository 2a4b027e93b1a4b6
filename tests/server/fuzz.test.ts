import { afterEach, expect, it } from 'vitest'
import { serveToFuzz } from './fuzz-service.ts'
import { endAll } from './serve-here.ts'

afterEach(endAll)

/** The gate's part of the 10,000 requests of `npm run soak -- --only serve`. */
it('2,000 fuzzed requests: none is answered with 500, none is left without an answer', async () => {
  const { findings, statuses } = await serveToFuzz(2_000, process.env.THINKON_PROPERTY_SEED ?? '19')
  expect(findings).toEqual([])
  // They get far enough to do something.
  expect(Object.keys(statuses).map(Number)).toEqual(
    expect.arrayContaining([0, 200, 201, 202, 400, 401, 403, 404, 405, 409, 415]),
  )
})
