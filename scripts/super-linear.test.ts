import { expect, it } from 'vitest'
import { isExponential, mayBeSuperLinear } from './super-linear.ts'

it.each([
  ['(a+)+$', ''],
  [' +$', ''],
  ['"[^]*x', ''],
  ['\\bcase\\b[\\s\\S]*\\besac\\b', ''],
  ['<script\\b[^]*?</script>', 'i'],
  ['EROFS\\b.*_cacache', ''],
  ['; see (.+) --help$', ''],
])('refuses /%s/', (source, flags) => {
  expect(mayBeSuperLinear(source, flags)).toBe(true)
})

it.each(['^case[^]*esac', '(?<! ) +$', '\\bcase\\b', '[ab]{2,20}case'])('accepts /%s/', (source) => {
  expect(mayBeSuperLinear(source, '')).toBe(false)
})

it('tells what is slow on short texts, too', () => {
  expect(isExponential('^(?:[a-c]+c*)+$', '')).toBe(true)
  expect(isExponential(' +$', '')).toBe(false)
})
