import { describe, expect, it } from 'vitest'
import { createEngine } from '../../index.ts'
import type { Event, ThoughtMessage, ThoughtPayloads } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { treeOfThoughts } from './index.ts'

/** What follows on a thought: its words and its score, perhaps with a confidence, a state. */
type World = Readonly<Record<string, readonly (readonly [content: string, score: number, more?: object])[]>>

/**
 *              root
 *       a 8            b 6            c 3
 *   a1 4   a2 7     b1 9   b2 5     c1 10
 */
const SMALL: World = {
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

describe('breadth-first search', () => {
  it('expands a layer at once, keeps the best of it, and ends with the best of the last', async () => {
    const { outcome, visits, notes } = await search(SMALL, { search: 'BFS', depth: 2, beam: 2 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'b1' })
    expect(visits).toEqual([['root'], ['node_1_1', 'node_1_2']])
    expect(notes('tot/layer-selected')).toMatchObject([
      { round: 1, depth: 1, kept: ['node_1_1', 'node_1_2'], pruned: ['node_1_3'] },
      { round: 2, depth: 2, kept: ['node_2_3', 'node_2_2'], pruned: ['node_2_1', 'node_2_4'] },
    ])
    expect(notes('tot/best-path')).toEqual([{ path: ['root', 'node_1_2', 'node_2_3'], score: 9 }])
  })

  it('stops at a verified solution: one parent at a time, the best first, spares the others', async () => {
    const options = { search: 'BFS', depth: 2, beam: 3, concurrency: 1, threshold: 0 }
    const { outcome, asked } = await search(SMALL, options, (answer) => answer === 'b2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b2' })
    expect(asked.generated).toEqual(['root', 'a', 'b'])
  })

  it('verifies every candidate of the last layer before it is cut, and evaluates none that is refuted', async () => {
    const options = { search: 'BFS', depth: 2, beam: 1, widen: false }
    const wide: World = {
      root: [['a', 8]],
      a: [
        ['a1', 9],
        ['a2', 1],
      ],
    }
    const { outcome, asked } = await search(wide, options, (answer) => answer === 'a2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'a2' })
    expect(asked.evaluated).toEqual(['a'])
    const survivors = await search(wide, { ...options, verify: 'survivors' }, (answer) => answer === 'a2')
    expect(survivors.outcome.status).toBe('partial')
    expect(survivors.asked.evaluated).toEqual(['a', 'a1', 'a2'])
  })

  it('is stable: of equal scores the surer one, then the one that was made first', async () => {
    const equal: World = {
      root: [
        ['a', 6],
        ['b', 6, { confidence: 0.9 }],
        ['c', 6],
        ['d', 7, { confidence: 0.1 }],
      ],
    }
    const { notes } = await search(equal, { search: 'BFS', depth: 1, beam: 3 })
    expect(notes('tot/layer-selected')).toMatchObject([{ kept: ['node_1_4', 'node_1_2', 'node_1_1'] }])
  })

  it('takes more candidates than it asked for, and evaluates them all', async () => {
    const many: World = { root: Array.from({ length: 12 }, (_, i) => [`t${i}`, i / 2] as const) }
    const { asked, outcome } = await search(many, { search: 'BFS', depth: 1, branching: 2 })
    expect(asked.evaluated).toHaveLength(12)
    expect(outcome.result).toBe('t11')
  })
})

describe('merging and remembering', () => {
  const twins: World = {
    root: [
      ['a', 8],
      ['b', 7],
    ],
    a: [['Same  thing.', 6]],
    b: [
      ['same thing', 6],
      ['other', 5],
    ],
  }

  it('thoughts of the same words are merged: expanded once, evaluated once', async () => {
    const { notes, asked } = await search(twins, { search: 'BFS', depth: 2 })
    expect(notes('tot/layer-selected')[1]).toMatchObject({ merged: [{ id: 'node_2_2', into: 'node_2_1' }] })
    expect(asked.evaluated).toEqual(['a', 'b', 'Same  thing.', 'other'])
  })

  it('thoughts of the same state are merged, whatever their words', async () => {
    const states: World = {
      root: [
        ['left then right', 5, { state: 'middle' }],
        ['right then left', 5, { state: 'middle' }],
      ],
    }
    const { notes, asked } = await search(states, { search: 'BFS', depth: 1 })
    expect(notes('tot/layer-selected')).toMatchObject([{ merged: [{ id: 'node_1_2', into: 'node_1_1' }] }])
    expect(asked.evaluated).toEqual(['left then right'])
  })

  it('without merging both stay, and the second value is remembered', async () => {
    const { notes, asked } = await search(twins, { search: 'BFS', depth: 2, merge: false })
    expect(notes('tot/layer-selected')[1]).toMatchObject({ merged: [] })
    expect(asked.evaluated).toEqual(['a', 'b', 'Same  thing.', 'other'])
    expect(notes('tot/nodes-evaluated')[1]).toMatchObject({ remembered: ['node_2_2'] })
    const { asked: all } = await search(twins, { search: 'BFS', depth: 2, merge: false, remember: false })
    expect(all.evaluated).toEqual(['a', 'b', 'Same  thing.', 'same thing', 'other'])
  })
})

describe('pruning and selection', () => {
  it('cuts what is below the threshold only where that is sure, and never all', async () => {
    const doubtful: World = {
      root: [
        ['sure and bad', 2, { confidence: 0.7 }],
        ['unsure and bad', 2, { confidence: 0.69 }],
        ['good', 8],
      ],
    }
    const { notes } = await search(doubtful, { search: 'BFS', depth: 1, threshold: 5 })
    expect(notes('tot/layer-selected')).toMatchObject([
      { kept: ['node_1_3', 'node_1_2'], pruned: ['node_1_1'] },
    ])
    const bad: World = {
      root: [
        ['bad', 1],
        ['less bad', 2],
      ],
    }
    const { outcome } = await search(bad, { search: 'BFS', depth: 1, threshold: 5 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'less bad' })
  })

  it("heeds the Evaluator's advice where it is sure", async () => {
    const advised: World = {
      root: [
        ['advised against', 9, { discouraged: true }],
        ['fine', 6],
      ],
    }
    const { outcome } = await search(advised, { search: 'BFS', depth: 1 })
    expect(outcome.result).toBe('fine')
  })

  it('sampled selection prefers good thoughts, takes others now and then, and is the same for the same seed', async () => {
    const layer: World = { root: [1, 2, 3, 4, 5, 6, 7].map((n) => [`t${n}`, 5 + n / 4] as const) }
    const options = { search: 'BFS', depth: 1, beam: 2, selection: 'sampled' }
    const kept = async (seed: string) => {
      const { notes } = await search(layer, options, null, seed)
      return (notes('tot/layer-selected') as { kept: string[] }[])[0]!.kept
    }
    const chosen = await Promise.all(Array.from({ length: 40 }, (_, i) => kept(`seed ${i}`)))
    const counts = [1, 7].map((n) => chosen.filter((ids) => ids.includes(`node_1_${n}`)).length)
    expect(counts[1]).toBeGreaterThan(counts[0]!)
    expect(new Set(chosen.map((ids) => ids.join())).size).toBeGreaterThan(5)
    expect(await kept('seed 3')).toEqual(chosen[3])
  })
})

describe('depth-first search', () => {
  it('goes down the best child first, and back up where nothing is good enough', async () => {
    const options = { search: 'DFS', depth: 2, threshold: 5, widen: false }
    const { outcome, visits, notes, stats } = await search(SMALL, options, (answer) => answer === 'b2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b2' })
    expect(visits).toEqual([['root'], ['node_1_1'], ['node_1_2']])
    expect(notes('tot/node-backtracked')).toEqual([
      { node_id: 'node_1_1', to: 'root', why: 'none of its children is good enough' },
    ])
    expect(stats).toMatchObject({ total_backtracks: 1, total_nodes: 8 })
  })

  it('counts every way back, through several levels', async () => {
    const deep: World = {
      root: [
        ['a', 9],
        ['z', 6],
      ],
      a: [
        ['b', 8],
        ['d', 7],
      ],
      b: [['c', 6]],
      d: [['e', 6]],
      z: [['y', 6]],
      y: [['x', 6]],
    }
    const options = { search: 'DFS', depth: 3, threshold: 5, widen: false }
    const { visits, notes, stats } = await search(deep, options, (answer) => answer === 'x')
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_2_1', 'node_2_2', 'node_1_2', 'node_2_3'])
    expect((notes('tot/node-backtracked') as { node_id: string }[]).map(({ node_id }) => node_id)).toEqual([
      'node_2_1',
      'node_2_2',
      'node_1_1',
    ])
    expect(stats).toMatchObject({ total_backtracks: 3 })
  })

  it('tries at most the branching factor of children, and ends at the first path that holds', async () => {
    const { outcome, visits } = await search(SMALL, { search: 'DFS', depth: 2, threshold: 5, branching: 1 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'a2' })
    expect(visits.flat()).toEqual(['root', 'node_1_1'])
    const never = await search(SMALL, { search: 'DFS', depth: 2, branching: 1, widen: false }, () => false)
    expect(never.asked.generated).toEqual(['root', 'a'])
  })

  it('keeps to the limit of nodes', async () => {
    const endless: World = new Proxy(
      {},
      {
        get: (_, name) => [
          [`${String(name)}0`, 9],
          [`${String(name)}1`, 8],
        ],
      },
    )
    const options = { search: 'DFS', depth: 50, max_nodes: 9, widen: false }
    const { outcome, stats } = await search(endless, options, () => false)
    expect(outcome).toMatchObject({ status: 'partial' })
    expect(stats).toMatchObject({ total_nodes: 9 })
  })
})

