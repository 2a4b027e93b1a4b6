/** Looking at runs. */
import type { QuestionQuery, RunQuery } from '../../../kernel/run-query.ts'
import { configWithoutOrigin, withoutOrigin } from '../../../kernel/without-origin.ts'
import { defined, type RunState } from '../../../protocol/index.ts'
import { viewsOf } from '../../../strategies/registry.ts'
import { blockForm } from '../../../views/block-form.ts'
import { openQuestions } from '../../../views/questions.ts'
import { LANGS, type Lang, langOf } from '../../../views/words.ts'
import { figuresOf } from '../../run-figures.ts'
import { sharedPage } from '../../studio/shared-page.ts'
import { eventStream } from '../event-stream.ts'
import { FORM } from '../form-schema.ts'
import { HttpError } from '../problem.ts'
import type { Call, Route } from '../route.ts'
import {
  EVENT,
  LISTED_ROW,
  list,
  object,
  PATH,
  QUESTION,
  RUN,
  RUN_DETAILS,
  RUN_STATE,
  SEQ,
  STATUS,
  text,
} from '../schemas.ts'

const MAX_ROWS = 1_000
const MAX_OFFSET = 1_000_000_000
const MAX_EVENTS = 1_000
/** A page that is larger is held up by its own size, and holds up everybody else. */
const MAX_PAGE_CHARS = 1024 * 1024

