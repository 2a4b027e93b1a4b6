/** A model's request as a person reads it: its messages in order, the tools that may be called, and the form of the reply. */
import { type Message, messageText, type Question } from '../protocol/index.ts'
import type { Lang } from './words.ts'

export type PersonsRequest = NonNullable<Question['request']>

const WORDS = {
  en: {
    roles: { system: 'system', user: 'user', assistant: 'model', tool: 'result of a tool' },
    calls: 'calls',
    tools: 'tools that may be called',
    schema: 'form of the reply, as JSON Schema',
  },
  zh: {
    roles: { system: '系统', user: '用户', assistant: '模型', tool: '工具的结果' },
    calls: '调用',
    tools: '可以调用的工具',
    schema: '回答的格式（JSON Schema）',
  },
} as const

export interface RequestSection {
  readonly title: string
  readonly text: string
}

export function requestSections(request: PersonsRequest, lang: Lang): RequestSection[] {
  const { messages, tools = [], schema } = request
  const words = WORDS[lang]
  const described = tools.map(({ name, description, schema: input }) => {
    return `- ${name}: ${description}\n  ${JSON.stringify(input)}`
  })
  return [
    ...messages.map((message) => ({ title: titleOf(message, lang), text: textOf(message, lang) })),
    ...(described.length > 0 ? [{ title: words.tools, text: described.join('\n') }] : []),
    ...(schema === undefined ? [] : [{ title: words.schema, text: JSON.stringify(schema, null, 2) }]),
  ]
}

function titleOf({ role, answers }: Message, lang: Lang): string {
  const name = WORDS[lang].roles[role]
  return answers === undefined ? name : `${name}: ${answers.name}`
}

function textOf(message: Message, lang: Lang): string {
  const { toolCalls = [] } = message
  const calls = toolCalls.map(({ name, input }) => `${WORDS[lang].calls} ${name} ${JSON.stringify(input)}`)
  return [messageText(message).replace(/(?<!\n)\n+$/, ''), ...calls].filter((text) => text !== '').join('\n')
}

/** As one text, each section below its title. */
export function requestText(request: PersonsRequest, lang: Lang): string {
  return requestSections(request, lang)
    .map(({ title, text }) => `── ${title} ──\n${text}`)
    .join('\n\n')
}
