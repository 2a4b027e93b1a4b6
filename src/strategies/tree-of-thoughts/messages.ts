/**
 * The protocol as JSON Schema, and the check of every answer where it comes in from an agent. The table is
 * published as protocol.schema.json. Fields that the document's own examples leave out are not required.
 */
import { ThinkonError } from '../../protocol/index.ts'
import { type JsonSchema, schemaProblem } from '../../schema/check-schema.ts'
import {
  AGENTS,
  type AgentName,
  EVALUATION_STRATEGIES,
  GENERATION_STRATEGIES,
  SEARCH_STRATEGIES,
  TASK_TYPES,
  THOUGHT_ERRORS,
  type ThoughtMessage,
  type ThoughtMessageType,
  type ThoughtPayloads,
} from './protocol.ts'

export const text = { type: 'string' }
const texts = { type: 'array', items: text }
const count = { type: 'integer', minimum: 0 }
export const anything = { type: 'object' }
export const score = { type: 'number', minimum: 0, maximum: 10 }
export const share = { type: 'number', minimum: 0, maximum: 1 }
export const taskType = { enum: [...TASK_TYPES] }
const nodes = { type: 'array', items: { $ref: '#/$defs/ThoughtNode' } }

/** Fields whose names end in `?` may be left out. */
export function object(fields: Readonly<Record<string, unknown>>): JsonSchema {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, shape]) => [name.replace('?', ''), shape])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
  }
}

const evaluation = object({ score, confidence: share, reasoning: text })

const nodeEvaluation = object({
  node_id: text,
  score,
  confidence: share,
  reasoning: text,
  'dimension_scores?': {
    ...object({ 'correctness?': score, 'progress?': score, 'feasibility?': score }),
    additionalProperties: score,
  },
})

export const DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  ThoughtNode: object({
    id: text,
    parent_id: { type: ['string', 'null'] },
    children_ids: texts,
    depth: count,
    content: text,
    action_type: text,
    evaluation: { ...evaluation, type: ['object', 'null'] },
    status: { enum: ['pending', 'expanded', 'pruned', 'terminal'] },
    'metadata?': anything,
  }),
  SearchConfig: object({
    strategy: { enum: [...SEARCH_STRATEGIES] },
    max_depth: { type: 'integer', minimum: 1 },
    branching_factor: { type: 'integer', minimum: 1 },
    'beam_width?': { type: 'integer', minimum: 1 },
    pruning_threshold: score,
  }),
  ThoughtTree: object({
    task_id: text,
    problem: text,
    task_type: taskType,
    search_config: { $ref: '#/$defs/SearchConfig' },
    nodes: { type: 'object', additionalProperties: { $ref: '#/$defs/ThoughtNode' } },
    root_id: text,
    search_state: object({ current_depth: count, frontier: texts, best_path: texts }),
  }),
  Candidate: object({ temp_id: text, content: text, action_type: text, 'metadata?': anything }),
  Error: object({ code: { enum: [...THOUGHT_ERRORS] }, message: text, recoverable: { type: 'boolean' } }),
}

const decomposition = object({
  thought_granularity: text,
  intermediate_steps: texts,
  depth_estimate: { type: 'number', minimum: 0 },
  constraints: texts,
  success_criteria: text,
  'evaluation_criteria?': texts,
})

