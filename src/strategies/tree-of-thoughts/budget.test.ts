// K3: a search asks for many thoughts, scores and votes at once; what they hold together is far more than what they need.

import { describe, expect, it } from 'vitest'
import { prover, type Script, solve, writer } from '../../../tests/tot/solve.ts'
import { estimateTokens } from '../../kernel/budget.ts'
import type { ModelRequest } from '../../protocol/index.ts'
import { reply } from '../../testing/index.ts'

const SEARCHES = [
  ['votes', writer(), { branching: 6, beam: 3, votes: 5 }],
  ['scores', prover(), { task_type: 'math_reasoning', branching: 5, beam: 3, samples: 3 }],
] as const

describe.each(SEARCHES)('a search with many %s at once', (_, script, options) => {
  it('has its answer with 1.3 times the tokens that it needs', async () => {
    const whole = await solve('write a slogan for tea', counted(script), { options })
    expect(whole.outcome.status).toBe('completed')
    const { inputTokens, outputTokens, calls } = whole.outcome.usage
    const tokens = Math.ceil((inputTokens + outputTokens) * 1.3)
    // Together they would hold more than there is.
    expect(calls * 4_096).toBeGreaterThan(tokens)
    const { outcome } = await solve('write a slogan for tea', counted(script), {
      options,
      budget: { tokens },
    })
    expect(outcome).toMatchObject({ status: 'completed', result: whole.outcome.result })
    expect(outcome.usage.calls).toBe(calls)
  })
})

/** Usage as of a real model: four bytes a token, and a reply of 200. */
function counted(script: Script): Script {
  return (request: ModelRequest) => {
    const inputTokens = Math.ceil((estimateTokens(JSON.stringify(request.messages)) * 3) / 4)
    return reply(script(request) as never, { usage: { inputTokens, outputTokens: 200 } })
  }
}
