import { describe, expect, it } from 'vitest'
import { prover, type Script, solve } from '../../../tests/tot/solve.ts'
import { search, type World } from '../../../tests/tot/world.ts'

/** Each tree comes to the answer that its place in the list says. */
function answering(...answers: string[]): Script {
  const paths = new Map<string, string>()
  return (request) => {
    const { kind, input } = request
    if (kind === 'tot/vote') {
      const { candidates } = input as { candidates: { node_id: string; thoughts: string[] }[] }
      const values = { confidence: 0.9, reasoning: 'compared', dimension_scores: {} }
      return {
        evaluations: candidates.map(({ node_id }) => ({ node_id, score: 5, ...values })),
        best: candidates.find(({ thoughts }) => thoughts[0] === 'the best')?.node_id,
      }
    }
    if (kind !== 'tot/synthesize') return prover()(request)
    const tree = `${paths.size}`
    paths.set(tree, answers[paths.size] ?? '')
    const verification = { is_valid: paths.get(tree) !== 'wrong' }
    return { answer: paths.get(tree), reasoning_trace: [], confidence: 0.9, verification }
  }
}

const OPTIONS = { task_type: 'planning', depth: 1, trees: 3 }

describe('several trees', () => {
  it('the answer that most of them came to is elected', async () => {
    const { outcome, notes, state } = await solve('where to go', answering('Rome', 'Paris', 'paris '), {
      options: OPTIONS,
    })
    expect(outcome).toMatchObject({
      status: 'completed',
      result: 'Paris',
      details: '2 of 3 trees came to this answer',
    })
    expect(state.blocks.size).toBe(1 + 3)
    expect(notes('tot/trees-voted')).toMatchObject([
      { answers: [{ answer: 'Rome' }, { answer: 'Paris' }, { answer: 'paris ' }], elected: 1 },
    ])
    expect(notes('loop-found')).toEqual([])
  })

  it('only answers that hold are up for election', async () => {
    const { outcome } = await solve('where to go', answering('wrong', 'wrong', 'Rome'), { options: OPTIONS })
    expect(outcome).toMatchObject({ status: 'completed', result: 'Rome' })
  })

  it('of answers that all differ ballots elect one', async () => {
    const { outcome, model } = await solve('a slogan', answering('good', 'better', 'the best'), {
      options: OPTIONS,
    })
    expect(outcome.result).toBe('the best')
    expect(model.calls.filter(({ kind }) => kind === 'tot/vote')).toHaveLength(3)
  })

  it('one after the other end with the first verified answer, and the later ones go other ways', async () => {
    const world: World = { root: [8, 7.9, 7.8, 7.7].map((score, i) => [`way ${i + 1}`, score] as const) }
    for (let i = 0; i < 5; i++) {
      const options = { search: 'BFS', depth: 2, beam: 1, trees: 40, concurrency: 1, widen: false }
      const below = { 'way 1': [['no', 5]], 'way 2': [['no', 5]], 'way 3': [['yes', 5]] } as World
      const found = await search({ ...world, ...below }, options, (answer) => answer === 'yes', `seed ${i}`)
      expect(found.outcome).toMatchObject({ status: 'completed', result: 'way 3\nyes' })
      const trees = found.asked.generated.filter((content) => content === 'root').length
      expect(trees).toBeGreaterThan(1)
      expect(trees).toBeLessThan(40)
    }
  })
})
