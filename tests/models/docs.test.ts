import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PRICES_DATE } from '../../src/models/prices.ts'
import { TROUBLE_DEFAULTS } from '../../src/models/trouble/with-trouble.ts'

const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')

it.each(Object.entries(TROUBLE_DEFAULTS))('docs/models.md has the default of %s', (name, value) => {
  expect(docs).toContain(`| \`${name}\` | ${value} |`)
})

it('docs/models.md has the date of the prices', () => {
  expect(docs).toContain(PRICES_DATE)
})
