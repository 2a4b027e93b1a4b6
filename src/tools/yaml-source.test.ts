import { describe, expect, it } from 'vitest'
import { readYaml } from './yaml-source.ts'

const read = (text: string) => readYaml(text, 'f.yaml', () => '')

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
    ['aliases of aliases', bomb.join('\n'), /alias/],
    ['an alias of itself', '&a [*a]', /nested deeper than 200 levels/],
    ['a key without end', `${'x'.repeat(100_000)}: 1`, /at most 1024 chars/],
    ['a file without end', '# a\n'.repeat(300_000), /too long: a YAML file may have 1048576 characters/],
    ['20,000 mistakes', 'a: b: c\n'.repeat(20_000), /and \d+ more$/],
  ])('%s', async (_, text, message) => {
    const thrown = await read(text).catch((error) => error)
    expect(thrown).toMatchObject({ name: 'ThinkonError', code: 'BAD_INPUT' })
    expect(thrown.message).toMatch(message)
    expect(thrown.message.length).toBeLessThan(5_000)
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
