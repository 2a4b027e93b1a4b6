/** Small worlds of thoughts to search, with programs as agents. */
import { expect } from 'vitest'
import { createEngine } from '../../src/index.ts'
import type { Event } from '../../src/protocol/index.ts'
import { treeOfThoughts } from '../../src/strategies/tree-of-thoughts/index.ts'
import { checkMessage } from '../../src/strategies/tree-of-thoughts/messages.ts'
import type { ThoughtPayloads } from '../../src/strategies/tree-of-thoughts/protocol.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

/** What follows on a thought: its words and its score, perhaps with a confidence, a state. */
export type World = Readonly<
  Record<string, readonly (readonly [content: string, score: number, more?: object])[]>
>

/**
 *              root
 *       a 8            b 6            c 3
 *   a1 4   a2 7     b1 9   b2 5     c1 10
 */
export const SMALL: World = {
  root: [
    ['a', 8],
    ['b', 6],
    ['c', 3],
  ],
  a: [
    ['a1', 4],
    ['a2', 7],
  ],
  b: [
    ['b1', 9],
    ['b2', 5],
  ],
  c: [['c1', 10]],
}

/** Searches the world with programs as agents; the model would fail if it were asked. */
export async function search(
  world: World,
  { cap = false, ...options }: Readonly<Record<string, unknown>>,
  verify: ((answer: string) => boolean) | null = null,
  seed = 'seed',
) {
  const asked: { generated: string[]; evaluated: string[] } = { generated: [], evaluated: [] }
  /** By the words of the thought and of the one before it. */
  const scores = new Map<string, readonly [string, number, object?]>()
  const strategy = treeOfThoughts({
    name: 'world',
    ...(verify === null ? {} : { verify }),
    agents: {
      generator({ payload: { parent_node, num_candidates } }) {
        const name = parent_node.depth === 0 ? 'root' : parent_node.content
        asked.generated.push(name)
        const children = (world[name] ?? []).slice(0, cap ? num_candidates : undefined)
        for (const child of children) scores.set(`${name} > ${child[0]}`, child)
        const candidates = children.map(([content, , more], i) => ({
          temp_id: `cand_${i + 1}`,
          content,
          action_type: 'test',
          metadata: more as Record<string, unknown> | undefined,
        }))
        return { candidates } as ThoughtPayloads['generated_thoughts']
      },
      evaluator({ payload: { candidates } }) {
        asked.evaluated.push(...candidates.map(({ content }) => content))
        const evaluations = candidates.map(({ id, content, metadata }) => {
          const before = ((metadata?.path ?? []) as string[]).at(-1) ?? 'root'
          const [, score, more] = scores.get(`${before} > ${content}`)!
          const { confidence = 0.8 } = (more ?? {}) as { confidence?: number }
          return { node_id: id, score, confidence, reasoning: `${content} is ${score}` }
        })
        const discouraged = candidates.filter(({ metadata }) => metadata?.discouraged === true)
        return { evaluations, ranking: [], pruning_suggestions: discouraged.map(({ id }) => id) }
      },
    },
  })
  const engine = createEngine({ model: new ScriptedModel([]), strategies: [strategy] })
  const given = { strategy: 'world', seed, options: { task_type: 'planning', ...options } }
  const run = await engine.start('find the way', given)
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const notes = (name: string) => notesOf(events, name)
  const messages = notes('tot/message').map(checkMessage)
  const complete = messages.find(({ type }) => type === 'search_complete')
  const visits = (notes('tot/layer-start') as { expanding: string[] }[]).map(({ expanding }) => expanding)
  const { stats } = complete!.payload as ThoughtPayloads['search_complete']
  return { outcome, visits, notes, messages, stats, asked }
}

function notesOf(events: readonly Event[], name: string): unknown[] {
  return events.flatMap((event) => (event.type === 'note' && event.name === name ? [event.data] : []))
}
