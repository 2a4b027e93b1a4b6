import { describe, expect, it } from 'vitest'
import { createEngine } from '../../index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { treeOfThoughts } from './index.ts'
import type { ThoughtMessage, ThoughtNode, ThoughtPayloads } from './protocol.ts'
import type { TreeOfThoughts } from './setup.ts'

const noModel = new ScriptedModel(() => {
  throw new Error('no model is to be asked')
})

async function search(given: TreeOfThoughts, problem: string) {
  const engine = createEngine({ model: noModel, strategies: [treeOfThoughts({ name: 'mine', ...given })] })
  const run = await engine.start(problem, { strategy: 'mine' })
  const outcome = await run.outcome
  const messages: ThoughtMessage[] = []
  for (const event of await engine.events(run.id))
    if (event.type === 'note' && event.name === 'tot/message') messages.push(event.data as ThoughtMessage)
  const { differences } = await engine.replay(run.id)
  await engine.close()
  return { outcome, messages, differences }
}

function node(id: string, parent: string | null, content: string): ThoughtNode {
  const depth = parent === null ? 0 : 1
  return {
    id,
    parent_id: parent,
    children_ids: parent === null ? ['node_1_1'] : [],
    depth,
    content,
    action_type: 'guess',
    evaluation: null,
    status: 'terminal',
  }
}

/** A search that knows the answer at once. */
function explorer({
  payload,
  task_id,
}: ThoughtMessage<'initialize_search'>): ThoughtPayloads['search_complete'] {
  const path = [node('root', null, payload.problem), node('node_1_1', 'root', 'seven')]
  return {
    best_path: path,
    tree: {
      task_id,
      problem: payload.problem,
      task_type: payload.task_type,
      search_config: payload.search_config,
      nodes: Object.fromEntries(path.map((one) => [one.id, one])),
      root_id: 'root',
      search_state: { current_depth: 1, frontier: [], best_path: path.map(({ id }) => id) },
    },
    stats: { total_nodes: 2, total_backtracks: 0, llm_calls: 0 },
  }
}

const orchestrator = () => ({ task_type: 'planning' as const, search_config: { max_depth: 1 } })

describe("a caller's own Orchestrator and Explorer", () => {
  it('choose and search instead of model and code, as steps; the answer is verified like any other', async () => {
    const verify = (answer: string) => answer === 'seven'
    const { outcome, messages, differences } = await search(
      { agents: { orchestrator, explorer }, verify },
      'a lucky number',
    )
    expect(outcome).toMatchObject({ status: 'completed', result: 'seven' })
    expect(messages.find(({ type }) => type === 'initialize_search')?.payload).toMatchObject({
      task_type: 'planning',
      search_config: { strategy: 'DFS', max_depth: 1 },
    })
    expect(messages.map(({ type }) => type)).toEqual([
      'decompose_task',
      'decomposition_result',
      'initialize_search',
      'synthesize_solution',
      'final_solution',
      'search_complete',
    ])
    expect(differences).toEqual([])
  })

  it('return the whole path, and the other ends of their tree as alternatives', async () => {
    const long: typeof explorer = (request) => {
      const found = explorer(request)
      const end = { ...node('node_2_1', 'node_1_1', 'times two'), depth: 2 }
      const other = { ...node('node_2_2', 'node_1_1', 'times three'), depth: 2 }
      const first = { ...node('node_1_1', 'root', 'seven'), status: 'expanded' as const }
      const nodes = { ...found.tree.nodes, node_1_1: first, node_2_1: end, node_2_2: other }
      const best_path = [found.best_path[0] as ThoughtNode, first, end]
      return { ...found, best_path, tree: { ...found.tree, nodes } }
    }
    const { outcome, messages } = await search({ agents: { orchestrator, explorer: long } }, 'a lucky number')
    expect(outcome).toMatchObject({ status: 'completed', result: 'seven\ntimes two' })
    const said = messages.find(({ type }) => type === 'final_solution')
    expect(said?.payload).toMatchObject({ alternative_solutions: ['seven\ntimes three'] })
  })

  it('an answer that does not hold is partial', async () => {
    const { outcome, messages } = await search(
      { agents: { orchestrator, explorer }, verify: () => ({ is_valid: false, errors: ['eight it is'] }) },
      'a lucky number',
    )
    expect(outcome).toMatchObject({ status: 'partial', result: 'seven' })
    const said = messages.find(({ type }) => type === 'final_solution')
    expect(said?.payload).toMatchObject({
      verification: { is_valid: false, validation_errors: ['eight it is'] },
    })
  })

  it('a Synthesizer that spoils what the Explorer found is not heeded', async () => {
    const synthesizer = () => ({
      answer: 'eight',
      reasoning_trace: [],
      confidence: 1,
      verification: { is_valid: true },
    })
    const verify = (answer: string) => answer === 'seven'
    const { outcome } = await search(
      { agents: { orchestrator, explorer, synthesizer }, verify },
      'a lucky number',
    )
    expect(outcome).toMatchObject({ status: 'completed', result: 'seven' })
  })

  it('an Explorer that found no path, only the root, fails the block as exhausted', async () => {
    const idle: typeof explorer = (request) => {
      const found = explorer(request)
      return { ...found, best_path: found.best_path.slice(0, 1) }
    }
    const { outcome, messages } = await search({ agents: { orchestrator, explorer: idle } }, 'a lucky number')
    expect(outcome).toMatchObject({ status: 'failed', result: '' })
    expect(messages.at(-1)).toMatchObject({ type: 'search_complete', error: { code: 'SEARCH_EXHAUSTED' } })
  })

  it('what they answer wrongly fails the block with what is wrong', async () => {
    const broken = () => ({ best_path: [] }) as never
    const wrong = await search({ agents: { orchestrator, explorer: broken } }, 'a lucky number')
    expect(wrong.outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
    expect(wrong.messages.at(-1)).toMatchObject({
      type: 'search_complete',
      error: { code: 'INVALID_FORMAT', recoverable: false },
    })
    const unknown = () => ({ task_type: 'magic' }) as never
    const untyped = await search({ agents: { orchestrator: unknown, explorer } }, 'a lucky number')
    expect(untyped.outcome.reason).toContain('math_reasoning')
    const wild = () => ({ task_type: 'planning', search_config: { max_depth: 0 } }) as never
    const deep = await search({ agents: { orchestrator: wild, explorer } }, 'a lucky number')
    expect(deep.outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
    expect(deep.outcome.reason).toContain('search_config.max_depth')
  })

  it('a breadth-first search that the Orchestrator chose has the usual beam', async () => {
    const broad = () => ({ task_type: 'planning' as const, search_config: { strategy: 'BFS' as const } })
    const { messages } = await search({ agents: { orchestrator: broad, explorer } }, 'a lucky number')
    expect(messages.find(({ type }) => type === 'initialize_search')?.payload).toMatchObject({
      search_config: { strategy: 'BFS', beam_width: 5 },
    })
  })

  it('without an Orchestrator no model is asked for the type of task either', async () => {
    const { outcome } = await search({ agents: { explorer } }, 'a lucky number')
    expect(outcome).toMatchObject({ status: 'completed', result: 'seven' })
  })
})
