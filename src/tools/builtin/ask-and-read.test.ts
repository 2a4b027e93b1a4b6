import { describe, expect, it } from 'vitest'
import { toolIo } from '../../testing/tool-io.ts'
import { askUserTool } from './ask-user.ts'
import { readResultTool } from './read-result.ts'

const io = toolIo()

describe('ask_user', () => {
  it('is a question to a person', async () => {
    const tool = askUserTool()
    expect(tool.asks?.({ question: 'Which?', choices: ['a', 'b'] })).toEqual({
      text: 'Which?',
      choices: ['a', 'b'],
    })
    expect(tool.asks?.({ question: 'Why?' })).toEqual({ text: 'Why?' })
    expect(() => tool.asks?.({})).toThrow('question is missing')
    await expect(tool.run({ question: 'Why?' }, io)).rejects.toThrow('nobody to ask')
  })
})

describe('read_result', () => {
  const texts: Record<string, string> = { '1-2/7': '0123456789', emoji: 'a😀b' }
  const tool = readResultTool(async (ref, run) => (run === 'r' ? texts[ref] : undefined))

  it('reads a part', async () => {
    const read = (input: object) => tool.run({ ref: '1-2/7', ...input }, io)
    expect(await read({})).toEqual({ ref: '1-2/7', from: 0, to: 10, total: 10, text: '0123456789' })
    expect(await read({ from: 3, length: 4 })).toMatchObject({ from: 3, to: 7, text: '3456' })
    expect(await read({ from: 8, length: 9 })).toMatchObject({ to: 10, text: '89' })
    expect(await read({ from: 99 })).toMatchObject({ from: 10, text: '' })
  })

  it('cuts no character in two, and knows no other reference', async () => {
    expect(await tool.run({ ref: 'emoji', from: 2, length: 1 }, io)).toMatchObject({ text: '😀' })
    await expect(tool.run({ ref: 'other' }, io)).rejects.toThrow('no result other')
    await expect(tool.run({ ref: 'emoji' }, { ...io, run: 'x' })).rejects.toThrow('no result')
  })
})
