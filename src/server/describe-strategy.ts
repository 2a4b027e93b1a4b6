import type { StrategyModule } from '../strategies/strategy-module.ts'

/** With the JSON Schema of its options. An option that the command line has as a flag is described by the flag. */
export async function describeStrategy(strategy: StrategyModule) {
  const { name, version, summary = '', flags = {} } = strategy
  const { optionsSchema = { type: 'object' } } = await strategy.load()
  const properties = { ...(optionsSchema.properties as Record<string, object> | undefined) }
  for (const { option, help } of Object.values(flags))
    if (option in properties) properties[option] = { description: help, ...properties[option] }
  return { name, version, summary, options: { ...optionsSchema, properties } }
}
