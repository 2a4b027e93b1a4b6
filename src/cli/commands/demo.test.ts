import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import type { CommandCall } from '../command.ts'
import { createOutput } from '../output.ts'
import { demo } from './demo.ts'

it.each([60, 100, 200])('breaks its first line between words: %i columns', async (columns) => {
  const printed: string[] = []
  const out = {
    ...createOutput(false),
    live: true,
    width: () => columns,
    print: (text: string) => printed.push(text),
  }
  const values = { store: ':memory:', workspace: tmpdir() }
  const call: CommandCall = {
    name: 'demo',
    values,
    args: [' '],
    out,
    strategies: new Map(),
    commands: () => new Map(),
  }
  // Without a goal there is no run: the line is all that is said.
  await expect(demo(call)).rejects.toThrow('the goal is empty')
  const lines = printed.join('\n').split('\n')
  expect(lines.join(' ')).toBe(
    'A demonstration: embedded:abacus is a calculator, it is not a language model; everything else is real.',
  )
  for (const line of lines) expect(line.length).toBeLessThan(columns)
})
