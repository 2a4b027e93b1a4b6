/**
 * Any model will do: one that writes prose, one that only writes JSON, one that calls tools natively. All three are scripted (see
 * examples/models), so that this runs offline; Thinkon treats their replies like those of any model.
 */
import { builtinTools, createEngine } from 'thinkon'

for (const name of ['plain-text', 'json-only', 'tool-calling']) {
  const engine = createEngine({
    model: `module:${import.meta.dirname}/models/${name}.ts`,
    tools: builtinTools({ only: ['calculate'] }),
  })
  const run = await engine.start('What is (1/3 + 0.5) * 12 ^ 2?', { strategy: 'minimal' })
  const { status, result, usage } = await run.outcome
  console.log(`${name}: ${status}, ${usage.calls} calls\n  ${result}`)

  // The repairs that were needed to read a reply are on record.
  for (const event of await engine.events(run.id)) {
    if (event.type === 'note') console.log(`  ${event.name}: ${JSON.stringify(event.data)}`)
    if (event.type === 'model-end' && event.result.ok && event.result.value.toolCalls)
      console.log(`  native: ${JSON.stringify(event.result.value.toolCalls)}`)
  }
  await engine.close()
}
