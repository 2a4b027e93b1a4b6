/**
 * Tools from three sources: your own, typed by their schemas; tools of the AI SDK, as they are; and built-in ones. The model is scripted:
 * it makes a mistake first, is told what was wrong, and goes on.
 */
import { tool as aiTool } from 'ai'
import { builtinTools, createEngine, fromAiSdk, tool } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'
import { z } from 'zod'

const LEFT: Record<string, number> = { bread: 12, rolls: 40 }

const stock = tool({
  name: 'stock',
  description: 'Says how many pieces of an item are left.',
  access: 'read',
  input: z.object({ item: z.string() }),
  output: z.object({ left: z.number() }),
  run: ({ item }) => ({ left: LEFT[item] ?? 0 }), // `item` is a string, and another result would not compile
})

const price = aiTool({
  description: 'The price of a piece in euros.',
  inputSchema: z.object({ item: z.enum(['bread', 'rolls']) }),
  execute: async ({ item }) => (item === 'bread' ? 4.5 : 0.6),
})

const call = (name: string, input: object) => ({ do: 'tool', calls: [{ name, input }] })
const model = new ScriptedModel([
  call('stock', { thing: 'bread' }),
  call('stock', { item: 'bread' }),
  call('price', { item: 'bread' }),
  call('calculate', { expression: '12 * 4.5' }),
  { do: 'return', result: 'The bread in stock is worth 54 euros.' },
])

const engine = createEngine({
  model,
  tools: [stock, fromAiSdk({ price }, { access: 'read' }), builtinTools({ only: ['calculate'] })],
})
const run = await engine.start('What is the bread in stock worth?', { strategy: 'minimal' })
const { result } = await run.outcome

for (const event of await engine.events(run.id)) {
  if (event.type === 'tool-start') console.log(`${event.name} ${JSON.stringify(event.input)}`)
  if (event.type !== 'tool-end') continue
  console.log(
    event.result.ok ? `  ${JSON.stringify(event.result.value)}` : `  failed: ${event.result.error.message}`,
  )
}
console.log(result)
await engine.close()
