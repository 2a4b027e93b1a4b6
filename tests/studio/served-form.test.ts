// The form of an operator's own strategy: its code runs in the service, and the page gets data.
import { afterAll, afterEach, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { checkSchema } from '../../src/schema/check-schema.ts'
import { FORM } from '../../src/server/http/form-schema.ts'
import type { StrategyModule } from '../../src/strategies/strategy-module.ts'
import type { StrategyView } from '../../src/views.ts'
import { serveHere, TOKEN } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

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

it('is shown while the run tells more than the page can ask for', async () => {
  let step = () => {}
  let stop = () => {}
  const steps: StrategyModule<'countdown'> = {
    ...own,
    load: async () => ({
      options: () => ({}),
      async solve(context) {
        step = () => void context.emit('countdown/left', { left: 1 })
        await new Promise<void>((resolve) => {
          stop = resolve
        })
        return { status: 'completed', result: 'lift-off' }
      },
    }),
  }
  const studio = await openStudio({ engine: { strategies: [steps] }, service: { strategies: [steps] } })
  const run = await studio.service.start('go', { strategy: 'countdown' })
  const page = await studio.open()
  const asked: string[] = []
  // Before the first answer is there, the run has gone on; there is no second one.
  await page.route('**/form*', async (route) => {
    asked.push(route.request().url())
    if (asked.length > 1) return
    const shown = await page.locator('.time-place').textContent()
    step()
    await expect.poll(() => page.locator('.time-place').textContent()).not.toBe(shown)
    await route.continue()
  })
  await page.goto(`${studio.url}/#/runs/${run.id}?view=form`)
  await page.locator('.form-view').getByText('left', { exact: true }).waitFor({ timeout: 15_000 })
  // What has come since is asked for.
  await expect.poll(() => asked.length).toBe(2)
  stop()
  await run.outcome
})
