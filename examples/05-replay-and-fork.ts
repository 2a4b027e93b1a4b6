/** The journal is the run: it can be replayed without calling anything, and forked with an edited past. */
import { createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const model = new ScriptedModel((request) => {
  const { todo } = request.input as { todo: string | string[] }
  if (todo.length === 0) return { do: 'plan', todo: ['bake bread'] }
  return { do: 'return', result: `Done: ${todo}` }
})

const engine = createEngine({ model })
const run = await engine.start('make something', { strategy: 'minimal' })
console.log((await run.outcome).result)

const calls = model.calls.length
const { operations, differences } = await engine.replay(run.id)
console.log(
  `replayed ${operations} operations, ${differences.length} differences, ${model.calls.length - calls} calls`,
)

// What if the first reply had been different? Edit it and continue from there.
const events = [...(await engine.events(run.id))]
const firstReply = events.find((event) => event.type === 'model-end')
const edited = {
  text: '',
  value: { do: 'plan', todo: ['bake a cake'] },
  usage: { inputTokens: 0, outputTokens: 0 },
}
const forked = await engine.fork(run.id, firstReply?.seq ?? 0, { value: edited })
console.log((await (await engine.resume(forked)).outcome).result)
await engine.close()