/** The payloads of the ten messages, by type. */
export const PAYLOADS: Readonly<Record<ThoughtMessageType, JsonSchema>> = {
  decompose_task: object({ problem: text, task_type: taskType }),
  decomposition_result: decomposition,
  generate_thoughts: object({
    parent_node: { $ref: '#/$defs/ThoughtNode' },
    generation_strategy: { enum: [...GENERATION_STRATEGIES] },
    num_candidates: { type: 'integer', minimum: 1 },
    context: object({
      problem: text,
      goal: text,
      constraints: texts,
      'failed?': { type: 'array', items: object({ content: text, errors: texts }) },
    }),
  }),
  generated_thoughts: object({ candidates: { type: 'array', items: { $ref: '#/$defs/Candidate' } } }),
  evaluate_thoughts: object({
    candidates: nodes,
    evaluation_strategy: { enum: [...EVALUATION_STRATEGIES] },
    evaluation_criteria: texts,
    context: object({ problem: text, goal: text, current_depth: count, max_depth: count }),
  }),
  evaluation_results: object({
    evaluations: { type: 'array', items: nodeEvaluation },
    ranking: texts,
    pruning_suggestions: texts,
  }),
  initialize_search: object({
    problem: text,
    task_type: taskType,
    search_config: { $ref: '#/$defs/SearchConfig' },
    decomposition_result: decomposition,
  }),
  search_complete: object({
    best_path: nodes,
    tree: { $ref: '#/$defs/ThoughtTree' },
    stats: object({ total_nodes: count, total_backtracks: count, llm_calls: count }),
  }),
  synthesize_solution: object({ best_path: nodes, problem: text, task_type: taskType }),
  final_solution: object({
    answer: text,
    reasoning_trace: texts,
    confidence: share,
    verification: object({ is_valid: { type: 'boolean' }, 'validation_errors?': texts }),
    'alternative_solutions?': texts,
  }),
}

const ROUTES: Readonly<Record<ThoughtMessageType, readonly [from: AgentName, to: AgentName]>> = {
  decompose_task: ['orchestrator', 'decomposer'],
  decomposition_result: ['decomposer', 'orchestrator'],
  generate_thoughts: ['explorer', 'generator'],
  generated_thoughts: ['generator', 'explorer'],
  evaluate_thoughts: ['explorer', 'evaluator'],
  evaluation_results: ['evaluator', 'explorer'],
  initialize_search: ['orchestrator', 'explorer'],
  search_complete: ['explorer', 'orchestrator'],
  synthesize_solution: ['explorer', 'synthesizer'],
  final_solution: ['synthesizer', 'explorer'],
}

const envelope = (type: ThoughtMessageType) =>
  object({
    from: { enum: [...AGENTS] },
    to: { enum: [...AGENTS] },
    type: { enum: [type] },
    payload: PAYLOADS[type],
    task_id: text,
    'error?': { $ref: '#/$defs/Error' },
  })

const MESSAGES = Object.fromEntries(
  (Object.keys(PAYLOADS) as ThoughtMessageType[]).map((type) => [type, envelope(type)]),
) as Readonly<Record<ThoughtMessageType, JsonSchema>>

/** Each message's schema on its own. */
const WHOLE: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(MESSAGES).map(([type, schema]) => [type, { ...schema, $defs: DEFINITIONS }]),
)

/** The whole protocol as one JSON Schema, as protocol.schema.json holds it. */
export const PROTOCOL_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A message of the Tree of Thoughts protocol',
  anyOf: Object.keys(MESSAGES).map((type) => ({ $ref: `#/$defs/${type}` })),
  $defs: { ...DEFINITIONS, ...MESSAGES },
}

/** The message, or INVALID_FORMAT with what is wrong. */
export function checkMessage(value: unknown): ThoughtMessage {
  const type = (value as ThoughtMessage | null)?.type
  const schema = typeof type === 'string' && Object.hasOwn(WHOLE, type) ? WHOLE[type] : undefined
  if (schema === undefined) throw invalid(`"type" must be one of ${Object.keys(WHOLE).join(', ')}`, value)
  const problem = schemaProblem(value, schema)
  if (problem !== undefined) throw invalid(problem, value)
  return value as ThoughtMessage
}

/** An agent's answer in its envelope, checked. */
export function answerMessage<T extends ThoughtMessageType>(
  type: T,
  taskId: string,
  payload: unknown,
): ThoughtMessage<T> {
  const answer = message(type, taskId, payload as ThoughtPayloads[T])
  checkMessage(answer)
  return answer
}

/** A payload of our own in its envelope. It is made of checked parts: the tests, not every run, check the whole. */
export function message<T extends ThoughtMessageType>(
  type: T,
  taskId: string,
  payload: ThoughtPayloads[T],
): ThoughtMessage<T> {
  const [from, to] = ROUTES[type]
  return { from, to, type, payload, task_id: taskId } as ThoughtMessage<T>
}

function invalid(what: string, value: unknown): ThinkonError {
  return new ThinkonError('INVALID_FORMAT', `the message can't be used: ${what}`, {
    data: { text: JSON.stringify(value)?.slice(0, 500) },
  })
}
