// The form of a new run, in Chinese: every option of every strategy that ships has its words, and none has words that it does not need.
import { expect, it } from 'vitest'
import { describeStrategy } from '../../src/server/describe-strategy.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import { CHINESE, strategyIn } from '../../studio/src/runs/start/strategy-words.ts'

it('has Chinese for each strategy and each option', async () => {
  for (const strategy of STRATEGIES.values()) {
    const described = await describeStrategy(strategy)
    const options = Object.keys(described.options.properties)
    expect(Object.keys(CHINESE[described.name]?.options ?? {}).sort(), described.name).toEqual(options.sort())
    const shown = strategyIn('zh', described)
    expect(JSON.stringify([shown.summary, shown.options.properties])).not.toMatch(
      /"(?:summary|description)":"[^"\u4e00-\u9fff]*"/,
    )
    expect(strategyIn('en', described)).toBe(described)
  }
})
