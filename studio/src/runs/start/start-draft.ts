/** What a person has filled in for a new run, what becomes of it, and where the problems of a refusal belong. */
import type { EventOf, Goal, LimitName, Limits } from 'thinkon/protocol'
import { isObject } from 'thinkon/protocol'
import type { Offers, StartRequest } from '../../data/source.ts'
import { type Drafts, draftsOf, readDrafts, readJson, type Schema } from '../../parts/schema-drafts.ts'

export const GOAL_PARTS = ['deliverable', 'metric', 'constraint'] as const
export const LIMITS = ['costUsd', 'tokens', 'calls', 'timeMs', 'depth'] as const satisfies LimitName[]

export interface StartDraft {
  readonly goal: string
  readonly parts: Readonly<Record<(typeof GOAL_PARTS)[number], string>>
  /** Empty: as the service has it. */
  readonly strategy: string
  readonly options: Drafts
  readonly model: string
  /** Time in seconds. */
  readonly budget: Readonly<Partial<Record<LimitName, string>>>
  readonly output: string
  readonly files: readonly File[]
}

/** By the field's name: `goal`, `budget.calls`, `options.beam`. `''`: of the whole. */
export type Problems = Readonly<Record<string, string>>

export const EMPTY_DRAFT: StartDraft = {
  goal: '',
  parts: { deliverable: '', metric: '', constraint: '' },
  strategy: '',
  options: {},
  model: '',
  budget: {},
  output: '',
  files: [],
}

export function optionsSchema({ strategies }: Offers, strategy: string): Schema {
  return strategies.find(({ name }) => name === strategy)?.options ?? { type: 'object', properties: {} }
}

/** As another run was started, as far as it is still offered. */
export function draftOfRun(start: EventOf<'run-start'>, offers: Offers): StartDraft {
  const strategy = start.strategy.split('@')[0] as string
  const { goal, config } = start
  const { intent = '', ...parts } = typeof goal === 'string' ? { intent: goal } : goal
  return {
    goal: intent,
    parts: { ...EMPTY_DRAFT.parts, ...parts },
    strategy,
    options: draftsOf(optionsSchema(offers, strategy), start.options),
    model: offers.models.find((model) => model === config.model) ?? '',
    budget: budgetDrafts(start.limits, offers.budget),
    // The goal names those of the other run.
    files: [],
    output: config.output === undefined ? '' : JSON.stringify(config.output, null, 2),
  }
}

/** Those that are not the operator's own. */
function budgetDrafts(limits: Limits, most: Limits): StartDraft['budget'] {
  const own = LIMITS.filter((name) => limits[name] < most[name])
  return Object.fromEntries(own.map((name) => [name, String(limits[name] / unitOf(name))]))
}

function unitOf(name: LimitName): number {
  return name === 'timeMs' ? 1_000 : 1
}

export function readStart(draft: StartDraft, offers: Offers): { request: StartRequest; problems: Problems } {
  const problems: Record<string, string> = {}
  if (draft.goal.trim() === '') problems.goal = 'missing'
  const options = readDrafts(optionsSchema(offers, draft.strategy), draft.options)
  for (const [name, problem] of Object.entries(options.problems)) problems[`options.${name}`] = problem
  const budget: Partial<Limits> = {}
  for (const name of LIMITS) {
    const typed = draft.budget[name]?.trim() ?? ''
    if (typed === '') continue
    if (Number.isFinite(Number(typed))) budget[name] = Number(typed) * unitOf(name)
    else problems[`budget.${name}`] = 'notANumber'
  }
  let output: Record<string, unknown> | undefined
  if (draft.output.trim() !== '') {
    const read = readJson(draft.output)
    if ('value' in read && isObject(read.value)) output = read.value
    else problems.output = 'notJson'
  }
  const { strategy, model } = draft
  const request: StartRequest = {
    goal: goalOf(draft),
    ...(strategy !== '' && { strategy }),
    ...(isObject(options.value) && Object.keys(options.value).length > 0 && { options: options.value }),
    ...(model !== '' && { model }),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(output && { output }),
  }
  return { request, problems }
}

function goalOf({ goal, parts }: StartDraft): Goal {
  const isPlain = Object.values(parts).every((part) => part.trim() === '')
  return isPlain ? goal : { intent: goal, ...parts }
}

/** What files hold, as it is sent. */
export async function sentFiles(files: readonly File[]): Promise<{ name: string; base64: string }[]> {
  return Promise.all(
    files.map(async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer())
      let chars = ''
      for (const byte of bytes) chars += String.fromCharCode(byte)
      return { name: file.name, base64: btoa(chars) }
    }),
  )
}

const FIELD_OF_CODE: Readonly<Record<string, string>> = { NO_MODEL: 'model', NO_SUCH_STRATEGY: 'strategy' }

/** A refusal names what is wrong by its place in the request, or by the option's name. */
export function placeProblems(thrown: unknown, offers: Offers, strategy: string): Problems {
  const error = thrown as { message?: string; code?: string; data?: { problems?: unknown } }
  const field = FIELD_OF_CODE[error.code ?? '']
  if (field !== undefined) return { [field]: error.message ?? '' }
  const { properties = {} } = optionsSchema(offers, strategy)
  const options = Object.keys(properties as object)
  const given = error.data?.problems
  const texts = Array.isArray(given) ? given.map(String) : [error.message ?? String(thrown)]
  const placed: Record<string, string> = {}
  for (const text of texts) {
    const place = placeOf(text, options)
    placed[place] = placed[place] === undefined ? text : `${placed[place]}\n${text}`
  }
  return placed
}

function placeOf(text: string, options: readonly string[]): string {
  const [, path = ''] = /^["“]?([\w.]+)/.exec(text) ?? []
  const [first = '', second = ''] = path.split('.')
  if (first === 'budget') return `budget.${second}`
  if (first === 'options') return `options.${second}`
  if (options.includes(first)) return `options.${first}`
  if (['goal', 'output', 'model', 'strategy', 'files'].includes(first)) return first
  const named = options.find((name) => text.includes(`"${name}"`))
  return named === undefined ? '' : `options.${named}`
}
