/** Runs poisoned objects, one run after the other, and prints a line for each: `{index, findings}`. The parent watches for crashes and hangs. */
import { createEngine, type Model, ThinkonError, tool } from '../../../src/index.ts'
import type { Strategy } from '../../../src/kernel/strategy.ts'
import type { Event } from '../../../src/protocol/index.ts'
import { casesOf, type PoisonCase } from './cases.ts'
import { POISON_MODELS, TEXT } from './models.ts'
import { POISON_TOOLS } from './tools.ts'
import type { Untyped } from './values.ts'

const LIMITS = { tokens: 20_000, calls: 40, timeMs: 5_000 }
/** A request of about 1,000 tokens: 20 calls of a model whose usage is estimated, and 40 of any. */
const PROMPT = 'word '.repeat(600)
const MOST_BOUND_CALLS = 22
/** What JavaScript says when code reads a value that it did not check. */
const FOREIGN =
  /Cannot (?:read|convert|destructure|mix|set|create)|is not (?:a function|iterable|defined|an object)|Maximum call stack|circular structure|serialize a BigInt|Unexpected token/

/** What is refused before a run begins, or when an engine is made. */
const REFUSED: Readonly<Record<string, true>> = {
  'cost no function': true,
  'refusal throws': true,
  'refusal true': true,
  'window NaN': true,
  'maxOutputTokens negative': true,
  'thinkingTokens a text': true,
  'maxReplyBytes a BigInt': true,
}

let findings: string[] = []
process.on('unhandledRejection', (reason) => findings.push(`unhandled rejection: ${text(reason)}`))
process.on('uncaughtException', (error) => findings.push(`uncaught exception: ${text(error)}`))

const ask: Strategy<object> = {
  name: 'ask',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const request = {
      kind: 'ask',
      version: 1,
      role: 'act',
      messages: [{ role: 'user', content: PROMPT }],
    } as const
    for (let i = 0; i < 60; i++) {
      const [result] = await context.all([context.model(request)])
      if (result?.ok === false && result.error.code === 'LIMIT') throw ThinkonError.fromJSON(result.error)
    }
    return 'asked'
  },
}

const call: Strategy<object> = {
  name: 'call',
  version: 1,
  options: () => ({}),
  async solve(context) {
    for (let i = 0; i < 60; i++) {
      const [result] = await context.all([context.tool('look', { text: PROMPT })])
      if (result?.ok === false && result.error.code === 'LIMIT') throw ThinkonError.fromJSON(result.error)
    }
    return 'called'
  },
}

for (const index of JSON.parse(process.argv[2] ?? '[]') as number[]) {
  findings = []
  process.stdout.write(`${JSON.stringify({ index })}\n`)
  await run(casesOf()[index] as PoisonCase)
  // Time for what comes later.
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.stdout.write(`${JSON.stringify({ index, findings })}\n`)
}
process.exit()

async function run({ kind, name, strategy }: PoisonCase): Promise<void> {
  let modelCalls = 0
  const poisoned = kind === 'model' ? POISON_MODELS[name] : undefined
  const given = kind === 'tool' ? POISON_TOOLS[name] : undefined
  const model = {
    id: 'poison',
    ...poisoned?.more,
    call: (request: Untyped, io: Untyped) =>
      poisoned?.call(request, io, ++modelCalls) ?? { text: TEXT, usage: { inputTokens: 1, outputTokens: 1 } },
  } as Model
  const look = tool({
    name: 'look',
    description: 'looks',
    access: 'read',
    run: (given?.run ?? (async () => 'fine')) as Untyped,
    ...(given?.more as object),
  })
  const engine = createEngine({ model, tools: [look], strategies: [ask, call] })
  try {
    const started = await engine.start('say done', {
      strategy,
      budget: LIMITS,
      approval: { asks: 'yes', workspace: process.cwd() },
    } as Untyped)
    const outcome = await started.outcome
    checkEvents([...(await engine.events(started.id))])
    if (outcome.usage.calls > LIMITS.calls) findings.push(`${outcome.usage.calls} calls`)
    if (FOREIGN.test(outcome.reason ?? '')) findings.push(`reason: ${outcome.reason}`)
    const isBound = strategy === 'ask' || strategy === 'call'
    if (isBound && (poisoned ?? given)?.binds && outcome.usage.calls > MOST_BOUND_CALLS)
      findings.push(`the limit of tokens did not bind: ${outcome.usage.calls} calls`)
    const { differences } = (await engine.replay(started.id)) as Untyped
    if (differences?.length) findings.push(`replay differs: ${JSON.stringify(differences).slice(0, 200)}`)
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown) || thrown.code === 'INTERNAL' || FOREIGN.test(thrown.message))
      findings.push(`rejected: ${text(thrown)}`)
    else if (!(name in REFUSED)) findings.push(`refused: ${text(thrown)}`)
  } finally {
    await engine.close()
  }
}

function checkEvents(events: readonly Event[]): void {
  for (const event of events) {
    const { usage, left, result } = event as Untyped
    for (const [key, value] of Object.entries({ ...usage, ...left })) {
      const isFine = key === 'held' || (typeof value === 'number' && (value >= 0 || key in (left ?? {})))
      if (!isFine) findings.push(`${event.type} ${event.seq}: ${key} is ${value}`)
    }
    if (result?.ok === false && FOREIGN.test(result.error.message))
      findings.push(`${event.type} ${event.seq}: ${result.error.message}`)
  }
}

function text(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
