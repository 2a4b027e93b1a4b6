/** Starting, importing and deleting runs. */
import type { Goal } from '../../../protocol/index.ts'
import { requireDelete } from '../../service.ts'
import { RUN_ID, type StartRequest } from '../../start-request.ts'
import { bodyBudget, bodyChunks } from '../read-body.ts'
import type { Route } from '../route.ts'
import { object, RUN, START, STARTED } from '../schemas.ts'

export const START_ROUTES: readonly Route[] = [
  {
    method: 'post',
    path: '/runs',
    does: 'start',
    name: 'startRun',
    summary: 'Starts a run',
    description: "The operator's defaults hold where the request says nothing.",
    body: START,
    answers: { 201: { description: 'It has begun; `Location` is its address.', schema: STARTED } },
    async handle({ service, body, base, limits, client, scopes }) {
      const { goal, ...request } = body as StartRequest & { goal: Goal }
      limits.countStart()
      const { id } = await service.start(goal, request, { client, scopes })
      return Response.json(
        { run: id },
        { status: 201, headers: { location: `${base}/runs/${encodeURIComponent(id)}` } },
      )
    },
  },
  {
    method: 'post',
    path: '/imports',
    does: 'import',
    name: 'importRun',
    summary: 'Adds a run from the file of an export',
    description:
      'It can be looked at and replayed. To resume it, resume it on the command line first: it was not started here.',
    query: { as: { ...RUN_ID, description: "The run's new id." } },
    upload: { type: 'application/x-ndjson', description: 'What an export returns.' },
    answers: {
      201: {
        description: 'The run; `existed` if the store had it already.',
        schema: object({
          run: { type: 'string' },
          events: { type: 'integer' },
          existed: { type: 'boolean' },
        }),
      },
    },
    async handle({ service: { engine }, request, query, limits }) {
      limits.countStart()
      const { as } = query as { as?: string }
      const { maxImportBytes, importTimeoutMs } = limits
      const file = bodyChunks(request, bodyBudget(maxImportBytes), importTimeoutMs)
      return engine.import(file, as === undefined ? {} : { as })
    },
  },
  {
    method: 'delete',
    path: '/runs/{run}',
    does: 'delete',
    name: 'deleteRun',
    summary: 'Deletes a run and what only it needed; forks of it stay whole',
    params: { run: RUN },
    answers: {
      200: { description: 'How many bytes were freed.', schema: object({ freedBytes: { type: 'number' } }) },
    },
    async handle({ service: { engine }, params: { run = '' }, client, scopes }) {
      await requireDelete(engine, run, { client, scopes })
      return engine.delete(run)
    },
  },
]