describe('best-first search', () => {
  it('always expands the best thought of all, and ends when that is an end', async () => {
    const jumping: World = {
      root: [
        ['a', 8],
        ['b', 7],
      ],
      a: [['a1', 5]],
      b: [['b1', 7]],
      b1: [['b2', 6]],
      a1: [['a2', 10]],
    }
    const { outcome, visits } = await search(jumping, { search: 'best-first', depth: 3, threshold: 0 })
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_1_2', 'node_2_2'])
    expect(outcome).toMatchObject({ status: 'completed', result: 'b2' })
  })

  it('of equal scores takes the deeper one', async () => {
    const level: World = {
      root: [
        ['a', 8],
        ['b', 6],
      ],
      a: [['a1', 6]],
      a1: [['a2', 6]],
    }
    const { visits } = await search(level, { search: 'best-first', depth: 3 })
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_2_1'])
  })
})

describe('Monte Carlo tree search', () => {
  it('explores as much as it is told to', async () => {
    const world: World = {
      root: [
        ['a', 7],
        ['b', 6],
      ],
      a: [
        ['a1', 7.2],
        ['a2', 7],
      ],
      b: [['b1', 6]],
      a1: [['a11', 7]],
    }
    const order = async (exploration: number) => {
      const options = { search: 'mcts', depth: 3, iterations: 3, threshold: 0, widen: false, exploration }
      return (await search(world, options)).visits.flat()
    }
    expect(await order(0)).toEqual(['root', 'node_1_1', 'node_2_1'])
    // After `a` was expanded it has three visits and `b` one: 0.71 + 2 √(ln 4 / 3) = 2.07 against 0.6 + 2 √(ln 4) = 2.95.
    expect(await order(2)).toEqual(['root', 'node_1_1', 'node_1_2'])
  })

  /** The first look is misleading: what seems best leads to nothing. */
  const misleading: World = {
    root: [
      ['shiny', 7],
      ['plain', 6],
    ],
    shiny: [
      ['s1', 1],
      ['s2', 0],
    ],
    plain: [
      ['p1', 9],
      ['p2', 8],
    ],
  }

  it('goes where the promise is, learns, and takes the most visited path', async () => {
    const options = { search: 'mcts', depth: 2, threshold: 0, iterations: 20, exploration: 0.5 }
    const { outcome, visits, notes } = await search(misleading, options)
    expect(visits.flat()).toEqual(['root', 'node_1_1', 'node_1_2'])
    expect(outcome).toMatchObject({ status: 'completed', result: 'p1' })
    expect(notes('tot/best-path')).toEqual([{ path: ['root', 'node_1_2', 'node_2_3'], score: 9 }])
  })

  it('leaves what is exhausted, and counts it as a way back', async () => {
    const options = { search: 'mcts', depth: 2, threshold: 0, widen: false }
    const { outcome, stats } = await search(misleading, options, (answer) => answer === 'p2')
    expect(outcome).toMatchObject({ status: 'completed', result: 'p2' })
    expect(stats).toMatchObject({ total_backtracks: 1 })
    const none = await search(misleading, options, () => false)
    expect(none.outcome.status).toBe('partial')
    expect(none.stats).toMatchObject({ total_backtracks: 2 })
  })
})

