import { expect, it } from 'vitest'
import { expand } from './expand.ts'

/** The gate's part of `npm run soak -- --only expand`. */
it('inputs that expand neither end a process of 512 MB nor hold it for long', async () => {
  const { findings, inputs } = await expand(7)
  expect(findings).toEqual([])
  expect(inputs).toBeGreaterThan(40)
}, 300_000)
