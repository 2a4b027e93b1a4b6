import { describe, expect, it } from 'vitest'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { readYaml } from './yaml-source.ts'

const read = (text: string, limit?: number) =>
  readYaml(text, 'f.yaml', () => '', new DecodingBudget('f.yaml', limit === undefined ? {} : { limit }))

describe('YAML that is made to take long, or to break what reads it', () => {
  const letters = [...'abcdefghi']
  const bomb = letters.map((name, i) => {
    const before = i === 0 ? 'x' : `*${letters[i - 1]}`
    return `${name}: &${name} [${Array(9).fill(before).join(',')}]`
  })

  it.each<[string, string, RegExp]>([
    ['lists within lists', '['.repeat(20_000) + ']'.repeat(20_000), /nested deeper than 200 levels/],
    ['lists that are never closed', '{a: '.repeat(20_000), /nested deeper than 200 levels/],
    ['items within items', `${'- '.repeat(10_000)}a`, /nested deeper than 200 levels/],
    ['300 levels, which can be parsed', '['.repeat(300) + ']'.repeat(300), /nested deeper than 200 levels/],
    [
      'an alias within its own anchor',
      '&a [*a]',
      /f\.yaml:1:5: .*the alias \*a stands within its own anchor/,
    ],
    ['an alias without an anchor', 'a: *b', /f\.yaml:1:4: .*no anchor before the alias \*b/],
    ['a list as a name', '? [a]\n: b', /a name must be a text/],
    ['a key without end', `${'x'.repeat(100_000)}: 1`, /at most 1024 chars/],
    ['a file without end', '# a\n'.repeat(300_000), /too long: a YAML file may have 1048576 characters/],
    ['20,000 mistakes', 'a: b: c\n'.repeat(20_000), /and \d+ more$/],
  ])('%s', async (_, text, message) => {
    const thrown = await read(text).catch((error) => error)
    expect(thrown).toMatchObject({ name: 'ThinkonError', code: 'BAD_INPUT' })
    expect(thrown.message).toMatch(message)
    expect(thrown.message.length).toBeLessThan(5_000)
  })

  it('aliases of aliases exceed the budget before they are copied', async () => {
    await expect(read(bomb.join('\n'))).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  it('an alias counts as what it stands for', async () => {
    const text = `a: &a [${Array(100).fill('x').join(',')}]\nb: *a\nc: *a`
    const list = Array(100).fill('x')
    expect((await read(text)).value).toEqual({ a: list, b: list, c: list })
    await expect(read(text, 15_000)).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  it('reads keys, nulls, numbers and names of the prototype as JSON has them', async () => {
    const text = '? 1\n: ~\n: null key\n__proto__: {a: .nan}\ntrue: -0\nb: &b 0x10\n*b : *b'
    const { value } = await read(text)
    expect(JSON.stringify(value)).toBe(
      '{"1":null,"16":16,"":"null key","__proto__":{"a":null},"true":0,"b":16}',
    )
  })

  it('takes time in proportion to the aliases', async () => {
    const ms = async (count: number) => {
      const pairs = Array.from({ length: count }, (_, i) => `a${i}: &a${i} x\nb${i}: *a${i}\n`)
      const start = performance.now()
      await read(pairs.join(''))
      return performance.now() - start
    }
    await ms(500)
    const [short, long] = [await ms(2_000), await ms(16_000)]
    expect(long).toBeLessThan(8 * 3 * Math.max(short, 20))
  })

  it('many keys are no trouble, and one that comes twice is found', async () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n')
    const { value } = await read(keys)
    expect(Object.keys(value as object)).toHaveLength(20_000)
    await expect(read(`${keys}\nk7: 2`)).rejects.toThrow(
      'f.yaml:20001:1: duplicate name: Map keys must be unique; keep one',
    )
  })
})
