/**
 * What the engine and its methods may be given, as tables. `createEngine` refuses wrong options at once, and each method wrong
 * arguments before anything is opened. So the tables are part of what `import 'thinkon'` loads, and load nothing heavy themselves.
 */
import { LEAST_PROMPT_TOKENS } from '../kernel/brief/prompt-budget.ts'
import type { ResumeOptions } from '../kernel/durable.ts'
import { runKey } from '../kernel/run-key.ts'
import type { QuestionQuery, RunQuery } from '../kernel/run-query.ts'
import {
  type Arguments,
  abortSignal,
  amount,
  anyText,
  anything,
  type Check,
  either,
  type Fields,
  fields,
  flag,
  func,
  isList,
  isText,
  json,
  list,
  must,
  oneOf,
  record,
  text,
  whole,
  wholeAmount,
} from '../protocol/check-arguments.ts'
import { type ApprovalConfig, type Limits, STANDINGS } from '../protocol/index.ts'
import { isObject } from '../protocol/json.ts'
import { ROLES } from '../protocol/model.ts'
import type { StrategyName } from '../protocol/strategy-registry.ts'
import { path } from '../streams/run-methods.ts'
import type {
  Engine,
  EngineOptions,
  ForkOptions,
  HouseOptions,
  PruneOptions,
  ResumeRunOptions,
  StartOptions,
} from './api.ts'
import { clock, models, store, strategies } from './given-objects.ts'
import { type GivenSchema, givenSchema } from './schemas/given-schema.ts'
import { callerTools, toolSources } from './tools/given-tools.ts'

export const engineFields: Fields<EngineOptions> = {
  model: models,
  models: fields(Object.fromEntries(ROLES.map((role) => [role, models]))),
  promptTokens: whole(LEAST_PROMPT_TOKENS),
  onOutage: oneOf(['wait', 'fail']),
  record: text,
  tools: toolSources,
  workspace: text,
  store,
  host: func(),
  synchronous: oneOf(['full', 'normal']),
  strategies,
  clock,
  key: runKey,
}

const budget = fields({
  depth: wholeAmount,
  tokens: wholeAmount,
  calls: wholeAmount,
  timeMs: wholeAmount,
  costUsd: amount(),
} satisfies Fields<Limits>)

const rules = list(text, 'rules such as ["read", "shell(npm test *)"]')
const policy = fields(
  {
    allow: rules,
    ask: rules,
    deny: rules,
    workspace: text,
    asks: oneOf(['person', 'nobody', 'yes']),
  } satisfies Fields<ApprovalConfig>,
  {
    needs: {
      asks: 'who is asked: "person", "nobody" or "yes"',
    },
  },
)

const approval = either(
  'rules, such as { asks: "person", allow: ["read"] }, or "allow-all"',
  [isObject, policy],
  [() => true, oneOf(['allow-all'])],
)

/** Any text that can be shown on a line. */
const id = must(
  'a text of one line, at most 200 characters',
  (value) => typeof value === 'string' && /^[^\p{Cc}]{1,200}$/u.test(value),
)

export const startFields: Fields<StartOptions> = {
  strategy: text,
  options: record(json, 'options of the strategy'),
  // What else they must be depends on the strategies there are: check-routing.ts.
  strategyOptions: json,
  routes: json,
  fallbacks: json,
  budget,
  output: givenSchema,
  signal: abortSignal,
  onEvent: func(),
  onQuestion: func(),
  id,
  seed: text,
  workspace: text,
  approval,
  callerTools,
  startedBy: text,
}

/** Of what `solve` was given, what is about the run. */
export function startOptionsOf<O extends GivenSchema, N extends StrategyName, Own>(
  options: StartOptions<O, N, Own>,
): StartOptions<O, N, Own> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(startFields, name)))
}

/** The options of one that were given to the other. */
const isOptionOf = (names: object, place: string) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, place]))

const GOAL = 'a text, or {intent, deliverable, metric, constraint}'
const goal: Check = either(GOAL, [isText, anyText], [isObject, anything])
const run: Arguments['checks'] = { run: text }
const RUN = "the run's id"

