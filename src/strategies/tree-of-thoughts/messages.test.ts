import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerMessage, checkMessage, message, PROTOCOL_SCHEMA } from './messages.ts'
import type { ThoughtMessageType } from './protocol.ts'

const node = {
  id: 'node_1_2',
  parent_id: 'root',
  children_ids: [],
  depth: 1,
  content: '13 - 9 = 4, 剩余: 4, 4, 10',
  action_type: 'subtraction',
  evaluation: { score: 7.5, confidence: 0.8, reasoning: '产生了4的倍数' },
  status: 'pending',
  metadata: {},
}
const root = { ...node, id: 'root', parent_id: null, depth: 0, evaluation: null }
const config = { strategy: 'BFS', max_depth: 3, branching_factor: 5, pruning_threshold: 5 }

/** The document's examples, as it gives them. */
const decomposition = {
  thought_granularity: 'single_equation',
  intermediate_steps: [
    'Step 1: 选择两个数字进行运算',
    'Step 2: 用结果与第三个数字运算',
    'Step 3: 得到目标数字24',
  ],
  depth_estimate: 3,
  constraints: ['必须使用所有数字各一次', '只能用+-×÷'],
  success_criteria: '最终结果等于24',
}

const EXAMPLES: Readonly<Record<ThoughtMessageType, object>> = {
  decompose_task: { problem: '用4、9、10、13得到24', task_type: 'math_reasoning' },
  decomposition_result: decomposition,
  generate_thoughts: {
    parent_node: root,
    generation_strategy: 'sequential_proposal',
    num_candidates: 5,
    context: { problem: 'x', goal: 'y', constraints: ['z'] },
  },
  generated_thoughts: {
    candidates: [
      { temp_id: 'cand_1', content: '13 - 9 = 4, 剩余: 4, 4, 10', action_type: 'subtraction' },
      { temp_id: 'cand_2', content: '10 + 4 = 14, 剩余: 9, 13, 14', action_type: 'addition' },
    ],
  },
  evaluate_thoughts: {
    candidates: [node],
    evaluation_strategy: 'independent_scoring',
    evaluation_criteria: ['correctness'],
    context: { problem: 'x', goal: 'y', current_depth: 1, max_depth: 3 },
  },
  evaluation_results: {
    evaluations: [
      {
        node_id: 'node_1_1',
        score: 7.5,
        confidence: 0.8,
        reasoning: '产生了4的倍数，剩余数字可组合成24',
        dimension_scores: { correctness: 10, progress: 5 },
      },
    ],
    ranking: ['node_1_1', 'node_1_2'],
    pruning_suggestions: [],
  },
  initialize_search: {
    problem: 'x',
    task_type: 'math_reasoning',
    search_config: config,
    decomposition_result: decomposition,
  },
  search_complete: {
    best_path: [root, node],
    tree: {
      task_id: 't',
      problem: 'x',
      task_type: 'math_reasoning',
      search_config: config,
      nodes: { root, node_1_2: node },
      root_id: 'root',
      search_state: { current_depth: 1, frontier: [], best_path: ['root'] },
    },
    stats: { total_nodes: 2, total_backtracks: 0, llm_calls: 4 },
  },
  synthesize_solution: { best_path: [root, node], problem: 'x', task_type: 'math_reasoning' },
  final_solution: {
    answer: '(10 - (13 - 9)) × 4 = 24',
    reasoning_trace: ['步骤1: 用13减9得到4', '步骤2: 用10减去上一步的4得到6', '步骤3: 用6乘以剩余的4得到24'],
    confidence: 1,
    verification: { is_valid: true },
  },
}

describe("the protocol's messages", () => {
  it.each(Object.entries(EXAMPLES))('takes the %s of the document', (type, payload) => {
    const said = answerMessage(type as ThoughtMessageType, 'tot-20251030-143056-a3f7b2', payload)
    expect(checkMessage(said)).toBe(said)
  })

  it.each([
    ['no type', { type: undefined }, '"type"'],
    ['an unknown type', { type: 'think_harder' }, '"type"'],
    ['the name of an inherited property as type', { type: 'constructor' }, '"type"'],
    ['an unknown agent', { from: 'boss' }, 'from must be one of'],
    ['no task', { task_id: undefined }, 'task_id is missing'],
    ['no payload', { payload: undefined }, 'payload is missing'],
    ['no ranking', { payload: { evaluations: [], pruning_suggestions: [] } }, 'payload.ranking is missing'],
    [
      'a score over 10',
      { payload: scored({ score: 11 }) },
      'payload.evaluations[0].score must be at most 10',
    ],
    ['a score that is a text', { payload: scored({ score: '7' }) }, 'must be a number'],
    ['a confidence in percent', { payload: scored({ confidence: 80 }) }, 'must be at most 1'],
    ['an unknown error code', { error: { code: 'OOPS', message: '', recoverable: true } }, 'error.code'],
  ])('refuses %s', (_what, change, why) => {
    const said = answerMessage('evaluation_results', 't', EXAMPLES.evaluation_results)
    expect(() => checkMessage({ ...said, ...change })).toThrow(why)
  })

  it('a message may carry one of the four errors', () => {
    const said = message('generated_thoughts', 't', { candidates: [] })
    const error = { code: 'GENERATION_FAILED', message: 'no reply', recoverable: true }
    expect(checkMessage({ ...said, error })).toMatchObject({ error })
  })

  it('protocol.schema.json is the schema that the check uses', () => {
    const published = JSON.parse(readFileSync(join(import.meta.dirname, 'protocol.schema.json'), 'utf8'))
    expect(published).toEqual(PROTOCOL_SCHEMA)
  })
})

function scored(change: object): object {
  const [first] = (EXAMPLES.evaluation_results as { evaluations: object[] }).evaluations
  return { ...EXAMPLES.evaluation_results, evaluations: [{ ...first, ...change }] }
}
