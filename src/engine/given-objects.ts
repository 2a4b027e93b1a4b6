/** What the objects must be that a caller gives: models, stores, clocks and strategies; tools/given-tools.ts has the tools. */
import { LEAST_PROMPT_TOKENS } from '../kernel/brief/prompt-budget.ts'
import type { Clock } from '../kernel/clock.ts'
import { ggufProblem } from '../kernel/gguf-settings.ts'
import { isModelObject, type ModelConfig } from '../kernel/model-choice.ts'
import type { Store } from '../kernel/store.ts'
import {
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
  list,
  listOfNamed,
  record,
  text,
  whole,
} from '../protocol/check-arguments.ts'
import type { ModelPrice, ResilienceSettings } from '../protocol/index.ts'
import { isObject } from '../protocol/json.ts'
import { type KeyPath, keyText } from '../protocol/key-text.ts'
import { type Problem, placeText, problemAt } from '../protocol/problem.ts'
import { givenStrategy } from '../strategies/strategy-checks.ts'

// --- models

const price: Fields<ModelPrice> = {
  input: amount(),
  output: amount(),
  cachedInput: amount(),
  cacheWrite: amount(),
  long: fields({ above: whole(0), input: amount(), output: amount() }),
}
const ms = whole(1)
const resilience = fields({
  maxAttempts: whole(1),
  maxTotalMs: ms,
  baseMs: ms,
  capMs: ms,
  firstByteMs: ms,
  idleMs: ms,
  progressMs: ms,
  attemptMs: ms,
  maxConcurrent: whole(1),
  requestsPerMinute: whole(1),
  tokensPerMinute: whole(1),
} satisfies Fields<ResilienceSettings>)

const gguf: Check = (value, path) => {
  const { key, problem } = ggufProblem(value) ?? {}
  const place = key === undefined ? path : [...path, key]
  return problem === undefined ? [] : [problemAt(place, `${keyText(place)} ${problem}`)]
}

const specOrModel = either(
  'a spec such as "openai:gpt-5", or a model object',
  [isText, text],
  [isModelObject, anything],
)

const modelConfig: Fields<ModelConfig> = {
  model: specOrModel,
  apiKey: text,
  baseURL: text,
  headers: record(anyText, 'header names and texts'),
  temperature: amount(),
  seed: whole(0),
  maxOutputTokens: whole(1),
  thinkingTokens: whole(0),
  maxReplyBytes: whole(1),
  promptTokens: whole(LEAST_PROMPT_TOKENS),
  price: fields(price, {
    needs: { input: 'US dollars per million tokens', output: 'US dollars per million tokens' },
  }),
  window: whole(LEAST_PROMPT_TOKENS),
  nativeTools: flag,
  gguf,
  resilience,
  trouble: resilience,
}

const MODEL_OBJECT = 'a model has an "id" and a function "call"; an AI SDK language model is one, too'

export const modelObject: Check = fields(
  { id: text, call: func() },
  { needs: { id: MODEL_OBJECT, call: MODEL_OBJECT }, open: true },
)

/** An object that has a `call` or an `id` was meant as a model, another as settings. */
const model: Check = either(
  'a spec such as "openai:gpt-5", a model object, or an object with "model" and settings',
  [isText, text],
  [isModelObject, anything],
  [(value) => isObject(value) && !('model' in value) && ('call' in value || 'id' in value), modelObject],
  [isObject, fields(modelConfig, { needs: { model: 'a spec such as "openai:gpt-5", or a model object' } })],
)

/** One or several. */
export const models: Check = either(
  'a spec such as "openai:gpt-5", a model object, an object with "model" and settings, or a list of these',
  [isText, text],
  [isObject, model],
  [
    isList,
    (value, path) => ((value as unknown[]).length > 0 ? list(model, 'models')(value, path) : [noModel(path)]),
  ],
)

function noModel(path: KeyPath): Problem {
  return problemAt(path, `${keyText(path)} must name at least one model`)
}

// --- stores and clocks

const STORE_METHODS = [
  'create',
  'acquire',
  'release',
  'append',
  'has',
  'read',
  'pick',
  'outline',
  'keepOutline',
  'row',
  'list',
  'count',
  'fork',
  'send',
  'pending',
  'delete',
  'sweep',
  'compact',
  'backup',
  'import',
  'origin',
  'version',
  'close',
] as const satisfies (keyof Store)[]

const storeFields: Check = fields(
  { instant: flag, ...Object.fromEntries(STORE_METHODS.map((name) => [name, func()])) },
  { needs: { instant: 'a store says whether its commits are immediate' }, open: true },
)

/** Methods that are missing are named in one line: of what is no store at all, there are two dozen. */
export const storeObject: Check = (value, path) => {
  const lacks = isObject(value) ? STORE_METHODS.filter((name) => value[name] === undefined) : []
  if (lacks.length === 0) return storeFields(value, path)
  const methods = lacks.length === 1 ? `the method ${lacks[0]}` : `the methods ${lacks.join(', ')}`
  return [problemAt(path, `${placeText(path)} is no store: it lacks ${methods}`)]
}

export const store: Check = either('a file, ":memory:" or a store', [isText, text], [isObject, storeObject])

export const clock: Check = fields(
  { nowMs: func(), after: func(), activeMs: func(), watch: func() } satisfies Fields<Clock>,
  {
    needs: {
      nowMs: 'the time of day in milliseconds',
      after: 'a function that calls back after some milliseconds',
    },
    open: true,
  },
)

export const strategies: Check = either('a list of strategies', [
  isList,
  listOfNamed(givenStrategy, 'strategies'),
])