const resumeFields: Fields<ResumeOptions> = { strict: flag, budget }
const forkFields: Fields<ForkOptions> = { ...resumeFields, toResume: flag }
const houseFields: Fields<HouseOptions> = { signal: abortSignal, onProgress: func() }
const status = either(
  `one of ${STANDINGS.join(', ')}, or a list of these`,
  [isText, oneOf(STANDINGS)],
  [isList, list(oneOf(STANDINGS), 'statuses')],
)
const query = fields({
  limit: whole(0),
  offset: whole(0),
  status,
  search: anyText,
  strategy: text,
  forkOf: text,
} satisfies Fields<RunQuery>)
const questionQuery = fields({
  status: oneOf(['open']),
  run: text,
  for: oneOf(['person', 'caller']),
  limit: whole(0),
  offset: whole(0),
} satisfies Fields<QuestionQuery>)
const prune: Fields<PruneOptions> = {
  ...houseFields,
  olderThanMs: amount(),
  keep: wholeAmount,
  status,
  dryRun: flag,
}
const chunks = must("a text, or chunks of it: an iterable, such as a file's stream", (value) => {
  const { [Symbol.iterator]: some, [Symbol.asyncIterator]: later } = Object(value)
  return typeof some === 'function' || typeof later === 'function'
})

export const CREATE_ENGINE: Arguments = {
  checks: {
    options: fields(engineFields, { elsewhere: isOptionOf(startFields, 'engine.start and of solve') }),
  },
}

export const SOLVE: Arguments = {
  checks: { goal, options: fields({ ...engineFields, ...startFields }) },
  needs: { goal: GOAL },
}

export const METHODS: Readonly<Record<Exclude<keyof Engine, 'close'>, Arguments>> = {
  start: {
    checks: { goal, options: fields(startFields, { elsewhere: isOptionOf(engineFields, 'createEngine') }) },
    needs: { goal: GOAL },
  },
  resume: {
    checks: {
      ...run,
      options: fields({
        ...resumeFields,
        follow: flag,
        signal: abortSignal,
        onEvent: func(),
        onQuestion: func(),
        output: givenSchema,
      } satisfies Fields<ResumeRunOptions>),
    },
    needs: { run: RUN },
  },
  check: { checks: { ...run, options: fields(resumeFields) }, needs: { run: RUN } },
  replay: { checks: run, needs: { run: RUN } },
  fork: {
    checks: { ...run, at: whole(1), edit: record(json, 'fields of the event'), options: fields(forkFields) },
    needs: { run: RUN, at: 'the number of the last event that the fork shares' },
  },
  redo: {
    checks: { ...run, path, message: anyText, options: fields(forkFields) },
    needs: { run: RUN, path: "the block's path", message: 'what is to be different this time' },
  },
  signal: {
    checks: { ...run, path, name: text, value: json },
    needs: { run: RUN, path: "the block's path", name: "the signal's name" },
  },
  questions: { checks: { options: questionQuery } },
  countQuestions: { checks: { options: questionQuery } },
  answer: {
    checks: { ...run, value: json, options: fields({ question: whole(1) }) },
    needs: { run: RUN, value: 'the answer' },
  },
  list: { checks: { options: query } },
  row: { checks: run, needs: { run: RUN } },
  count: { checks: { options: query } },
  state: { checks: run, needs: { run: RUN } },
  outline: { checks: { ...run, follow: func() }, needs: { run: RUN } },
  events: { checks: { ...run, from: whole(0), to: whole(0) }, needs: { run: RUN } },
  tools: { checks: {} },
  delete: {
    checks: {
      runs: either("a run's id, or a list of ids", [isText, text], [isList, list(text, 'ids')]),
      options: fields(houseFields),
    },
    needs: { runs: "a run's id, or a list of ids" },
  },
  prune: { checks: { options: fields(prune) }, needs: { options: 'olderThanMs, keep or both' } },
  compact: { checks: {} },
  backup: { checks: { file: text }, needs: { file: 'a file that is not there yet' } },
  origin: { checks: run, needs: { run: RUN } },
  export: { checks: run, needs: { run: RUN } },
  import: {
    checks: { file: chunks, options: fields({ as: id, signal: abortSignal }) },
    needs: { file: "the exported run's text" },
  },
}
