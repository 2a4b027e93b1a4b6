// 120 goals of all kinds, in English and Chinese, with the strategies that suit each. The rules were written with the first 60 in
// view; the other 60 were put away before and run once, at the end (README.md).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Goal } from '../../src/protocol/index.ts'
import { byRule, factsOf } from '../../src/strategies/auto/rules.ts'

interface Row {
  readonly goal: Goal
  /** Any of these is right. */
  readonly choices: readonly string[]
  /** Whether the run has tools; it has unless said otherwise. */
  readonly tools?: boolean
  /** It can't be done by thinking alone. */
  readonly needs?: boolean
  /** A small plain question: no call is spent on the choice. */
  readonly plain?: boolean
}

describe.each([
  { set: 'dev', least: 60 },
  { set: 'held-out', least: 59 },
])('the $set goals', ({ set, least }) => {
  const rows = readFileSync(join(import.meta.dirname, `goals-${set}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
  const choiceOf = ({ goal, tools = true }: Row) => byRule(factsOf(goal, tools))

  it(`go to the right strategy by rules alone, ${least} of 60`, () => {
    expect(rows).toHaveLength(60)
    const right = rows.filter((row) => row.choices.includes(choiceOf(row)?.strategy ?? ''))
    expect(right.length).toBeGreaterThanOrEqual(least)
  })

  it('never go to a strategy without tools if they need some', () => {
    const thought = rows.filter((row) => row.needs && ['cot', 'tot'].includes(choiceOf(row)?.strategy ?? ''))
    expect(thought).toEqual([])
  })

  it('that are small plain questions cost no call for the choice, and one for the answer', () => {
    const plain = rows.filter((row) => row.plain)
    expect(plain.filter((row) => choiceOf(row)?.strategy !== 'fractal')).toEqual([])
  })
})
