/** The notes of a small search for 24 from 4, 9, 10, 13: three layers, a merged state, a remembered value, a verified answer. */
import type { Goal } from '../../src/protocol/index.ts'
import type {
  AgentName,
  SearchConfig,
  ThoughtMessageType,
  ThoughtNode,
  ThoughtPayloads,
  ThoughtTree,
} from '../../src/strategies/tree-of-thoughts/protocol.ts'
import { type Journal, journal } from './journal.ts'

export const TASK_ID = 'tot-20260304-050607-a3f7b2'
export const PROBLEMS = { en: 'Make 24 from 4, 9, 10 and 13', zh: '用4、9、10、13得到24' }

const CONFIG: SearchConfig = {
  strategy: 'BFS',
  max_depth: 3,
  branching_factor: 3,
  pruning_threshold: 5,
  beam_width: 2,
}

type Candidate = [content: string, score: number, reasoning: string]

const WORDS = {
  en: {
    left: 'left',
    steps: ['choose two numbers', 'use the result', 'reach 24'],
    good: 'can reach 24',
    bad: 'too large',
    criteria: 'the result is 24',
  },
  zh: {
    left: '剩余',
    steps: ['选择两个数字进行运算', '用结果与第三个数字运算', '得到目标数字24'],
    good: '剩余数字可组合成24',
    bad: '数字过大',
    criteria: '最终结果等于24',
  },
}

export interface WalkOptions {
  lang?: 'en' | 'zh'
  path?: string
  goal?: Goal
  taskId?: string
  options?: unknown
  /** Ends the journal before this note, without an end of the block. */
  killedBefore?: string
}

