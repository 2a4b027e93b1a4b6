// The form of an operator's own strategy: its code runs in the service, and the page gets data.
import { afterEach, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { checkSchema } from '../../src/schema/check-schema.ts'
import { FORM } from '../../src/server/http/form-schema.ts'
import type { StrategyModule } from '../../src/strategies/strategy-module.ts'
import type { StrategyView } from '../../src/views.ts'
import { endAll, serveHere, TOKEN } from '../server/serve-here.ts'

afterEach(endAll)

const view: StrategyView = {
  form: ({ path, journal }, lang) => ({
    caption: lang === 'zh' ? '倒计时' : 'countdown',
    parts: [
      {
        kind: 'list',
        title: 'left',
        items: journal
          .filter((event) => event.path === path && event.type === 'note')
          .map((event) => ({ text: String(event.seq), state: 'done' as const })),
      },
    ],
  }),
}

const own: StrategyModule<'countdown'> = {
  name: 'countdown',
  version: 1,
  load: async () => ({
    options: () => ({}),
    async solve(context) {
      for (const left of [2, 1]) context.emit('countdown/left', { left })
      return { status: 'completed', result: 'lift-off' }
    },
  }),
  view: async () => view,
}

it('is made by the service, at any event, in either language', async () => {
  const { url } = await serveHere({ engine: { strategies: [own] }, service: { strategies: [own] } })
  const client = createClient({ url, token: TOKEN })
  const run = await client.start('go', { strategy: 'countdown' })
  await run.outcome
  const form = await client.form(run.id, '1', { lang: 'zh' })
  expect(checkSchema(form, FORM)).toEqual([])
  expect(form).toMatchObject({ caption: '倒计时', parts: [{ items: { length: 2 } }] })
  const { events } = await client.events(run.id)
  const first = events.find(({ type }) => type === 'note')?.seq ?? 0
  expect(await client.form(run.id, '1', { at: first })).toMatchObject({
    caption: 'countdown',
    parts: [{ items: { length: 1 } }],
  })
})
