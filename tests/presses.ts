/** Blocks that ask a person two things at the same time. */
import { tool } from '../src/engine/tools/tool.ts'
import type { Strategy } from '../src/kernel/strategy.ts'

/** Two calls that need permission, a signal of its own for each. Answers with what was pressed. */
export const presses: Strategy = {
  name: 'presses',
  version: 1,
  options: (given) => given,
  async solve(context) {
    const press = (button: string) => context.tool('press', { button })
    const results = await context.all([press('start'), press('erase')])
    return results.map((result) => (result.ok ? String(result.value) : 'denied')).join(', ')
  },
}

export const pressTool = tool({
  name: 'press',
  description: 'Presses a button.',
  input: { type: 'object', properties: { button: { type: 'string' } }, required: ['button'] },
  access: 'write',
  run: async ({ button }) => `pressed ${button}`,
})

/** A person is asked about every press. */
export const ASK_ABOUT_PRESSES = { ask: ['press'], workspace: '/', asks: 'person' } as const

/** Two questions of a strategy, with one name. */
export const asksTwice: Strategy = {
  name: 'asks-twice',
  version: 1,
  options: (given) => given,
  async solve(context) {
    const answers = await context.all([context.ask({ text: 'One?' }), context.ask({ text: 'Two?' })])
    return answers.map((answer) => (answer.ok ? String(answer.value) : '-')).join(' and ')
  },
}
