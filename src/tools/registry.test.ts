import { describe, expect, it } from 'vitest'
import type { Tool } from '../kernel/tool.ts'
import { toolRegistry } from './registry.ts'

const tool = (name: string): Tool => ({ name, description: name, access: 'write', run: async () => null })

describe('the registry', () => {
  it('joins the tools and marks those that are idempotent', () => {
    const tools = toolRegistry([tool('a'), tool('b')], ['b'])
    expect(tools.map(({ name, idempotent }) => [name, idempotent])).toEqual([
      ['a', undefined],
      ['b', true],
    ])
  })

  it('refuses names that are taken, bad or unknown', () => {
    expect(() => toolRegistry([tool('a'), tool('a')])).toThrow('two tools named a')
    expect(() => toolRegistry([tool('a b')])).toThrow("can't be a tool's name")
    expect(() => toolRegistry([tool('look')], ['other'])).toThrow('no tool "other"; there are: look')
    expect(() => toolRegistry([tool('look')], ['lok'])).toThrow('no tool "lok": did you mean "look"?')
  })
})
