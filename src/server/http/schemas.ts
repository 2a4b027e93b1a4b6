/** What requests and answers consist of. Those with a title stand once in the OpenAPI document, by that name. */
import { ENDED, STANDINGS } from '../../protocol/index.ts'
import { GOAL, LIMITS, START_REQUEST } from '../start-request.ts'

export const object = <P extends Readonly<Record<string, object>>>(
  properties: P,
  required?: readonly (keyof P & string)[],
) => ({
  type: 'object' as const,
  properties,
  required: required ?? Object.keys(properties),
})

export const list = <I extends object>(items: I) => ({ type: 'array' as const, items })
export const text = (description: string) => ({ type: 'string' as const, description })
const count = { type: 'integer', minimum: 0 } as const

export const RUN = { type: 'string', minLength: 1, maxLength: 200, description: "The run's id." } as const
export const SEQ = { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 } as const
export const PATH = {
  type: 'string',
  minLength: 1,
  maxLength: 1_000,
  description: "The block's path: 1 is the root, 1-2 its second child.",
} as const
export const STATUS = { enum: STANDINGS } as const

export const USAGE = {
  title: 'Usage',
  ...object(
    {
      calls: count,
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: count,
      lostTokens: count,
      costUsd: { type: 'number' },
    },
    ['calls', 'inputTokens', 'outputTokens'],
  ),
} as const

export const OUTCOME = {
  title: 'Outcome',
  description: 'How a run or a block ended.',
  ...object(
    {
      status: { enum: ENDED },
      result: { type: 'string' },
      reason: { type: 'string' },
      value: { description: 'Of a run with an output schema.' },
      usage: USAGE,
    },
    ['status', 'result', 'usage'],
  ),
} as const

const rowProperties = {
  id: { type: 'string' },
  goal: GOAL,
  strategy: { type: 'string' },
  status: {
    ...STATUS,
    description:
      'running: a process works on it; waiting: for a person, its caller or its model (`waitsFor`); stopped: it has not ended, and no process works on it.',
  },
  waitsFor: { enum: ['person', 'caller', 'model', null], description: 'Null unless it is waiting.' },
  seq: { ...count, description: 'The number of its last event.' },
  createdAt: { type: 'string' },
  changedAt: { type: 'string' },
  forkOf: { type: ['string', 'null'] },
  owned: { type: 'boolean', description: 'Whether a living process works on it.' },
} as const

const setAside = {
  type: 'string',
  description:
    'Why the service does not resume the run, if it crashed the process twice; a resume tries it again.',
} as const

export const LISTED_ROW = {
  title: 'ListedRun',
  ...object(
    {
      ...rowProperties,
      setAside,
      figures: {
        description: 'If they were asked for; null for a run whose journal can not be read.',
        anyOf: [
          {
            title: 'RunFigures',
            ...object({
              model: { type: ['string', 'null'] },
              usage: USAGE,
              activeMs: { type: 'number' },
              openQuestions: count,
              score: { type: ['number', 'null'], description: 'The number `score` of its value.' },
            }),
          },
          { type: 'null' },
        ],
      },
    },
    Object.keys(rowProperties) as (keyof typeof rowProperties)[],
  ),
} as const

export const QUESTION_ID = { type: 'integer', minimum: 1, description: "The question's id." } as const

export const QUESTION = {
  title: 'Question',
  description: 'An open question: its run and its id name it.',
  ...object(
    {
      id: { ...QUESTION_ID, description: 'The number of its event `signal-asked`.' },
      run: { type: 'string' },
      path: { type: 'string', description: 'The block that asks.' },
      name: { type: 'string', description: 'Unique in its block.' },
      askedAt: { type: 'string' },
      timeoutMs: { type: 'number' },
      text: { type: 'string' },
      choices: list({ type: 'string' }),
      other: { type: 'boolean', description: 'Besides the choices, any text is an answer.' },
      output: { type: 'object', description: 'JSON Schema of the answer.' },
      fallback: { type: 'string' },
      request: {
        type: 'object',
        description:
          'Of a person who is the model: the request as a model gets it. The answer is the text of the reply, or {"text":…,"toolCalls":[{"name":…,"input":…}]}; null hands it to the model of the service.',
      },
      permission: {
        description: 'Of a tool that asks for permission: the call, whole.',
        ...object({ tool: { type: 'string' }, input: {} }, ['tool']),
      },
      call: {
        description: "Of a tool that the run's caller executes: the call. The answer is its result.",
        ...object({ tool: { type: 'string' }, input: {} }, ['tool']),
      },
    },
    ['id', 'run', 'path', 'name', 'askedAt', 'text'],
  ),
} as const

export const RUN_DETAILS = {
  title: 'Run',
  ...object({
    ...rowProperties,
    outcome: { anyOf: [OUTCOME, { type: 'null' }] },
    usage: USAGE,
    roles: { type: 'object', description: 'What each role of a model and the tools have spent of it.' },
    activeMs: { type: 'number' },
    questions: list(QUESTION),
    model: { type: ['string', 'null'] },
  }),
} as const

export const RUN_STATE = {
  title: 'RunState',
  type: 'object',
  description: "The run's tree: its blocks by path, with their goals, plans, results, questions and usage.",
  properties: {
    run: { type: 'string' },
    seq: count,
    blocks: { type: 'object' },
    running: { type: 'object', description: 'The steps under way, by path and number: role and reserve.' },
  },
  required: ['run', 'seq', 'blocks', 'running'],
} as const

export const EVENT = {
  title: 'Event',
  type: 'object',
  description: 'An event of the journal; docs/events.md describes all types.',
  properties: {
    seq: count,
    ts: { type: 'string' },
    run: { type: 'string' },
    path: { type: 'string' },
    type: { type: 'string' },
  },
  required: ['seq', 'ts', 'run', 'path', 'type'],
} as const

export const STARTED = {
  title: 'StartedRun',
  ...object({ run: { type: 'string', description: "The run's id." } }),
} as const

export const START = {
  title: 'StartRequest',
  type: 'object',
  properties: { goal: GOAL, ...START_REQUEST.properties },
  required: ['goal'],
  additionalProperties: false,
} as const

/** What is wrong with one of these is said by the engine, which knows the event. */
export const EDIT = {
  title: 'ForkEdit',
  type: 'object',
  description: 'What that event has instead in the fork.',
  properties: {
    goal: GOAL,
    value: { description: 'Its result: of a tool, of an answer, or what a model says.' },
    result: { description: 'The same, as the event has it.' },
    request: {
      type: 'object',
      description:
        'Of a `model-start`: what the model is asked when the fork goes on. The rest of the request stays.',
      properties: {
        messages: { description: 'All of them, in order: `{role, content}`, as the event has them.' },
        settings: { description: '`temperature`, `seed`, `maxOutputTokens`: override those of the request.' },
      },
    },
  },
} as const

export const BUDGET = LIMITS