export const LOOK_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/runs',
    does: 'look',
    name: 'listRuns',
    summary: 'Lists runs, newest first',
    query: {
      limit: { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: 50 },
      offset: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_OFFSET,
        description: 'Without so many of the newest: where the next page begins.',
      },
      status: { type: 'array', items: STATUS, description: 'Several are separated by commas.' },
      search: text('Text in the id or the goal.'),
      strategy: text('Only those that were started with this strategy.'),
      forkOf: text('Only forks of this run.'),
      figures: {
        type: 'boolean',
        description: 'Also the model of each, what it has spent, and how many questions it has open.',
      },
    },
    answers: {
      200: {
        description: 'The runs, and how many there are.',
        schema: object({ runs: list(LISTED_ROW), total: { type: 'integer' } }),
      },
    },
    async handle({ service: { engine, setAside }, query }) {
      const { limit = 50, figures: wanted = false, ...others } = query as RunQuery & { figures?: boolean }
      const rows = await engine.list({ ...others, limit })
      const figures = wanted ? await figuresOf(engine, rows) : null
      const runs = rows.map((row, i) => ({
        ...row,
        ...defined({ setAside: setAside.get(row.id) }),
        ...(figures && { figures: figures[i] }),
      }))
      return { runs, total: await engine.count(others) }
    },
  },
  {
    method: 'get',
    path: '/questions',
    does: 'look',
    name: 'listQuestions',
    summary: 'Lists the open questions of all runs, oldest first',
    query: {
      run: { type: 'string', description: 'Only of this run.' },
      for: { enum: ['person', 'caller'], description: 'Who answers; `person`, unless given.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_ROWS, description: 'At most so many.', default: 50 },
      offset: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_OFFSET,
        description: 'Number of oldest questions to skip.',
      },
    },
    answers: {
      200: {
        description: 'The questions, and how many there are.',
        schema: object({ questions: list(QUESTION), total: { type: 'integer' } }),
      },
    },
    async handle({ service: { engine }, query }) {
      const asked = query as QuestionQuery
      const questions = await engine.questions({ limit: 50, ...asked })
      return { questions, total: await engine.countQuestions(asked) }
    },
  },
  {
    method: 'get',
    path: '/runs/{run}',
    does: 'look',
    name: 'showRun',
    summary: 'Shows a run: how it stands or ended, what it has spent, what it asks',
    params: { run: RUN },
    answers: { 200: { description: 'The run.', schema: RUN_DETAILS } },
    async handle({ service: { engine, setAside }, params: { run = '' } }) {
      const row = await engine.row(run)
      const state = await engine.outline(run)
      const { outcome, usage, roles, activeMs, config } = state
      const questions = [...openQuestions(state)]
      const details = { outcome, usage, roles, activeMs, questions, model: config.model ?? null }
      return { ...row, ...defined({ setAside: setAside.get(run) }), ...details }
    },
  },
  {
    method: 'get',
    path: '/runs/{run}/state',
    does: 'look',
    name: 'runState',
    summary: "The run's tree",
    params: { run: RUN },
    query: {
      open: {
        type: 'boolean',
        description:
          'Leaves out what lies inside blocks that have ended: of a large run it is read much faster.',
      },
    },
    answers: { 200: { description: 'The state.', schema: RUN_STATE } },
    async handle({ service: { engine }, params: { run = '' }, query }) {
      const { open = false } = query as { open?: boolean }
      return stateJson(await (open ? engine.outline(run) : engine.state(run)))
    },
  },
  {
    method: 'get',
    path: '/runs/{run}/events',
    does: 'look',
    name: 'runEvents',
    summary: 'The journal, in pages or as server-sent events',
    description:
      'With "Accept: text/event-stream": every event from `from` on until the run ends; the id of each is its number, and after a reconnect ' +
      '`Last-Event-ID` goes on after it, without a gap and none twice. What models write meanwhile (`deltas`) and failed attempts come as ' +
      'events `live`; the last event is `end`, whose `why` is `run-end`, `stopping` if the service stops, or `problem` if it ' +
      'can not read on: then come again.',
    params: { run: RUN },
    query: {
      from: { ...SEQ, description: 'The number of the first event.', default: 1 },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_EVENTS,
        default: 100,
        description: 'Of a page, which has fewer events where they are large.',
      },
      deltas: {
        type: 'boolean',
        default: false,
        description: 'Of a stream: also the text that models write, as it comes.',
      },
    },
    headers: {
      'last-event-id': { type: 'string', description: 'Of a stream: the last event that was read.' },
    },
    answers: {
      200: {
        description: 'A page of events, or a stream of them.',
        schema: object({
          events: list(EVENT),
          next: { type: ['integer', 'null'], description: 'Where the next page begins.' },
          last: { ...SEQ, description: 'The number of the last event there is.' },
        }),
        types: { 'text/event-stream': { type: 'string' } },
      },
      204: { description: 'Of a stream: the last event was read, and the run has ended.' },
    },
    handle: (call) => (wantsStream(call.request) ? stream(call) : page(call)),
  },
  {
    method: 'get',
    path: '/runs/{run}/blocks/{path}/form',
    does: 'look',
    name: 'blockForm',
    summary: "A block in its strategy's own form, as data that a page draws",
    params: { run: RUN, path: PATH },
    query: {
      at: { ...SEQ, description: 'As it was at this event; as it is, unless given.' },
      lang: { enum: LANGS, description: "Unless given, the goal's." },
    },
    answers: {
      200: {
        description: 'The form; null if its strategy has none, or there is nothing to show yet.',
        schema: object({ form: { anyOf: [FORM, { type: 'null' }] } }),
      },
    },
    handle: form,
  },
  {
    method: 'get',
    path: '/runs/{run}/export',
    does: 'look',
    name: 'exportRun',
    summary: 'The run as a file, for imports elsewhere',
    params: { run: RUN },
    answers: {
      200: { description: 'Lines of JSON.', types: { 'application/x-ndjson': { type: 'string' } } },
    },
    async handle({ service: { engine }, params: { run = '' } }) {
      const lines = (await engine.export(run))[Symbol.asyncIterator]()
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await lines.next()
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        },
        cancel: async () => void (await lines.return?.()),
      })
      return new Response(body, { headers: fileHeaders(run, 'jsonl', 'application/x-ndjson') })
    },
  },
  {
    method: 'get',
    path: '/runs/{run}/page',
    does: 'look',
    name: 'runPage',
    summary: 'The run as one HTML file that shows it without a service',
    params: { run: RUN },
    answers: { 200: { description: 'The page.', types: { 'text/html': { type: 'string' } } } },
    async handle({ service: { engine, strategies }, params: { run = '' } }) {
      const page = await sharedPage(await engine.events(run), await viewsOf(strategies))
      return new Response(page, { headers: fileHeaders(run, 'html', 'text/html; charset=utf-8') })
    },
  },
]

