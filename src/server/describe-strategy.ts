import type { StrategyModule } from '../strategies/strategy-module.ts'

/** With the JSON Schema of its options. Those that the command line has as flags come first, and are described by them. */
export async function describeStrategy(strategy: StrategyModule) {
  const { name, version, summary = '', flags = {} } = strategy
  const { optionsSchema = { type: 'object' } } = await strategy.load()
  const all = (optionsSchema.properties ?? {}) as Readonly<Record<string, object>>
  const helped = new Map(Object.values(flags).map(({ option, help }) => [option, help]))
  const flagged = [...helped].flatMap(([option, description]) =>
    option in all ? [[option, { description, ...all[option] }]] : [],
  )
  const others = Object.entries(all).filter(([option]) => !helped.has(option))
  const properties = { ...Object.fromEntries(flagged), ...Object.fromEntries(others) }
  return { name, version, summary, options: { ...optionsSchema, properties } }
}
