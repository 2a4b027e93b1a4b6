import { describe, expect, it } from 'vitest'
import { TASK_ID, walk } from '../../../../tests/views/game24-walk.ts'
import { journal } from '../../../../tests/views/journal.ts'
import { createBlockViews } from '../../../views/block-views.ts'
import type { ThoughtNode } from '../protocol.ts'
import { foldThought, foldThoughts } from './fold-thoughts.ts'
import { view } from './index.ts'
import { bestPathOf, bestScoreOf, emptySearch, type ThoughtSearch, treeOf } from './thought-tree.ts'
import { thoughtsDetail } from './thoughts-detail.ts'

function searchOf(events: ReturnType<typeof walk>['events'], path = '1'): ThoughtSearch {
  return foldThoughts(events, path)
}

/** The blocks that are drawn as searches. */
function drawnPaths(events: ReturnType<typeof walk>['events']): string[] {
  const views = createBlockViews(new Map([['tot', view]]))
  for (const event of events) views.follow(event)
  const paths = new Set(events.map(({ path }) => path))
  return [...paths].filter((path) => views.of(path) === view)
}

const node = (id: string, parent: string | null, depth: number): ThoughtNode => ({
  id,
  parent_id: parent,
  children_ids: [],
  depth,
  content: id,
  action_type: 'step',
  evaluation: null,
  status: 'pending',
})

