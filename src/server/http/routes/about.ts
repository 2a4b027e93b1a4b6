/** What the service offers: models, strategies, tools, blueprints; and whom it tells. */
import { DEFAULT_LIMITS } from '../../../protocol/index.ts'
import { loadBlueprints } from '../../../tools/blueprints/blueprint-tools.ts'
import { describeStrategy } from '../../describe-strategy.ts'
import type { Route } from '../route.ts'
import { BUDGET, list, object } from '../schemas.ts'

const anObject = { type: 'object' } as const
const aText = { type: 'string' } as const

const MAX_DELIVERIES = 1_000
const DELIVERY = {
  title: 'WebhookDelivery',
  ...object(
    {
      id: { type: 'string', description: 'The webhook-id.' },
      type: aText,
      run: aText,
      receiver: { type: 'string', description: 'Where to, without path and query.' },
      state: { enum: ['pending', 'delivered', 'failed'] },
      attempts: { type: 'integer' },
      createdAt: aText,
      nextAt: { type: 'string', description: 'When it is tried again.' },
      doneAt: { type: 'string', description: 'When it was delivered or given up.' },
      lastStatus: { type: 'integer' },
      lastError: aText,
    },
    ['id', 'type', 'run', 'receiver', 'state', 'attempts', 'createdAt'],
  ),
} as const

export const ABOUT_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/models',
    does: 'look',
    name: 'listModels',
    summary: 'The models that a run may use; the first is the default',
    answers: {
      200: {
        description: 'Their specs, and the most that a run may be given.',
        schema: object({
          models: list(object({ model: aText, isDefault: { type: 'boolean' } })),
          budget: BUDGET,
        }),
      },
    },
    handle: ({ service: { models, budget } }) => ({
      models: models.map((model, i) => ({ model, isDefault: i === 0 })),
      budget: { ...DEFAULT_LIMITS, ...budget },
    }),
  },
  {
    method: 'get',
    path: '/strategies',
    does: 'look',
    name: 'listStrategies',
    summary: 'The ways of reasoning, with JSON Schemas of their options',
    answers: {
      200: {
        description: 'The strategies.',
        schema: object({
          strategies: list(
            object({ name: aText, version: { type: 'integer' }, summary: aText, options: anObject }),
          ),
        }),
      },
    },
    async handle({ service: { strategies } }) {
      return { strategies: await Promise.all([...strategies.values()].map(describeStrategy)) }
    },
  },
  {
    method: 'get',
    path: '/tools',
    does: 'look',
    name: 'listTools',
    summary: 'The tools that runs may use',
    answers: {
      200: {
        description: 'The tools; in a cluster the workers have others.',
        schema: object({ tools: list(object({ name: aText, description: aText }, ['name'])) }),
      },
    },
    handle: async ({ service: { engine } }) => ({ tools: await engine.tools() }),
  },
  {
    method: 'get',
    path: '/blueprints',
    does: 'look',
    name: 'listBlueprints',
    summary: 'The blueprints of the workspace and those that come with Thinkon',
    answers: {
      200: {
        description: 'The blueprints, and files that can not be used.',
        schema: object({
          blueprints: list(
            object({ name: aText, verbose_name: aText, description: aText, parameters: {} }, ['name']),
          ),
          broken: list(object({ name: aText, message: aText })),
        }),
      },
    },
    async handle({ service: { workspace } }) {
      if (workspace === undefined) return { blueprints: [], broken: [] }
      const { blueprints, broken } = await loadBlueprints(workspace)
      const listed = blueprints.map(({ name, verbose_name, description, parameters }) => ({
        name,
        verbose_name,
        description,
        parameters,
      }))
      return { blueprints: listed, broken }
    },
  },
  {
    method: 'get',
    path: '/webhooks',
    does: 'look',
    name: 'listWebhooks',
    summary:
      'What receivers were told of runs that have ended or wait, and what is still to be told; the newest first',
    query: { limit: { type: 'integer', minimum: 1, maximum: MAX_DELIVERIES, default: 100 } },
    answers: {
      200: { description: 'The deliveries.', schema: object({ deliveries: list(DELIVERY) }) },
    },
    async handle({ service: { webhooks }, query }) {
      const { limit = 100 } = query as { limit?: number }
      return { deliveries: (await webhooks?.deliveries(limit)) ?? [] }
    },
  },
]
