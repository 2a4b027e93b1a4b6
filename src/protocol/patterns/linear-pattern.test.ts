import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LinearPattern, patternProblem } from './linear-pattern.ts'

const test = (source: string, text: string, flags = '') => new LinearPattern(source, flags).test(text)

describe('a linear pattern', () => {
  it.each<[source: string, flags: string, texts: string[]]>([
    ['', '', ['', 'a']],
    ['^a*$', '', ['', 'aa', 'ab', 'a\n']],
    ['^.$', '', ['😀', 'ab', '\n', '\u2028', '\ud83d', '\ude00\ud83d']],
    ['^.$', 's', ['\n', '\r\n']],
    ['^b$', 'm', ['a\nb', 'a\r\nb\r\nc', 'ab', 'a\u2029b']],
    ['a|b|', '', ['c', '']],
    ['^(?:a|bc|)(d{2,3}|e{2}|f{1,})$', '', ['add', 'bcdddd', 'ee', 'f', 'af', 'd', 'adddd']],
    ['\\bfoo\\b', '', ['foo', 'a foo.', 'food', 'éfoo', 'foo_']],
    ['\\Bs\\b', 'i', ['maſ', 'S', 'aS', 'xſ', 'ſx']],
    ['\\bK', 'i', ['\u212a', 'a\u212a', 'k']],
    ['[^\\]\\d-]', '', [']', '3', '-', 'x']],
    ['^[]$', '', ['', 'a']],
    ['^[^]$', '', ['\n', '', '😀']],
    ['^\\p{Lu}\\P{Lu}$', '', ['Éé', 'ÉÉ', 'Aa']],
    ['^\\u{1F600}\\ud83d\\ude00\\x41\\cJ\\0\\/\\.$', '', ['😀😀A\n\0/.', '😀😀A\n0/.']],
    ['^straße$', 'i', ['STRAẞE', 'STRASSE', 'Straße']],
    ['(?i:a)b', '', ['Ab', 'AB']],
    ['(?-i:a)b', 'i', ['aB', 'AB']],
    ['(?<name>x)+?y??z*?', '', ['xx', '']],
    ['^(?=.*\\d)(?=.*[a-z])(?!.*\\s).{4,}$', '', ['abc1', 'abcd', 'ab 1c', 'a1b2c3']],
    ['(?<=\\$)\\d+(?!\\d|\\.)', '', ['$12', '$1.5', '12', '$12x']],
    ['(?<!a)b(?<=b)(?=(?!cd)c)', '', ['bc', 'bcd', 'abc', 'xbce']],
    ['^(?:(?=a)|b)*c$', '', ['c', 'bbc', 'abc']],
    ['^(?:|a)+$', '', ['', 'aa', 'b']],
    ['^(?:){1000000000}$', '', ['', 'a']],
    ['^(?:a*)*$', '', ['aaa', 'b']],
    ['^(a{0,3}){2}$', '', ['aaaaaa', 'aaaaaaa']],
  ])('/%s/%s is as JavaScript has it', (source, flags, texts) => {
    const native = new RegExp(source, `${flags}u`)
    for (const text of texts) {
      expect(test(source, text, flags), JSON.stringify(text)).toBe(native.test(text))
      expect(new LinearPattern(source, flags).search(text), JSON.stringify(text)).toBe(text.search(native))
    }
  })

  it('is as JavaScript has it for any expression and text', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\w',
      '[^a]',
      '[ab]',
      '^',
      '$',
      '\\b',
      '\\B',
      '😀',
      '\\n',
      '\\s',
      'é',
    )
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,2}?', '{2,}'))
          .map(([a, sign]) => `(?:${a})${sign}`),
        fc
          .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!', '('), tie('expression'))
          .map(([open, a]) => `${open}${a})`),
      ),
    }))
    const text = fc
      .array(fc.constantFrom('a', 'b', 'A', 'é', '😀', '\n', ' ', '\ud83d', '\ude00', 'ſ'), { maxLength: 8 })
      .map((chars) => chars.join(''))
    const flags = fc.constantFrom('', 'i', 'm', 's', 'im')
    fc.assert(
      fc.property(expression, flags, text, (source, flag, value) => {
        const native = new RegExp(source, `${flag}u`)
        const first = value.search(native)
        // V8 also looks for empty matches between the halves of a pair, against the standard.
        fc.pre(first <= 0 || (value.codePointAt(first - 1) as number) <= 0xffff)
        expect(new LinearPattern(source, flag).search(value)).toBe(first)
        expect(test(source, value, flag)).toBe(native.test(value))
      }),
      { numRuns: 2_000 },
    )
  })

  it('supports every pattern that zod writes into a schema', () => {
    const values = {
      email: ['a.b@c.example', 'a..b@c.example', '.a@b.cc', 'a@b'],
      uuid: ['4f1c7f4e-3f5b-4c7e-9a53-1d2f0c6b8a90', '4f1c7f4e'],
      url: ['https://a.example', 'x'],
      emoji: ['😀', 'a'],
      base64: ['YWJj', 'a='],
      base64url: ['YWJj', '+'],
      nanoid: ['V1StGXR8_Z5jdHi6B-myT', 'x'],
      cuid: ['cjld2cjxh0000qzrmn831i7rn', 'x'],
      cuid2: ['tz4a98xxat96iws9zmbrgj3a', 'X'],
      ulid: ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x'],
      ipv4: ['192.0.2.1', '256.0.0.1'],
      ipv6: ['2001:db8::1', 'x'],
      cidrv4: ['192.0.2.0/24', 'x'],
      cidrv6: ['2001:db8::/32', 'x'],
      e164: ['+14155552671', '1'],
      jwt: ['a.b.c', 'a'],
    } as const
    const iso = {
      date: ['2024-02-29', '2023-02-29'],
      time: ['09:30:00', '25:00'],
      datetime: ['2024-02-29T09:30:00Z', 'x'],
    }
    const makers = z as unknown as Record<string, () => z.ZodType>
    const isoMakers = z.iso as unknown as Record<string, () => z.ZodType>
    const all = [
      ...Object.entries(values).map(([name, texts]) => [makers[name]!(), texts] as const),
      ...Object.entries({ ...iso, duration: ['P3DT12H', 'P'] }).map(
        ([name, texts]) => [isoMakers[name]!(), texts] as const,
      ),
    ]
    let patterns = 0
    for (const [schema, texts] of all) {
      const { pattern } = z.toJSONSchema(schema) as { pattern?: string }
      if (pattern === undefined) continue
      patterns++
      for (const text of texts)
        expect(test(pattern, text), `${pattern} ${text}`).toBe(new RegExp(pattern, 'u').test(text))
    }
    expect(patterns).toBeGreaterThan(12)
  })

  it('accepts escapes without a meaning and single brackets', () => {
    expect(test('^[\\w\\-]+\\@\\_$', 'a-b@_')).toBe(true)
    expect(test('^[\\w\\-]+\\@\\_$', 'a b@_')).toBe(false)
    expect(test('^{a}]{2}$', '{a}]]')).toBe(true)
    expect(test('^{a}]{2}$', '{a}]')).toBe(false)
  })

  it.each([
    ['(a)\\1', /back-reference/],
    ['(?<n>a)\\k<n>', /back-reference/],
    ['(', /group/i],
    [`${'('.repeat(300)}${')'.repeat(300)}`, /nests too many groups/],
    ['((a{1000}){1000}){1000}', /too large/],
    ['(?=a)'.repeat(40), /assertions/],
  ])('says why %s is refused', (source, reason) => {
    expect(patternProblem(source)).toMatch(reason)
  })

  it('refuses flags without a linear meaning', () => {
    expect(patternProblem('a', 'y')).toMatch(/"y"/)
  })

  it.each([
    ['^(a+)+$', 'a'],
    ['(a|aa)+$', 'a'],
    ['.*.*.*=.*', 'a'],
    ['\\s+$', ' '],
    ['^(?:.*,){11}P', ','],
    ['(?=(a+)+b)', 'a'],
    ['(?<!(a*)*b)c', 'a'],
    ['(?:a|b)*a(?:a|b){12}$', 'ab'],
  ])('/%s/ takes a time that grows with the text', (source, piece) => {
    const pattern = new LinearPattern(source)
    const time = (length: number) => {
      const text = `${piece.repeat(length / piece.length)}!`
      const start = performance.now()
      pattern.test(text)
      return performance.now() - start
    }
    time(1_000)
    expect(time(1_000_000)).toBeLessThan(3_000)
  })

  it('stops a large pattern on a large text', () => {
    const pattern = new LinearPattern(`(?:a|b)*a(?:a|b){1000}c`)
    const text = Array.from({ length: 100_000 }, (_, i) => (((i * i) % 1_009) % 2 ? 'ab' : 'b')).join('')
    expect(() => pattern.test(text)).toThrow('takes too long to check')
  })
})