describe('a search that finds nothing', () => {
  it('is widened once, asking again only where there may be more, then ends with the best path as partial', async () => {
    const options = { search: 'BFS', depth: 2, beam: 1, threshold: 0 }
    const { outcome, asked, notes, messages } = await search(SMALL, options, () => false)
    expect(asked.generated).toEqual(['root', 'a', 'root', 'b'])
    expect(outcome).toMatchObject({ status: 'partial', reason: 'no solution among 7 thoughts', result: 'a' })
    expect(notes('tot/adjusted')).toMatchObject([
      { error: { code: 'SEARCH_EXHAUSTED', recoverable: true }, change: expect.stringContaining('doubled') },
    ])
    expect(messages.at(-1)).toMatchObject({
      type: 'search_complete',
      error: { code: 'SEARCH_EXHAUSTED', recoverable: false },
      payload: { tree: { search_config: { beam_width: 2 } } },
    })
  })

  it('finds by being widened the candidates that were not asked for at first', async () => {
    const world: World = {
      root: [
        ['a', 8],
        ['b', 7],
        ['c', 6],
      ],
    }
    for (const merge of [true, false]) {
      for (const how of ['BFS', 'DFS', 'best-first', 'mcts']) {
        const options = { search: how, depth: 1, branching: 2, threshold: 0, merge, cap: true }
        const { outcome, stats } = await search(world, options, (answer) => answer === 'c')
        expect({ how, ...outcome }).toMatchObject({ how, status: 'completed', result: 'c' })
        expect(stats.total_nodes).toBe(4)
      }
    }
  })

  it('finds by being widened what the first beam had cut', async () => {
    const options = { search: 'BFS', depth: 2, beam: 1, threshold: 0 }
    const { outcome } = await search(SMALL, options, (answer) => answer === 'b1')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b1' })
  })

  it('tries by being widened the children that depth-first search had left out', async () => {
    const options = { search: 'DFS', depth: 2, branching: 1, threshold: 5 }
    const { outcome, asked } = await search(SMALL, options, (answer) => answer === 'b1')
    expect(outcome).toMatchObject({ status: 'completed', result: 'b1' })
    expect(asked.generated).toEqual(['root', 'a', 'b'])
  })
})

