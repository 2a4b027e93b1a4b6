import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PRICES_DATE } from '../../src/models/prices.ts'
import { RESILIENCE_DEFAULTS } from '../../src/models/resilience/with-resilience.ts'

const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')

it.each(Object.entries(RESILIENCE_DEFAULTS))('docs/models.md has the default of %s', (name, value) => {
  expect(docs).toContain(`| \`${name}\` | ${value} |`)
})

it('docs/models.md has the date of the prices', () => {
  expect(docs).toContain(PRICES_DATE)
})