describe('the fold of a search', () => {
  it('has the tree with rounds, scores, what was pruned, merged, remembered and verified', () => {
    const search = searchOf(walk().events)
    const { thoughts } = search
    expect(search.taskId).toBe(TASK_ID)
    expect([...thoughts.keys()]).toHaveLength(10)
    expect(thoughts.get('node_2_1')?.round).toBe(2)
    expect(thoughts.get('node_1')?.node.evaluation?.score).toBe(8)
    expect(thoughts.get('node_1')?.node.children_ids).toEqual(['node_1_1', 'node_1_2'])
    expect(thoughts.get('node_3')?.node.status).toBe('pruned')
    expect(thoughts.get('node_2_2')).toMatchObject({ mergedInto: 'node_2_1', remembered: true })
    expect(thoughts.get('node_1_1_1')).toMatchObject({ verified: true, node: { status: 'terminal' } })
    expect(thoughts.get('node_1_1_2')?.verified).toBe(false)
    expect(search.bestPath).toEqual(['root', 'node_1', 'node_1_1', 'node_1_1_1'])
    expect(bestScoreOf(search)).toBe(10)
  })

  it("is the document's tree, with every field", () => {
    const tree = treeOf(searchOf(walk().events))
    expect(Object.keys(tree)).toEqual([
      'task_id',
      'problem',
      'task_type',
      'search_config',
      'nodes',
      'root_id',
      'search_state',
    ])
    expect(tree.root_id).toBe('root')
    expect(tree.search_state).toEqual({
      current_depth: 3,
      frontier: [],
      best_path: ['root', 'node_1', 'node_1_1', 'node_1_1_1'],
    })
  })

  it('is the same event by event and at once', () => {
    const { events } = walk()
    const search = emptySearch('1')
    for (const event of events) foldThought(search, event)
    expect(search).toEqual(searchOf(events))
  })

  it('folds every beginning of a journal, and then shows the best of the deepest thoughts', () => {
    const { events } = walk()
    for (let n = 1; n <= events.length; n++) searchOf(events.slice(0, n))
    const killed = searchOf(walk(journal(), { killedBefore: 'tot/solution-verified' }).events)
    expect(killed.outcome).toBeNull()
    expect(bestPathOf(killed)).toEqual(['root', 'node_1', 'node_1_1', 'node_1_1_1'])
  })

  it('takes the searches of a run apart, and leaves other blocks alone', () => {
    const made = journal().start('1', 'both', 'fractal@1')
    walk(made, { path: '1-1', taskId: 'tot-20260304-050607-aaaaaa' })
    walk(made, { path: '1-2#2', taskId: 'tot-20260304-050608-bbbbbb', killedBefore: 'tot/best-path' })
    made.note('1', 'fractal/thought', { round: 9, depth: 9, expanding: [] })
    expect(drawnPaths(made.events)).toEqual(['1-1', '1-2#2'])
    expect(searchOf(made.events, '1-2#2').taskId).toBe('tot-20260304-050608-bbbbbb')
  })

  it('knows a strategy of another name by the notes it leaves', () => {
    const { events } = walk()
    const renamed = events.map((event) =>
      event.type === 'block-start' ? { ...event, strategy: 'mine@1' } : event,
    )
    expect(drawnPaths(renamed)).toEqual(drawnPaths(events))
    expect(searchOf(renamed)).toEqual(searchOf(events))
  })

  it('takes up again what was cut before, and counts the ways back', () => {
    const made = journal()
      .start('1', 'deep', 'tot@1')
      .note('1', 'tot/nodes-added', { parent_id: null, nodes: [node('root', null, 0)] })
      .note('1', 'tot/nodes-added', {
        parent_id: 'root',
        nodes: [node('a', 'root', 1), node('b', 'root', 1)],
      })
      .note('1', 'tot/layer-selected', { round: 1, depth: 1, kept: ['a'], pruned: ['b'] })
      .note('1', 'tot/node-backtracked', { node_id: 'a', to: 'root', why: 'low' })
      .note('1', 'tot/layer-selected', { round: 2, depth: 1, kept: ['b'], pruned: [] })
    const search = searchOf(made.events)
    expect(search.thoughts.get('b')?.node.status).toBe('pending')
    expect(search.backtracks).toBe(1)
  })

  it('takes the tree of a search that found nothing, too: it may have been widened', () => {
    const config = { strategy: 'BFS', max_depth: 1, branching_factor: 3, pruning_threshold: 5 }
    const tree = {
      task_id: TASK_ID,
      problem: 'hopeless',
      task_type: 'planning',
      search_config: { ...config, branching_factor: 6 },
      nodes: { root: node('root', null, 0), a: { ...node('a', 'root', 1), status: 'terminal' } },
      root_id: 'root',
      search_state: { current_depth: 1, frontier: [], best_path: ['root', 'a'] },
    }
    const made = journal()
      .start('1', 'hopeless', 'tot@1')
      .note('1', 'tot/task-chosen', { task_id: TASK_ID, task_type: 'planning', search_config: config })
      .note('1', 'tot/message', {
        from: 'explorer',
        to: 'orchestrator',
        type: 'search_complete',
        task_id: TASK_ID,
        payload: { best_path: [], tree, stats: { total_nodes: 2, total_backtracks: 0, llm_calls: 0 } },
        error: { code: 'SEARCH_EXHAUSTED', message: 'no solution', recoverable: false },
      })
    const search = searchOf(made.events)
    expect(search.config?.branching_factor).toBe(6)
    expect(search.thoughts.get('a')?.node.status).toBe('terminal')
  })

  it('passes over notes without data and nodes that nobody added', () => {
    const made = journal()
      .start('1', 'odd', 'tot@1')
      .note('1', 'tot/nodes-added', null)
      .note('1', 'tot/message', 'hello')
      .note('1', 'tot/nodes-evaluated', {
        evaluations: [{ node_id: 'x', score: 1, confidence: 1, reasoning: '' }],
      })
      .note('1', 'tot/best-path', {})
    const search = searchOf(made.events)
    expect(search.thoughts.size).toBe(0)
    expect(treeOf(search)).toMatchObject({ task_id: '', task_type: null, nodes: {} })
    expect(bestScoreOf(search)).toBeNull()
  })
})

it('in a pipe a layer counts what was refuted, and one that is only gone through again is not told', () => {
  const made = journal()
    .start('1', 'wide', 'tot@1')
    .note('1', 'tot/layer-start', { round: 1, depth: 1, expanding: ['root'] })
    .note('1', 'tot/nodes-added', {
      parent_id: 'root',
      nodes: [node('a', 'root', 1), node('b', 'root', 1)],
    })
    .note('1', 'tot/solution-verified', { node_id: 'a', answer: 'a', is_valid: false })
    .note('1', 'tot/layer-selected', { round: 1, depth: 1, kept: ['b'], pruned: [] })
    .note('1', 'tot/layer-start', { round: 2, depth: 2, expanding: ['b'] })
    .note('1', 'tot/layer-selected', { round: 2, depth: 2, kept: [], pruned: [] })
    .note('1', 'tot/layer-selected', { round: 2, depth: 1, kept: ['b'], pruned: [] })
  const detail = thoughtsDetail('1', 'wide')
  const told = made.events.flatMap((event) => {
    detail.follow(event)
    if (event.type !== 'note') return []
    return detail.news?.(event, 'en')?.map(({ text }) => text) ?? []
  })
  expect(told).toEqual(['round 1: 2 candidates, 1 kept', 'round 2: 0 candidates, 0 kept'])
})
