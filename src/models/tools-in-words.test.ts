import { describe, expect, it } from 'vitest'
import { ask } from '../../tests/models/model-io.ts'
import { type Message, messageText } from '../protocol/index.ts'
import { toolsInWords } from './tools-in-words.ts'

const tools = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: 'now', description: 'The time.', schema: {} },
]
const toolRule = 'You may call a tool: answer {"type":"TOOL","name":"…","input":{…}} and wait for its result.'
const messages: Message[] = [
  { role: 'system', content: 'the rules' },
  { role: 'user', content: 'the goal' },
  {
    role: 'assistant',
    content: 'Let me see.',
    toolCalls: [
      { id: 'c1', name: 'read_file', input: { path: 'a {b}.txt' } },
      { id: 'c2', name: 'now', input: {} },
    ],
    reasoning: [{ text: 'hm' }],
  },
  { role: 'tool', content: ['one', ' two'], answers: { id: 'c1', name: 'read_file' } },
  { role: 'tool', content: 'noon', answers: { id: 'c2', name: 'now' } },
  { role: 'user', content: 'What next?' },
]

it('lists the tools and the rule at the end of the system message, and tells calls and results as text', () => {
  const request = toolsInWords(ask('', { tools, toolRule, messages }))
  expect(request.tools).toBeUndefined()
  expect(request.toolRule).toBeUndefined()
  expect(request.messages.map((message) => `${message.role}: ${messageText(message)}`)).toEqual([
    'system: the rules',
    `system: Tools:
- read_file: Reads a file.
  input: {
    "path": string
  }
- now: The time.
  input: {…}

${toolRule}`,
    'user: the goal',
    `assistant: Let me see.
{"type":"TOOL","name":"read_file","input":{"path":"a {b}.txt"}}
{"type":"TOOL","name":"now","input":{}}`,
    'user: Result of read_file (c1):\none two',
    'user: Result of now (c2):\nnoon',
    'user: What next?',
  ])
  expect(JSON.stringify(request)).not.toMatch(/toolCalls|reasoning|answers/)
})

describe('a call is told in the form of the rule', () => {
  it.each([
    [
      '{"do":"tool","calls":[{"name":"…","input":{}}]} calls tools.',
      '{"do":"tool","calls":[{"name":"now","input":{"a":1}}]}',
    ],
    [
      'Look with {"action":"require_tool","tool":"…","params":{…}}, or plan.',
      '{"action":"require_tool","tool":"now","params":{"a":1}}',
    ],
    ['Call tools by name.', '{"name":"now","input":{"a":1}}'],
    ['A {form} that is "…" no JSON {…}', '{"name":"now","input":{"a":1}}'],
  ])('%s', (rule, words) => {
    const turn: Message = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c', name: 'now', input: { a: 1 } }],
    }
    const request = toolsInWords(ask('', { tools, toolRule: rule, messages: [turn] }))
    expect(messageText(request.messages.at(-1) as Message)).toBe(words)
  })
})

it('tells nothing of tools if the strategy could not read a call in a reply', () => {
  const request = toolsInWords(ask('', { tools, messages }))
  expect(JSON.stringify(request)).not.toContain('Reads a file')
})

it('keeps what was sent before byte-equal when the conversation grows', () => {
  const texts = (given: Message[]) => toolsInWords(ask('', { tools, toolRule, messages: given })).messages
  const before = texts(messages.slice(0, 5))
  expect(texts(messages).slice(0, before.length)).toEqual(before)
})
