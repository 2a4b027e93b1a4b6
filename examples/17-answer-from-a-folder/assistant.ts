/** The assistant of docs/tutorial.md: it answers questions from a folder, looks into the stock, and orders what is missing. */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtinTools, createEngine, type Engine, type EngineOptions, tool } from 'thinkon'
import { z } from 'zod'

const handbook = join(import.meta.dirname, 'handbook')

const stock = tool({
  name: 'stock',
  description: 'Says how many pieces of an item are in stock.',
  access: 'read',
  input: z.object({ item: z.string() }),
  output: z.object({ left: z.number() }),
  run: async ({ item }) => {
    const counts = JSON.parse(await readFile(join(import.meta.dirname, 'stock.json'), 'utf8'))
    return { left: counts[item] ?? 0 }
  },
})

const order = tool({
  name: 'order',
  description: 'Orders pieces of an item from the bakery.',
  access: 'write',
  input: z.object({ item: z.string(), count: z.number().int().min(1).max(50) }),
  run: async ({ item, count }) => {
    await appendFile('orders.txt', `${count} ${item}\n`)
    return { ordered: `${count} ${item}` }
  },
})

export const Answer = z.object({
  answer: z.string().describe('for the person who asked, in one to three sentences'),
  sources: z.array(z.string()).describe('the files that it comes from'),
  ordered: z.array(z.string()).describe('what was ordered'),
})

export function createAssistant(options: Pick<EngineOptions, 'model' | 'store' | 'record'>): Engine {
  const files = builtinTools({ workspace: handbook, only: ['list_files', 'read_file', 'search_files'] })
  return createEngine({ ...options, tools: [files, stock, order] })
}

export function ask(assistant: Engine, question: string) {
  return assistant.start(question, {
    strategy: 'fractal',
    output: Answer,
    budget: { calls: 30, costUsd: 0.25, timeMs: 300_000 },
    approval: { workspace: handbook, asks: 'person', allow: ['read'] },
  })
}
