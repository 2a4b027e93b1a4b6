/**
 * Several samples, one answer. A program can check a puzzle, so the first right sample wins and no more are drawn. It can't check a fact, so
 * samples vote, and a wrong one is outvoted. The model is scripted and often wrong; the strategy is real.
 */
import { createEngine } from 'thinkon'
import { ScriptedModel } from 'thinkon/testing'

const samples: Record<string, string[]> = {
  'Make 24 from 4, 9, 10 and 13': ['4 + 9 + 10 + 13', '4 × 9 - 10 - 13', '(13 - 9) × (10 - 4)'],
  'Which city is the capital of Australia?': ['Sydney', 'Canberra', 'Canberra.', 'canberra'],
}

const model = new ScriptedModel(({ input }) => {
  const { goal, sample } = input as { goal: string; sample: number }
  return { answer: samples[goal]?.[sample - 1] ?? 'I don’t know' }
})

const engine = createEngine({ model })
for (const goal of Object.keys(samples)) {
  const run = await engine.start(goal, { strategy: 'best-of', options: { samples: 5 } })
  const { result, usage } = await run.outcome
  console.log(`${goal}\n  ${result} (${usage.calls} samples)`)
  for (const event of await engine.events(run.id))
    if (event.type === 'note') console.log(`  ${event.name} ${JSON.stringify(event.data)}`)
  if (!/^\(13|^canberra/i.test(result)) process.exitCode = 1
}
await engine.close()
