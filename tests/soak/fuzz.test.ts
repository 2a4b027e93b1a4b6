import { expect, it } from 'vitest'
import { findingText, fuzz } from './fuzz.ts'

/** The gate's part of what `npm run soak` does with 200,000 inputs. */
it('3,000 broken inputs for every parser of outside text: no crash, no hang, no memory beyond a bound', async () => {
  const seed = Number(process.env.THINKON_PROPERTY_SEED ?? 7)
  const { findings, inputs, maxRssMb } = await fuzz({ inputs: 3_000, seed })
  expect(findings.map((finding) => findingText(finding, seed))).toEqual([])
  expect(inputs).toBe(3_000)
  expect(maxRssMb).toBeLessThan(1_500)
}, 300_000)