it('counts no way back twice when a search is widened and walks through what it knows', async () => {
  const world: World = {
    root: [
      ['a', 9],
      ['b', 8],
    ],
    a: [['a1', 7]],
    a1: [['a2', 6]],
    b: [['b1', 7]],
  }
  const options = { search: 'DFS', depth: 3, branching: 1, threshold: 0 }
  const { notes, asked } = await search(world, options, () => false)
  expect(asked.generated).toEqual(['root', 'a', 'a1', 'a', 'a1', 'b', 'b1'])
  expect((notes('tot/node-backtracked') as { node_id: string }[]).map(({ node_id }) => node_id)).toEqual([
    'node_2_1',
    'node_1_1',
    'node_2_2',
    'node_1_2',
  ])
})

/** Searches the world with programs as agents; the model would fail if it were asked. */
async function search(
  world: World,
  { cap = false, ...options }: Readonly<Record<string, unknown>>,
  verify: ((answer: string) => boolean) | null = null,
  seed = 'seed',
) {
  const asked: { generated: string[]; evaluated: string[] } = { generated: [], evaluated: [] }
  const scores = new Map<string, readonly [string, number, object?]>()
  const strategy = treeOfThoughts({
    name: 'world',
    ...(verify === null ? {} : { verify }),
    agents: {
      generator({ payload: { parent_node, num_candidates } }) {
        const name = parent_node.depth === 0 ? 'root' : parent_node.content
        asked.generated.push(name)
        const children = (world[name] ?? []).slice(0, cap ? num_candidates : undefined)
        for (const child of children) scores.set(child[0], child)
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
        const evaluations = candidates.map(({ id, content }) => {
          const [, score, more] = scores.get(content)!
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
  const messages = notes('tot/message') as ThoughtMessage[]
  const complete = messages.find(({ type }) => type === 'search_complete')
  const visits = (notes('tot/layer-start') as { expanding: string[] }[]).map(({ expanding }) => expanding)
  const { stats } = complete!.payload as ThoughtPayloads['search_complete']
  return { outcome, visits, notes, messages, stats, asked }
}

function notesOf(events: readonly Event[], name: string): unknown[] {
  return events.flatMap((event) => (event.type === 'note' && event.name === name ? [event.data] : []))
}
