/** `toUIMessageStream` in a chat: the real `useChat`, rendered by react-dom, with a real server on loopback. */
import type { AddressInfo } from 'node:net'
import { useChat } from '@ai-sdk/react'
import { serve } from '@hono/node-server'
import { createUIMessageStreamResponse, DefaultChatTransport, type UIMessage } from 'ai'
import { Window } from 'happy-dom'
import { Hono } from 'hono'
import { createElement as h } from 'react'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createEngine, type Engine, type Run } from '../../src/engine.ts'
import type { ThinkonTree, UIMessageMetadata } from '../../src/views/ui-message-chunk.ts'
import { type ByHand, byHand } from './by-hand.ts'

type ChatMessage = UIMessage<UIMessageMetadata, { 'thinkon-tree': ThinkonTree }>

const WAIT = { timeout: 30_000, interval: 5 }

const window = new Window()
let model: ByHand
let engine: Engine
const runs: Run[] = []
let api: string
let close: () => void

beforeAll(async () => {
  // Only what react-dom asks for: requests go through Node. It stays: React draws a last time when everything has ended.
  Object.assign(globalThis, { window, document: window.document })
  model = byHand()
  engine = createEngine({ model: model.model })
  const app = new Hono()
  app.post('/api/chat', async (context) => {
    const { messages } = await context.req.json<{ messages: ChatMessage[] }>()
    const said = messages.at(-1)?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])) ?? []
    const run = await engine.start(said.join(''), { strategy: 'minimal' })
    runs.push(run)
    return createUIMessageStreamResponse({ stream: run.toUIMessageStream() })
  })
  app.post('/api/answer', async (context) => {
    const { question, answer } = await context.req.json<{ question: number; answer: string }>()
    await runs.at(-1)?.answer(answer, { question })
    return context.json({})
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await vi.waitFor(() => expect(server.address()).not.toBeNull(), WAIT)
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  close = () => server.close()
})
afterAll(async () => {
  close()
  await engine.close()
})

let chat: ReturnType<typeof useChat<ChatMessage>>

/** A chat as someone would write it: what it shows is plain HTML. */
function Chat() {
  chat = useChat<ChatMessage>({ transport: new DefaultChatTransport({ api: `${api}/chat` }) })
  const replies = chat.messages.filter(({ role }) => role === 'assistant')
  const shown = replies.map((message) => h('div', { key: message.id }, message.parts.map(partOf)))
  return h('main', { className: chat.status }, shown)
}

function partOf(part: ChatMessage['parts'][number], key: number) {
  if (part.type === 'reasoning') return h('i', { key }, part.text)
  if (part.type === 'text') return h('b', { key }, part.text)
  if (part.type === 'dynamic-tool')
    return h('code', { key }, `${part.toolName} ${part.state} ${part.title ?? ''}`)
  if (part.type !== 'data-thinkon-tree') return null
  const rows = part.data.blocks.map(({ path, status }) => h('li', { key: path }, `${path} ${status}`))
  return h('ul', { key }, rows)
}

async function render() {
  // Loaded when there is a window. Its types are not installed.
  const { createRoot } = (await import('react-dom/client' as string)) as {
    createRoot(place: unknown): { render(node: unknown): void; unmount(): void }
  }
  const place = window.document.createElement('div')
  window.document.body.appendChild(place)
  const root = createRoot(place)
  const before = chat
  root.render(h(Chat))
  await vi.waitFor(() => expect(chat).not.toBe(before), WAIT)
  const see = (...texts: string[]) =>
    vi.waitFor(() => {
      for (const text of texts) expect(place.innerHTML).toContain(text)
    }, WAIT)
  return { see, html: () => place.innerHTML, leave: () => root.unmount() }
}

it('a chat shows the tree, what is thought, what is asked, and the answer as it is written', async () => {
  const { see, html, leave } = await render()
  void chat.sendMessage({ text: 'make tea' })
  await model.write('{"do":"call","goals":["boil water"]}')
  await model.write(null)
  await model.write('{"do":"return","result":"hot')
  await see('<i>hot</i>', '<li>1-1 running</li>')
  await model.write(' water"}')
  await model.write(null)
  await see('<i>hot water</i>', '<li>1-1 completed</li>')
  await model.write('{"do":"ask","question":{"text":"Milk?","choices":["yes","no"]}}')
  await model.write(null)
  await see('ask_person input-available Milk?')
  const asked = chat.messages.at(-1)?.parts.find((part) => part.type === 'dynamic-tool')
  await fetch(`${api}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...(asked?.input as object), answer: 'yes' }),
  })
  await see('ask_person output-available Milk?')
  await model.write('{"do":"return","result":"White')
  await see('<b>White</b>', 'class="streaming"')
  await model.write(' tea."}')
  await model.write(null)
  await see('<b>White tea.</b>', 'class="ready"', '<li>1 completed</li>')
  const [run] = runs
  expect(chat.messages.at(-1)).toMatchObject({
    id: run?.id,
    metadata: { run: run?.id, status: 'completed' },
  })
  expect(chat.messages.at(-1)?.metadata?.usage).toEqual((await run?.outcome)?.usage)
  expect(html()).not.toContain('&quot;do&quot;')
  leave()
})

it('a chat whose run fails shows what there is, and the error', async () => {
  const { see, leave } = await render()
  void chat.sendMessage({ text: 'make coffee' })
  await model.write('{"do":"return","result":"Half')
  await see('<b>Half</b>')
  await model.write(new Error('the line is dead'))
  await see('class="error"')
  expect(chat.error?.message).toContain('the line is dead')
  expect(chat.messages.at(-1)?.parts.some(({ type }) => type === 'text')).toBe(false)
  leave()
})
