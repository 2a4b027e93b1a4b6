/** Steering runs that are there. */
import { defined, type ForkEdit, type Limits, ROOT_PATH } from '../../../protocol/index.ts'
import { proposedChanges } from '../../proposed-changes.ts'
import { allowedModel } from '../../start-request.ts'
import { blockAt, openBlock } from '../../steer.ts'
import { FILE_CHANGE } from '../change-schema.ts'
import { type Call, type Route, requireAllowed } from '../route.ts'
import { BUDGET, EDIT, list, object, PATH, QUESTION_ID, RUN, SEQ, STARTED } from '../schemas.ts'

const closed = { additionalProperties: false } as const
const SENT = {
  description:
    'What was sent. It takes effect at once if somebody works on the run, otherwise when it is resumed.',
  schema: object({
    run: { type: 'string' },
    path: { type: 'string' },
    name: { type: 'string' },
    running: { type: 'boolean' },
  }),
}

export const STEER_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/runs/{run}/questions/{question}/changes',
    does: 'preview',
    name: 'proposedChanges',
    summary: 'What a call that asks for permission would do to files, against what they hold now',
    params: { run: RUN, question: { type: 'string', pattern: '^[1-9][0-9]{0,15}$' } },
    answers: {
      200: {
        description: 'The changes; null if the run may not read the file, or it is no text.',
        schema: object({ changes: { anyOf: [list(FILE_CHANGE), { type: 'null' }] } }),
      },
    },
    async handle({ service: { engine, workspace }, params: { run = '', question } }) {
      return { changes: await proposedChanges(await engine.outline(run), Number(question), workspace) }
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/signals',
    does: 'signal',
    name: 'signalRun',
    summary: 'Sends a signal to a block: message, skip, redo, cancel, or what a strategy waits for',
    params: { run: RUN },
    body: {
      ...object(
        {
          path: PATH,
          name: { type: 'string', minLength: 1, maxLength: 200 },
          value: { description: 'Any JSON.' },
        },
        ['name'],
      ),
      ...closed,
    },
    answers: { 202: SENT },
    async handle({ service: { engine }, params: { run = '' }, body }) {
      const { path = ROOT_PATH, name, value } = body as { path?: string; name: string; value?: unknown }
      await openBlock(engine, run, path)
      await engine.signal(run, path, name, value)
      return sent(engine, run, path, name)
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/answers',
    does: 'answer',
    name: 'answerRun',
    summary: 'Answers an open question: what a model asks, a review, a permission',
    description:
      'Also while nobody works on the run. Of two answers to a question one is accepted; the other gets 409 and the code QUESTION_NOT_OPEN.',
    params: { run: RUN },
    body: {
      ...object(
        {
          answer: {
            description:
              "One of the question's choices, its number or its beginning; a text or a value if it has none or allows others.",
          },
          question: { ...QUESTION_ID, description: 'Its id; needed if several are open.' },
        },
        ['answer'],
      ),
      ...closed,
    },
    answers: {
      202: {
        description: 'The answer was accepted. A run that nobody works on takes it when it is resumed.',
        schema: object({ run: { type: 'string' }, running: { type: 'boolean' } }),
      },
    },
    async handle({ service: { engine }, params: { run = '' }, body }) {
      const { answer, question } = body as { answer: unknown; question?: number }
      await engine.answer(run, answer, defined({ question }))
      return { run, running: (await engine.row(run)).owned }
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/cancel',
    does: 'cancel',
    name: 'cancelRun',
    summary: 'Ends a run for good, with what it has',
    params: { run: RUN },
    body: { ...object({ reason: { type: 'string', maxLength: 10_000 } }, []), ...closed },
    answers: { 202: SENT },
    async handle({ service, params: { run = '' }, body }) {
      const { reason = '' } = (body ?? {}) as { reason?: string }
      await openBlock(service.engine, run, ROOT_PATH)
      await service.engine.signal(run, ROOT_PATH, 'cancel', reason)
      // One that nobody works on is taken up to end it: a signal takes effect before any step. Others end it later.
      if (!(await service.engine.row(run)).owned) await service.attach(run).catch(() => {})
      return sent(service.engine, run, ROOT_PATH, 'cancel')
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/resume',
    does: 'resume',
    name: 'resumeRun',
    summary: 'Goes on with a run that has stopped or waits for its model',
    params: { run: RUN },
    body: {
      ...object(
        {
          strict: {
            type: 'boolean',
            description: 'Refuse if a prompt of an open block or a model has changed.',
          },
          budget: BUDGET,
        },
        [],
      ),
      ...closed,
    },
    answers: { 202: { description: 'The run is worked on.', schema: STARTED } },
    async handle({ service, params: { run = '' }, body }) {
      const { id } = await service.attach(run, (body ?? {}) as { strict?: boolean; budget?: Partial<Limits> })
      return { run: id }
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/trust',
    does: 'trust',
    name: 'trustRun',
    summary: 'Lets a run that was not started here, and its forks, be resumed until the service ends',
    description:
      "Refused by services of several clients; `thinkon studio` allows it. A resume uses the model, folder and rules of the run's journal.",
    params: { run: RUN },
    answers: { 200: { description: 'The run.', schema: STARTED } },
    async handle({ service, params: { run = '' } }) {
      await service.trust(run)
      return { run }
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/redo',
    does: 'redo',
    name: 'redoBlock',
    summary: 'Solves a block again; if the run has ended, in a fork of it',
    params: { run: RUN },
    body: {
      ...object(
        {
          path: PATH,
          message: { type: 'string', maxLength: 100_000, description: 'What to do differently.' },
        },
        ['path'],
      ),
      ...closed,
    },
    answers: { 202: { description: 'The run in which it happens.', schema: STARTED } },
    description: 'A fork is a new run: it needs the scope `start`, too.',
    async handle({ service, params: { run = '' }, body, scopes, limits }) {
      const { path, message = '' } = body as { path: string; message?: string }
      const { state } = await blockAt(service.engine, run, path)
      if (state.outcome !== null) {
        requireAllowed({ scopes }, 'redo in a fork')
        await service.requireOwn(run)
        limits.countStart()
      }
      const made = await service.engine.redo(run, path, message)
      if (made !== run) await service.attach(made)
      return { run: made }
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/fork',
    does: 'fork',
    name: 'forkRun',
    summary: 'Makes a new run that shares the journal up to an event',
    description:
      'Files and other side effects are not rolled back, and answers of the run count in the fork: it needs the scope `steer`, too.',
    params: { run: RUN },
    body: {
      ...object(
        {
          at: { ...SEQ, description: 'The last shared event.' },
          edit: EDIT,
          model: {
            type: 'string',
            description:
              'The model that goes on with it: one of those of the service; as before, unless given.',
          },
          resume: { type: 'boolean', description: 'Go on with the new run at once; true unless given.' },
        },
        ['at'],
      ),
      ...closed,
    },
    answers: { 201: { description: 'The new run.', schema: STARTED } },
    async handle({ service, params: { run = '' }, body, limits }) {
      const {
        at,
        edit,
        model,
        resume = true,
      } = body as { at: number; edit?: ForkEdit; model?: string; resume?: boolean }
      // Before there is a fork that nobody goes on with.
      if (model !== undefined) allowedModel(model, service.models)
      if (resume) await service.requireOwn(run)
      limits.countStart()
      const made = await service.engine.fork(run, at, edit, { toResume: resume })
      if (resume) await service.attach(made, defined({ model }))
      return { run: made }
    },
  },
  {
    method: 'post',
    path: '/runs/{run}/replay',
    does: 'look',
    name: 'replayRun',
    summary: 'Executes a run again from its journal, calling nothing, and says where it differs',
    params: { run: RUN },
    answers: {
      200: {
        description: 'The differences; none if it goes the same way.',
        schema: object({ differences: { type: 'array', items: { type: 'object' } } }, ['differences']),
      },
    },
    handle: ({ service: { engine }, params: { run = '' } }) => engine.replay(run),
  },
]

async function sent(engine: Call['service']['engine'], run: string, path: string, name: string) {
  const { owned } = await engine.row(run)
  return { run, path, name, running: owned }
}
