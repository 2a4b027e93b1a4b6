import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ModelRequest, messageText } from '../../protocol/index.ts'
import type { Brief } from './brief.ts'
import { Conversation } from './conversation.ts'
import { countTokens } from './count-tokens.ts'
import { fitBrief } from './fit-brief.ts'
import type { Item, Need, Section } from './section.ts'
import { messageTokens } from './turn.ts'

const READER = { name: 'read_result', description: 'reads', schema: { type: 'object' } }

function brief(sections: readonly Section[], question = 'What next?'): Brief {
  return { kind: 'test/ask', version: 1, role: 'plan', system: 'Rules.', sections, question }
}

function tokensOf({ messages, tools }: ModelRequest): number {
  const texts = messages.reduce((sum, message) => sum + messageTokens(message), 0)
  return texts + (tools === undefined ? 0 : countTokens(JSON.stringify(tools)))
}

function allText({ messages }: ModelRequest): string {
  return messages.map(messageText).join('\n')
}

const words = fc
  .array(fc.constantFrom('alpha', 'beta', '根', 'x1', '\n', 'gamma-delta', '42'), {
    minLength: 1,
    maxLength: 700,
  })
  .map((list) => list.join(' '))
const item: fc.Arbitrary<Item> = fc.record(
  {
    about: fc.constant('Result — sub-goal'),
    text: words,
    data: fc.constant('result'),
    ref: fc.constant('1-2/4'),
  },
  { requiredKeys: ['text'] },
)
const section = (need: fc.Arbitrary<Need>): fc.Arbitrary<Section> =>
  fc.record({ need, title: fc.constant('Title:'), items: fc.array(item, { maxLength: 8 }) })
const sections = fc.array(section(fc.constantFrom<Need>('whole', 'first', 'then', 'last')), { maxLength: 6 })

describe('a brief', () => {
  it('is whole while it fits: below the budget nothing is cut (B2)', () => {
    fc.assert(
      fc.property(sections, (given) => {
        const { request, isShortened } = fitBrief(brief(given), { budget: 48_000, most: 120_000 }, READER)
        expect(isShortened).toBe(false)
        expect(request.tools).toBeUndefined()
        for (const { items } of given) for (const { text } of items) expect(allText(request)).toContain(text)
      }),
      { numRuns: 60 },
    )
  })

  it('holds its budget, keeps what must be whole, and leaves a trace of everything (B1, B3, B4)', () => {
    fc.assert(
      fc.property(sections, fc.integer({ min: 300, max: 4_000 }), (given, budget) => {
        const { request, isShortened } = fitBrief(brief(given), { budget, most: 200_000 }, READER)
        const text = allText(request)
        const whole = given.filter(({ need }) => need === 'whole')
        const wholeTokens = whole
          .flatMap(({ items }) => items)
          .reduce((sum, one) => sum + countTokens(one.text) + 80, 0)
        expect(tokensOf(request)).toBeLessThanOrEqual(Math.max(budget, wholeTokens + 700))
        for (const { items } of whole) for (const one of items) expect(text).toContain(one.text)
        if (isShortened) expect(request.tools?.map(({ name }) => name)).toEqual(['read_result'])
        for (const { items } of given)
          if (items.some((one) => !text.includes(one.text))) expect(text).toMatch(/left out/)
      }),
      { numRuns: 200 },
    )
  })

  it('shortens what is needed least first, and short items not at all', () => {
    const long = (mark: string) => `${mark} head ${'word '.repeat(3_000)} ${mark} tail`
    const given: Section[] = [
      {
        need: 'then',
        items: [
          { text: long('old'), ref: '1/1' },
          { text: 'a short one' },
          { text: long('new'), ref: '1/2' },
        ],
      },
      { need: 'first', items: [{ text: long('first') }] },
      { need: 'whole', items: [{ text: long('whole') }] },
    ]
    const { request } = fitBrief(brief(given), { budget: 9_000, most: 100_000 }, READER)
    const text = allText(request)
    for (const whole of ['first', 'whole']) expect(text).toContain(long(whole))
    expect(text).toContain('a short one')
    for (const mark of ['old', 'new']) {
      expect(text).toContain(`${mark} head`)
      expect(text).toContain(`${mark} tail`)
      expect(text).not.toContain(long(mark))
    }
    expect(text).toMatch(/\[… [\d,]+ of 15,0\d\d characters left out; read_result "1\/1" from \d+\]/)
  })

  it('keeps the ends of the newest items before the lines of the oldest', () => {
    const items = Array.from({ length: 200 }, (_, i) => ({
      about: `Result ${i} — ${'a long sub-goal '.repeat(20)}`,
      text: `head ${i} ${'word '.repeat(1_000)} tail ${i}`,
      data: 'result',
      ref: `1-${i}`,
    }))
    const { request } = fitBrief(
      brief([{ need: 'first', items, ref: '1 results' }]),
      { budget: 4_000, most: 100_000 },
      READER,
    )
    const text = allText(request)
    for (const i of [198, 199]) expect(text).toMatch(new RegExp(`head ${i} word[\\s\\S]* tail ${i}`))
    expect(text).toMatch(/\(\d+ earlier items left out; read_result "1 results" [^)]*\)/)
    expect(text).not.toContain('Result 0 —')
    expect(tokensOf(request)).toBeLessThanOrEqual(4_000)
  })

  it('uses the window for what must be whole, and refuses aloud what does not fit there either (B1)', () => {
    const given: Section[] = [
      { need: 'whole', title: 'The goal:', items: [{ text: 'word '.repeat(20_000) }] },
    ]
    expect(allText(fitBrief(brief(given), { budget: 10_000, most: 40_000 }, READER).request)).toContain(
      'word word',
    )
    expect(() => fitBrief(brief(given), { budget: 5_000, most: 15_000 }, READER)).toThrow(
      /test\/ask needs \d+ tokens, and the model can be given 15000: what must be whole \(The goal:\) is too long/,
    )
  })
})