function fileHeaders(run: string, ending: string, type: string) {
  const name = `thinkon-${run.replace(/[^\w.-]+/g, '-')}.${ending}`
  return { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }
}

function stateJson({ blocks, running, config, ...state }: RunState) {
  return {
    ...state,
    config: configWithoutOrigin(config),
    blocks: Object.fromEntries(blocks),
    running: Object.fromEntries(running),
  }
}

function wantsStream(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/event-stream')
}

async function page({ service: { engine }, params: { run = '' }, query }: Call) {
  const { from = 1, limit = 100 } = query as { from?: number; limit?: number }
  const { seq } = await engine.row(run)
  const events: string[] = []
  let chars = 0
  for (const event of await engine.events(run, from, from + limit - 1)) {
    const text = JSON.stringify(withoutOrigin(event))
    chars += text.length
    if (chars > MAX_PAGE_CHARS && events.length > 0) break
    events.push(text)
  }
  const next = from + events.length
  const rest = JSON.stringify({ next: next <= seq ? next : null, last: seq })
  return new Response(`{"events":[${events.join()}],${rest.slice(1)}`, {
    headers: { 'content-type': 'application/json' },
  })
}

async function form({ service: { engine, strategies }, params: { run = '', path = '' }, query }: Call) {
  const { at, lang } = query as { at?: number; lang?: Lang }
  const events = [...(await engine.events(run, 1, at))]
  const begun = events.find((event) => event.type === 'block-start' && event.path === path)
  if (begun?.type !== 'block-start') throw new HttpError(404, `run ${run} has no block ${path} there`)
  return { form: blockForm(events, await viewsOf(strategies), { path, lang: lang ?? langOf(begun.goal) }) }
}

async function stream(call: Call): Promise<Response> {
  const {
    service,
    params: { run = '' },
    query,
    request,
    limits,
    abandon,
    onError,
  } = call
  const { from = 1, deltas = false } = query as { from?: number; deltas?: boolean }
  const last = lastEventId(request)
  const { seq } = await service.engine.row(run)
  const first = last === null ? from : last + 1
  if (first > seq && (await hasEnded(service, run, seq))) return new Response(null, { status: 204 })
  const release = limits.openStream()
  const gone = new AbortController()
  const end = () => {
    release()
    gone.abort()
  }
  // Whoever is gone before the answer begins never reads it, and never cancels it.
  if (request.signal.aborted) end()
  request.signal.addEventListener('abort', end, { once: true })
  let isEnded = false
  async function* items() {
    for await (const item of service.follow(run, { from: first, deltas, signal: gone.signal })) {
      isEnded = item.type === 'run-end'
      yield withoutOrigin(item)
    }
  }
  const body = eventStream(items(), {
    heartbeatMs: limits.heartbeatMs,
    stallMs: limits.stallMs,
    abandon,
    endOf: () => (isEnded ? 'run-end' : 'stopping'),
    onEnd: end,
    onError,
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

async function hasEnded({ engine }: Call['service'], run: string, seq: number): Promise<boolean> {
  const [last] = await engine.events(run, seq, seq)
  return last?.type === 'run-end'
}

function lastEventId(request: Request): number | null {
  const given = request.headers.get('last-event-id')
  if (given === null || given === '') return null
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new HttpError(400, "Last-Event-ID must be an event's number")
}
