import { describe, expect, it } from 'vitest'
import { shorten, shortenMiddle } from './text.ts'

describe('shorten', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['a😀b', 3, 'a…'], // half of a surrogate pair would be left
    ['a😀bc', 4, 'a😀…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%j to %i', (text, maxLength, expected) => {
    expect(shorten(text, maxLength)).toBe(expected)
  })
})

describe('shortenMiddle', () => {
  const notice = (leftOut: number, from: number) => `[${leftOut} from ${from}]`

  it('leaves what fits as it is', () => {
    expect(shortenMiddle('12345', 5, notice)).toBe('12345')
  })

  it('keeps head and tail and says what it left out', () => {
    expect(shortenMiddle('123456789', 5, notice)).toBe('123\n[4 from 3]\n89')
  })

  it('splits no character at either side', () => {
    expect(shortenMiddle('😀😀😀😀', 2, notice)).toBe('\n[6 from 0]\n😀')
  })
})
