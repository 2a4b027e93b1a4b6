/**
 * Any model will do: one that only talks, one that only writes JSON, one that calls tools natively. All three are scripted
 * (see examples/models), so that this runs offline; what Thinkon does with their replies is what it does with anyone's.
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

  // What had to be mended before a reply could be read is on record.
  for (const event of await engine.events(run.id)) {
    if (event.type === 'note') console.log(`  ${event.name}: ${JSON.stringify(event.data)}`)
    if (event.type === 'model-end' && event.result.ok && event.result.value.toolCalls)
      console.log(`  native: ${JSON.stringify(event.result.value.toolCalls)}`)
  }
  await engine.close()
}
