import type { OutcomeOf, RunEndingAs } from '../engine/api.ts'
import type { GivenSchema } from '../engine/schemas/given-schema.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { defined, errorText, type PendingQuestion, type RunState } from '../protocol/index.ts'
import type { AnyOwn } from '../protocol/strategy-registry.ts'
import type { FileChange } from '../views/file-changes.ts'
import type { Form } from '../views/form.ts'
import type { Client, ClientOptions, ListedRun, StrategyInfo } from './api.ts'
import { A_RUN, CREATE_CLIENT } from './entrances.ts'
import { exportedLines, fileOf } from './files.ts'
import { httpOf, LINES } from './http.ts'
import { outputJson, valueMaker } from './output.ts'
import { patienceOf } from './patience.ts'
import { runHandle } from './run-handle.ts'

const RETRY_MS = 500
const GIVE_UP_MS = 600_000
const SILENCE_MS = 60_000

/** Asks nothing yet. Throws BAD_INPUT for wrong options. */
export function createClient<Own = AnyOwn>(options: ClientOptions): Client<Own> {
  checkArguments('createClient', CREATE_CLIENT, [options])
  const { retryMs = RETRY_MS, giveUpMs = GIVE_UP_MS, silenceMs = SILENCE_MS, views: own = [] } = options
  const http = httpOf(options)
  const patience = () => patienceOf({ retryMs, giveUpMs, isWorthIt: () => http.hasAnswered })
  const views = async () => new Map([...(await import('../views.ts')).SHIPPED_VIEWS, ...own])
  const of = (run: string, more = '') => {
    checkArguments('client', A_RUN, [run])
    return `/runs/${encodeURIComponent(run)}${more}`
  }
  const post = <T>(path: string, body?: object) =>
    http.json<T>({ method: 'POST', path, ...(body && { body: defined(body) }) })
  const made = async (answer: Promise<{ run: string }>) => (await answer).run

  /** The type is that of the caller's schema. */
  function handle<Output extends GivenSchema>(run: string, output: Output | undefined) {
    const parts = { service: { http, patience, silenceMs }, client, views }
    return runHandle<OutcomeOf<Output>>(parts, run, output === undefined ? null : valueMaker(output))
  }

  const client: Client<Own> = {
    async start(goal, { output, signal, ...given } = {}) {
      const json = await outputJson(output)
      const run = await made(post('/runs', { goal, ...given, ...(json && { output: json }) }))
      const started = handle(run, output)
      if (signal) cancelOnAbort(started, signal)
      return started
    },
    run: (run, { output } = {}) => handle(run, output),
    list: ({ signal, ...query } = {}) =>
      http.json<{ runs: ListedRun[]; total: number }>({ path: '/runs', query, signal }),
    show: async (run, { signal } = {}) => http.json({ path: of(run), signal }),
    async state(run, { signal, ...query } = {}) {
      const json = await http.json<StateJson>({ path: of(run, '/state'), query, signal })
      const { blocks, running, ...state } = json
      return { ...state, blocks: new Map(Object.entries(blocks)), running: new Map(Object.entries(running)) }
    },
    form: async (run, path, query = {}) =>
      (
        await http.json<{ form: Form | null }>({
          path: of(run, `/blocks/${encodeURIComponent(path)}/form`),
          query,
        })
      ).form,
    changes: async (run, question) =>
      (await http.json<{ changes: FileChange[] | null }>({ path: of(run, `/questions/${question}/changes`) }))
        .changes,
    events: async (run, { signal, ...query } = {}) => http.json({ path: of(run, '/events'), query, signal }),
    signal: async (run, path, name, value) => {
      await post(of(run, '/signals'), { path, name, value })
    },
    questions: async ({ signal, status: _, ...query } = {}) =>
      (await http.json<{ questions: PendingQuestion[] }>({ path: '/questions', query, signal })).questions,
    answer: async (run, answer, { question } = {}) => {
      await post(of(run, '/answers'), { answer, question })
    },
    cancel: async (run, reason) => {
      await post(of(run, '/cancel'), { reason })
    },
    async resume(run, { output, strict, budget } = {}) {
      return handle(await made(post(of(run, '/resume'), { strict, budget })), output)
    },
    trust: async (run) => void (await post(of(run, '/trust'))),
    redo: async (run, path, message) => made(post(of(run, '/redo'), { path, message })),
    fork: async (run, at, { edit, model, resume } = {}) =>
      made(post(of(run, '/fork'), { at, edit, model, resume })),
    replay: async (run) => post(of(run, '/replay')),
    export: async (run) => exportedLines(await http.send({ path: of(run, '/export') }, LINES), run),
    page: async (run) => (await http.send({ path: of(run, '/page') }, 'text/html')).text(),
    async import(file, { as, signal } = {}) {
      const body = await fileOf(file, LINES)
      return http.json({ method: 'POST', path: '/imports', query: { as }, body, signal })
    },
    delete: async (run) => http.json({ method: 'DELETE', path: of(run) }),
    models: () => http.json({ path: '/models' }),
    strategies: async () =>
      (await http.json<{ strategies: StrategyInfo[] }>({ path: '/strategies' })).strategies,
    tools: async () => (await http.json<{ tools: [] }>({ path: '/tools' })).tools,
    blueprints: () => http.json({ path: '/blueprints' }),
    health: () => http.json({ path: '/health' }),
  }
  return client
}

interface StateJson extends Omit<RunState, 'blocks' | 'running'> {
  readonly blocks: Record<string, never>
  readonly running: Record<string, never>
}

function cancelOnAbort(run: RunEndingAs<unknown>, signal: AbortSignal): void {
  // What can't be sent can't be told to anybody: whoever follows the run sees that it goes on.
  const cancel = () => void run.cancel(errorText(signal.reason)).catch(() => {})
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
}
