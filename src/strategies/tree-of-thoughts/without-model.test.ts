// The example of docs/tree-of-thoughts.md: a generator and an evaluator of one's own, in an engine to which no model is given.
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../index.ts'
import { type TreeOfThoughts, treeOfThoughts } from '../index.ts'

const generator: NonNullable<TreeOfThoughts['agents']>['generator'] = ({ payload: { parent_node } }) => ({
  candidates: ['queen', 'rook', 'knight'].map((piece, i) => ({
    temp_id: `move_${i + 1}`,
    content: `${piece} to h${parent_node.depth + 5}`,
    action_type: 'move',
  })),
})

const evaluator: NonNullable<TreeOfThoughts['agents']>['evaluator'] = ({ payload: { candidates } }) => ({
  evaluations: candidates.map(({ id, content }) => ({
    node_id: id,
    score: content.startsWith('rook') ? 9 : 4,
    confidence: 1,
    reasoning: 'by the table of pieces',
  })),
  ranking: [],
  pruning_suggestions: [],
})

const GOAL =
  'Find the fastest mate for white. Write it for beginners, in at most 200 characters, move by move.'

async function solve(given: TreeOfThoughts, options: Record<string, unknown> = {}) {
  const engine = createEngine({ strategies: [treeOfThoughts({ name: 'chess', ...given })] })
  try {
    const run = await engine.start(GOAL, { strategy: 'chess', options })
    const outcome = await run.outcome
    const calls = [...(await engine.events(run.id))].filter(({ type }) => type === 'model-start')
    return { outcome, calls }
  } finally {
    await engine.close()
  }
}

describe('own agents', () => {
  it.each(['BFS', 'DFS', 'best-first', 'mcts'])('work without a model: %s', async (search) => {
    const { outcome, calls } = await solve({ agents: { generator, evaluator } }, { search, depth: 2 })
    expect(outcome).toMatchObject({ status: 'completed', result: 'rook to h5\nrook to h6' })
    expect(calls).toEqual([])
  })

  it('are verified by a function, without a model', async () => {
    const { outcome } = await solve(
      { agents: { generator, evaluator }, verify: (answer) => answer === 'knight to h6' },
      { depth: 2 },
    )
    expect(outcome).toMatchObject({ status: 'completed', result: expect.stringContaining('knight to h6') })
  })

  it('that leave something to a model are refused where none is connected, before the run begins', async () => {
    await expect(solve({ agents: { generator } })).rejects.toMatchObject({ code: 'NO_MODEL' })
  })
})