/** Adds a whole search to a journal. */
export function walk(to: Journal = journal(), given: WalkOptions = {}): Journal {
  const { lang = 'en', path = '1', taskId = TASK_ID, killedBefore } = given
  const words = WORDS[lang]
  const problem = given.goal ?? PROBLEMS[lang]
  const text = problem as string
  const nodes = new Map<string, ThoughtNode>()
  let killed = false

  const note = (name: string, data: unknown) => {
    killed ||= name === killedBefore
    if (!killed) to.note(path, name, data)
  }
  const model = (kind: string) => {
    if (!killed) to.model(path, kind)
  }
  const tell = <K extends ThoughtMessageType>(
    from: AgentName,
    toAgent: AgentName,
    type: K,
    payload: ThoughtPayloads[K],
  ) => note('tot/message', { from, to: toAgent, type, payload, task_id: taskId })

  const root: ThoughtNode = {
    id: 'root',
    parent_id: null,
    children_ids: [],
    depth: 0,
    content: text,
    action_type: 'root',
    evaluation: null,
    status: 'pending',
  }
  nodes.set('root', root)

  const expand = (
    depth: number,
    parentId: string,
    found: readonly Candidate[],
    remembered: string[] = [],
  ) => {
    const parent = nodes.get(parentId) as ThoughtNode
    const context = { problem: text, goal: words.criteria, constraints: [] }
    tell('explorer', 'generator', 'generate_thoughts', {
      parent_node: parent,
      generation_strategy: 'sequential_proposal',
      num_candidates: 3,
      context,
    })
    model('tot/generate')
    tell('generator', 'explorer', 'generated_thoughts', {
      candidates: found.map(([content], i) => ({
        temp_id: `cand_${i + 1}`,
        content,
        action_type: 'equation',
      })),
    })
    const added = found.map(
      ([content], i): ThoughtNode => ({
        id: `${parentId === 'root' ? 'node' : parentId}_${i + 1}`,
        parent_id: parentId,
        children_ids: [],
        depth,
        content,
        action_type: 'equation',
        evaluation: null,
        status: 'pending',
      }),
    )
    for (const node of added) nodes.set(node.id, node)
    note('tot/nodes-added', { parent_id: parentId, nodes: added })
    tell('explorer', 'evaluator', 'evaluate_thoughts', {
      candidates: added,
      evaluation_strategy: 'independent_scoring',
      evaluation_criteria: ['correctness', 'progress'],
      context: { problem: text, goal: words.criteria, current_depth: depth, max_depth: 3 },
    })
    for (const _ of added) model('tot/evaluate')
    const evaluations = added.map(({ id }, i) => {
      const [, score, reasoning] = found[i] as Candidate
      return { node_id: id, score, confidence: 0.8, reasoning }
    })
    const ranking = [...evaluations].sort((a, b) => b.score - a.score).map(({ node_id }) => node_id)
    tell('evaluator', 'explorer', 'evaluation_results', { evaluations, ranking, pruning_suggestions: [] })
    note('tot/nodes-evaluated', { evaluations, remembered })
  }

  to.start(path, problem, 'tot@1', given.options)
  tell('orchestrator', 'decomposer', 'decompose_task', { problem: text, task_type: 'math_reasoning' })
  model('tot/decompose')
  const decomposition = {
    thought_granularity: 'equation',
    intermediate_steps: words.steps,
    depth_estimate: 3,
    constraints: [],
    success_criteria: words.criteria,
  }
  tell('decomposer', 'orchestrator', 'decomposition_result', decomposition)
  note('tot/task-chosen', {
    task_id: taskId,
    task_type: 'math_reasoning',
    search_config: CONFIG,
    reason: lang === 'en' ? 'numbers and a target' : '数字与目标',
  })
  tell('orchestrator', 'explorer', 'initialize_search', {
    problem: text,
    task_type: 'math_reasoning',
    search_config: CONFIG,
    decomposition_result: decomposition,
  })
  note('tot/layer-start', { round: 1, depth: 1, expanding: ['root'] })
  expand(1, 'root', [
    [`13 - 9 = 4 (${words.left}: 4, 4, 10)`, 8, words.good],
    [`10 + 4 = 14 (${words.left}: 9, 13, 14)`, 6.5, words.good],
    [`9 × 13 = 117 (${words.left}: 4, 10, 117)`, 1.5, words.bad],
  ])
  note('tot/layer-selected', {
    round: 1,
    depth: 1,
    kept: ['node_1', 'node_2'],
    pruned: ['node_3'],
    merged: [],
  })
  note('tot/layer-start', { round: 2, depth: 2, expanding: ['node_1', 'node_2'] })
  expand(2, 'node_1', [
    [`10 - 4 = 6 (${words.left}: 4, 6)`, 9, words.good],
    [`4 + 4 = 8 (${words.left}: 8, 10)`, 5.5, words.good],
  ])
  expand(
    2,
    'node_2',
    [
      [`13 - 9 = 4 (${words.left}: 4, 14)`, 5, words.good],
      [`14 - 13 = 1 (${words.left}: 1, 9)`, 2, words.bad],
    ],
    ['node_2_2'],
  )
  note('tot/layer-selected', {
    round: 2,
    depth: 2,
    kept: ['node_1_1', 'node_1_2'],
    pruned: ['node_2_1'],
    merged: [{ id: 'node_2_2', into: 'node_2_1' }],
  })
  note('tot/layer-start', { round: 3, depth: 3, expanding: ['node_1_1', 'node_1_2'] })
  expand(3, 'node_1_1', [
    ['6 × 4 = 24', 10, words.good],
    ['6 - 4 = 2', 0, words.bad],
  ])
  note('tot/solution-verified', {
    node_id: 'node_1_1_2',
    answer: '(10 - (13 - 9)) - 4',
    is_valid: false,
    errors: ['2'],
  })
  note('tot/solution-verified', {
    node_id: 'node_1_1_1',
    answer: '(10 - (13 - 9)) × 4 = 24',
    is_valid: true,
    errors: [],
  })
  note('tot/layer-selected', { round: 3, depth: 3, kept: ['node_1_1_1'], pruned: ['node_1_1_2'], merged: [] })
  const best = ['root', 'node_1', 'node_1_1', 'node_1_1_1']
  note('tot/best-path', { path: best, score: 10 })
  const bestPath = best.map((id) => nodes.get(id) as ThoughtNode)
  tell('explorer', 'synthesizer', 'synthesize_solution', {
    best_path: bestPath,
    problem: text,
    task_type: 'math_reasoning',
  })
  tell('synthesizer', 'explorer', 'final_solution', {
    answer: '(10 - (13 - 9)) × 4 = 24',
    reasoning_trace: ['13 - 9 = 4', '10 - 4 = 6', '6 × 4 = 24'],
    confidence: 1,
    verification: { is_valid: true },
  })
  if (killedBefore === undefined) {
    const tree: Partial<ThoughtTree> = {
      task_id: taskId,
      nodes: {},
      root_id: 'root',
      search_state: { current_depth: 3, frontier: [], best_path: best },
    }
    tell('explorer', 'orchestrator', 'search_complete', {
      best_path: bestPath,
      tree: tree as ThoughtTree,
      stats: { total_nodes: 10, total_backtracks: 0, llm_calls: 14 },
    })
  }
  if (!killed) to.end(path, { status: 'completed', result: '(10 - (13 - 9)) × 4 = 24' })
  return to
}