describe('a conversation', () => {
  const reply = (text: string, id?: string) => ({
    text,
    usage: { inputTokens: 0, outputTokens: 0 },
    ...(id !== undefined && { toolCalls: [{ id, name: 'look', input: { at: id } }] }),
  })
  const ask = (conversation: Conversation, budget: number): ReturnType<typeof fitBrief> => {
    const { sections: _, ...rest } = brief([])
    return fitBrief({ ...rest, conversation } as Brief, { budget, most: 100_000 }, READER)
  }
  const opening: Section[] = [{ need: 'whole', title: 'The goal:', items: [{ text: 'find it' }] }]

  it('keeps earlier turns byte-equal until a compaction, which is told, and then again', () => {
    const conversation = new Conversation(opening)
    let before: readonly string[] = []
    let compactions = 0
    for (let i = 0; i < 60; i++) {
      const { request, compacted } = ask(conversation, 6_000)
      expect(tokensOf(request)).toBeLessThanOrEqual(6_000)
      const now = request.messages.slice(0, -1).map((message) => JSON.stringify(message))
      if (compacted !== undefined) compactions++
      else expect(now.slice(0, before.length)).toEqual(before)
      before = now
      conversation.reply(reply(`turn ${i}`, `call-${i}`))
      conversation.answer([
        {
          call: { id: `call-${i}`, name: 'look', input: { at: i } },
          result: { ok: true, value: `found ${i} ${'x y '.repeat(300)}` },
          ref: `1/${i}`,
        },
      ])
    }
    expect(compactions).toBeGreaterThan(0)
    expect(compactions).toBeLessThan(15)
  })

  it('keeps what a person said whole through any compaction, and the words of errors', () => {
    const conversation = new Conversation(opening)
    conversation.say('The person says: never touch NEEDLE-1', { keep: true })
    for (let i = 0; i < 40; i++) {
      conversation.reply(reply(`turn ${i}`, `c${i}`))
      const value = 'word '.repeat(400)
      const result =
        i === 3
          ? { ok: false as const, error: { code: 'TOOL_ERROR' as const, message: 'NEEDLE-2 is missing' } }
          : { ok: true as const, value }
      conversation.answer([{ call: { id: `c${i}`, name: 'look', input: {} }, result, ref: `1/${i}` }])
      ask(conversation, 5_000)
    }
    const text = allText(ask(conversation, 5_000).request)
    expect(text).toContain('never touch NEEDLE-1')
    expect(text).toContain('NEEDLE-2 is missing')
  })

  it('gives what was read with read_result raw and whole in the request that follows', () => {
    const conversation = new Conversation(opening)
    for (let i = 0; i < 20; i++) {
      conversation.reply(reply('', `c${i}`))
      conversation.answer([
        {
          call: { id: `c${i}`, name: 'look', input: {} },
          result: { ok: true, value: 'word '.repeat(1_000) },
          ref: `1/${i}`,
        },
      ])
    }
    ask(conversation, 8_000)
    const part = `line "one"\n${'two '.repeat(3_000)}NEEDLE`
    conversation.reply({ ...reply(''), toolCalls: [{ id: 'r', name: 'read_result', input: { ref: '1/2' } }] })
    conversation.answer([
      {
        call: { id: 'r', name: 'read_result', input: {} },
        result: { ok: true, value: { ref: '1/2', from: 0, to: part.length, total: 50_000, text: part } },
        ref: '1/99',
      },
    ])
    expect(allText(ask(conversation, 8_000).request)).toContain(part)
  })

  it('tells of every change to earlier turns, also where most of them are to be kept', () => {
    const conversation = new Conversation(opening)
    for (let i = 0; i < 8; i++)
      conversation.say(`The person says: ${'word '.repeat(150)}${i}`, { keep: i % 4 !== 0 })
    conversation.reply(reply('done'))
    const before = JSON.stringify(conversation.messages())
    const compacted = conversation.compact(800, 5_000)
    expect(JSON.stringify(conversation.messages()) === before).toBe(compacted === null)
    expect(conversation.isShortened).toBe(compacted !== null)
  })

  it('answers every native call, as providers demand', () => {
    const conversation = new Conversation(opening)
    conversation.reply(reply('', 'a'))
    conversation.say('No.')
    const { messages } = ask(conversation, 48_000).request
    expect(messages.map(({ role, answers }) => answers?.id ?? role)).toEqual([
      'system',
      'user',
      'assistant',
      'a',
      'user',
      'user',
    ])
  })
})
