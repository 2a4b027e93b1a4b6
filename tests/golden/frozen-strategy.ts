// The strategy, the model and the tools that wrote the frozen journals. Journals of format version 1 must replay with them
// for ever: this file is never changed either.

import type { Model } from '../../src/kernel/model.ts'
import type { Answer, Context, Strategy } from '../../src/kernel/strategy.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'

const RULES = 'A part of a prompt that comes again with every request, and is therefore stored once. '.repeat(
  20,
)

function request(kind: string, text: string): ModelRequest {
  return {
    kind,
    version: 1,
    role: 'plan',
    messages: [
      { role: 'system', content: RULES },
      { role: 'user', content: [RULES, text] },
    ],
    schema: { type: 'object' },
    settings: { maxOutputTokens: 200 },
  }
}

export const frozenStrategy: Strategy<never> = {
  name: 'frozen',
  version: 1,
  options: (given) => given as never,
  solve: (context) => (context.level === 0 ? root(context) : child(context)),
}

/** Uses every operation there is. */
async function root(context: Context<never>): Promise<Answer> {
  context.plan(['look', 'divide', 'ask'])
  context.emit('drawn', { random: context.random(), now: context.now(), budget: context.budget() })
  const asked = await context.one(context.model(request('frozen/parts', 'in parts')))
  const [small, large, failed] = await context.all([
    context.tool('look', { at: 1 }),
    context.tool('large', {}),
    context.tool('fail', {}),
  ])
  const length = large?.ok ? String(large.value).length : 0
  context.emit('seen', { small: small?.ok, length, failed: failed?.ok })
  for (let i = 0; i < 3; i++) await context.one(context.tool('look', 'the same'))
  await context.all([
    context.call('good'),
    context.call({ intent: 'i', deliverable: 'd', metric: 'm', constraint: 'c' }),
    context.call('small', { budget: { calls: 1, tokens: 10_000, depth: 0 } }),
  ])
  const race = [
    context.call('quick'),
    context.ask({ text: 'nobody answers', fallback: 'no' }, { name: 'never' }),
  ]
  const winner = await context.first(race)
  for (const [index, op] of race.entries()) if (index !== winner) await context.cancel(op, 'too late')
  await context.all(race)
  const look = await context.one(context.ask({ text: 'anything?' }, { timeoutMs: 0 }))
  const answer = await context.one(context.ask({ text: 'Go on?', choices: ['yes', 'no'], fallback: 'no' }))
  const [written, last] = await context.all([
    context.tool('write', {}),
    context.model(request('frozen/last', 'the end')),
  ])
  const told = context.timeline(4_000).includes('be brief') ? 'brief' : 'long'
  return {
    status: 'partial',
    result: [asked.text, look ?? 'nothing', answer, written?.ok ? 'written' : written?.error.code, told].join(
      ', ',
    ),
    reason: last?.ok ? 'the model said so' : 'it broke',
  }
}

async function child(context: Context<never>): Promise<Answer> {
  if (context.block.goal === 'small') {
    const [first, second] = await context.all([
      context.model(request('frozen/first', 'one')),
      context.model(request('frozen/second', 'two')),
    ])
    return `${first?.ok} ${second?.ok}`
  }
  if (context.block.goal === 'good')
    return (await context.one(context.model(request('frozen/child', context.path)))).text
  if (context.block.goal === 'quick') return { status: 'failed', result: 'some', reason: 'too quick' }
  throw new Error('a child that breaks')
}

/** `hang` says which effects never come to an end. */
export function frozenModel(hang: (kind: string) => boolean): Model {
  return {
    id: 'frozen',
    cost: ({ inputTokens, outputTokens }) => (inputTokens + outputTokens) / 1_000_000,
    async call({ kind }, io) {
      if (hang(kind)) return new Promise(() => {})
      const usage = { inputTokens: 100, outputTokens: 10 }
      if (kind !== 'frozen/parts') return { text: `reply to ${kind}`, value: { kind }, usage }
      const first = await io.part(async () => ({ value: 'one', usage }))
      const second = await io.part(async () => ({ value: 'two', usage }))
      return { text: `${first} ${second}`, usage: { inputTokens: 0, outputTokens: 0 } }
    },
  }
}

export function frozenTools(hang: (name: string) => boolean): Tool[] {
  const tool = (name: string, access: Tool['access'], run: (input: unknown) => unknown): Tool => ({
    name,
    description: `for the frozen journals: ${name}`,
    access,
    run: async (input) => (hang(name) ? new Promise(() => {}) : run(input)),
  })
  return [
    tool('look', 'read', (input) => ({ found: input })),
    tool('large', 'read', () => 'x'.repeat(270_000)),
    tool('fail', 'read', () => {
      throw new Error('it can not be done')
    }),
    tool('write', 'write', () => 'written'),
  ]
}
