// Random trees of blocks under random limits and latencies: nothing deadlocks, nothing is overspent, and with 1.3 times what is
// needed everything completes (K3).

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/index.ts'
import type { Context } from '../../src/kernel/strategy.ts'
import type { Limits, Outcome } from '../../src/protocol/index.ts'
import { reply, ScriptedModel } from '../../src/testing/index.ts'
import { inTime, turns } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { request, strategyOf } from '../conformance/kernel/lab.ts'
import { repetitions } from '../repetitions.ts'

interface Tree {
  /** Model calls before the children, all at once or one after the other. */
  before: number
  children: Tree[]
  inTurn: boolean
  after: number
  latency: number
  /** Of its own, in tokens; for the whole subtree. */
  limit?: number
}

const USAGE = { inputTokens: 300, outputTokens: 200 }
/** Room for an eighth that may be kept back, and for a step that may take 4,396 though it takes 500. */
const leastLimit = (need: number) => Math.max((need + 4_396) / (1 - 1 / 8), need + 4_396 + 1_500)

const node = (children: fc.Arbitrary<Tree[]>) =>
  fc.record(
    { before: fc.nat(2), children, inTurn: fc.boolean(), after: fc.nat(2), latency: fc.nat(4) },
    { noNullPrototype: true },
  )

const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    node(fc.constant([])),
    node(fc.array(tie('tree'), { maxLength: 6 })),
    node(fc.array(tie('tree'), { minLength: 3, maxLength: 9 })),
  ),
})).tree

it('with 1.3 times what it needs a tree completes, whatever runs at once', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (given) => {
      const need = (await solve(given, {})).tokens
      const { outcome, journal } = await solve(given, {
        tokens: Math.ceil(Math.max(need * 1.3, leastLimit(need))),
      })
      expect(refusals(journal)).toEqual([])
      expect(outcome.status).toBe('completed')
      expect(violations(journal)).toEqual([])
    }),
    { numRuns: repetitions(40, 1_000), seed: 14 },
  )
})

it('under any limit a tree ends, within it', async () => {
  const limits = fc.record({
    tokens: fc.integer({ min: 500, max: 60_000 }),
    calls: fc.integer({ min: 1, max: 60 }),
  })
  await fc.assert(
    fc.asyncProperty(
      tree,
      limits,
      fc.option(fc.integer({ min: 300, max: 20_000 })),
      async (given, limit, own) => {
        const limited =
          own === null
            ? given
            : { ...given, children: given.children.map((child) => ({ ...child, limit: own })) }
        const { outcome, journal, tokens } = await solve(limited, limit)
        expect(['completed', 'partial']).toContain(outcome.status)
        expect(tokens).toBeLessThanOrEqual(limit.tokens)
        expect(violations(journal)).toEqual([])
      },
    ),
    { numRuns: repetitions(60, 1_000), seed: 15 },
  )
})

async function solve(given: Tree, budget: Partial<Limits>) {
  const engine = engineFor()
  const started = await engine.start('a tree', {
    strategy: 'own',
    options: { tree: given },
    budget: { tokens: 1e9, calls: 1e6, depth: 50, ...budget },
  })
  const outcome: Outcome = await inTime(started.outcome, 'the tree ends')
  const journal = [...(await engine.events(started.id))]
  await engine.close()
  return { outcome, journal, tokens: outcome.usage.inputTokens + outcome.usage.outputTokens }
}

function engineFor(): Engine {
  const model = new ScriptedModel(async ({ messages }) => {
    await turns(Number(String(messages[0]?.content).split(' ')[0]))
    return reply('done', { usage: USAGE })
  })
  const own = strategyOf('own', (context) => grow(context as never))
  return createEngine({ model, strategies: [{ ...own, options: (options) => options as never }] })
}

async function grow(context: Context<{ tree: Tree }>): Promise<string> {
  const { before, children, inTurn, after, latency } = context.options.tree
  const ask = () => context.model(request(`${latency} ${'x'.repeat(890)}`))
  // Different ones: the loop guard ends a block that calls for the same again and again.
  const call = (child: Tree, i: number) =>
    context.call(`part ${i} of ${context.path}`, {
      options: { tree: child },
      ...(child.limit !== undefined && { budget: { tokens: child.limit } }),
    })
  await context.all(Array.from({ length: before }, ask))
  if (inTurn) for (const [i, child] of children.entries()) await context.one(call(child, i))
  else await context.all(children.map(call))
  for (let i = 0; i < after; i++) await context.one(ask())
  return `grown at ${context.path}`
}

function refusals(journal: readonly { type: string }[]): string[] {
  return journal.flatMap((event) => {
    const result =
      'result' in event ? (event.result as { ok: boolean; error?: { message: string } }) : { ok: true }
    return result.ok ? [] : [result.error?.message ?? '']
  })
}
