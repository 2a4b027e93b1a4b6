/** Streaming: the answer as it is written, what is thought and called on the way, and the same for a chat of the AI SDK. */
import { setTimeout as pause } from 'node:timers/promises'
import { createEngine, tool } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'
import { z } from 'zod'

/** It writes a few characters at a time, in the JSON that the strategy asks for. */
const model = new ScriptedModel(async (request, io) => {
  const { results } = request.input as { results: unknown[] }
  const reply =
    results.length === 0
      ? { do: 'tool', calls: [{ name: 'stock', input: { item: 'tea' } }] }
      : { do: 'return', result: 'There are 7 boxes of tea left.\nThat is enough for a week.' }
  for (const piece of JSON.stringify(reply).match(/.{1,12}/gs) ?? []) {
    io.onDelta(piece)
    await pause(5)
  }
  return reply
})

const stock = tool({
  name: 'stock',
  description: 'How many boxes of an item are left.',
  access: 'read',
  input: z.object({ item: z.string() }),
  run: ({ item }) => ({ item, left: 7 }),
})

const engine = createEngine({ model, tools: [stock] })
const run = await engine.start('How much tea is left?', { strategy: 'minimal' })

// Each of these gets everything from the start, whenever it begins.
const steps = (async () => {
  const seen = new Map<string, string>()
  for await (const { id, kind, text, done } of run.thoughts) if (done) seen.set(id, `${kind}: ${text}`)
  return [...seen.values()]
})()

let pieces = 0
for await (const text of run.text) {
  pieces++
  process.stdout.write(text)
}
console.log(
  `\n(in ${pieces > 1 ? 'many pieces' : 'one piece'}; it is the result: ${(await run.outcome).status})`,
)

console.log('\nWhat it did:')
for (const step of await steps) console.log(`  ${step.split('\n')[0]}`)

// For useChat: return createUIMessageStreamResponse({ stream: run.toUIMessageStream() }), with `ai`.
const types = new Set<string>()
for await (const { type } of run.toUIMessageStream()) types.add(type)
console.log(`\nAs a UI message: ${[...types].join(', ')}`)

await engine.close()
