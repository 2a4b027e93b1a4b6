// A run of thousands of events is seen while it is still being read.
import { afterAll, afterEach, expect, it } from 'vitest'
import { storeFile } from '../server/serve-here.ts'
import { writeLargeRun, writeLongBlock } from './large-run.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

it('draws what it has read, says how much there is, and goes on by pages to the end', async () => {
  const store = storeFile()
  const events = writeLargeRun(store, { id: 'large', blocks: 400, hasEnded: false })
  const studio = await openStudio({ store })
  const page = await studio.open()
  const held = Promise.withResolvers<void>()
  const asked: string[] = []
  await page.route('**/api/runs/large/events**', async (route) => {
    asked.push(new URL(route.request().url()).search)
    if (asked.length > 2) await held.promise
    await route.continue()
  })
  await page.goto(`${studio.url}/#/runs/large`)
  await page.getByText(`reading 2000/${events}`).waitFor()
  await page.getByRole('treeitem').first().waitFor()
  // What is read is past: nothing can be steered by it.
  expect(await page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0)
  held.resolve()
  await page.getByText(`${events}/${events}`).waitFor()
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  expect(asked).toEqual(
    [1, 1001, 2001, 3001, 4001]
      .map((from) => `?from=${from}&limit=1000`)
      .concat(`?from=${events + 1}&deltas=true`),
  )
  expect(studio.problems).toEqual([])
})

it('reads the rest as a stream where a page can not be had', async () => {
  const store = storeFile()
  const events = writeLargeRun(store, { id: 'large', blocks: 200, hasEnded: true })
  const studio = await openStudio({ store })
  const page = await studio.open()
  await page.route('**/events?from=1001&limit=1000', (route) => route.abort())
  await page.goto(`${studio.url}/#/runs/large`)
  await page.getByText(`${events}/${events}`).waitFor()
})

it('draws of a block with a hundred requests, each with all before it, what is looked at', async () => {
  const store = storeFile()
  writeLongBlock(store, { id: 'long', calls: 100, notes: 900 })
  const studio = await openStudio({ store })
  const page = await studio.open('/runs/long?block=1&tab=requests')
  const nodes = (): Promise<number> => page.evaluate('document.querySelectorAll("*").length')
  await expect.poll(() => page.locator('.exchange').count()).toBe(100)
  await page.getByText(/^\d+ messages as in the request before$/).click()
  await page.getByText('result 1 ', { exact: false }).first().waitFor()
  expect(await nodes()).toBeLessThan(10_000)
  await page.locator('.exchange').first().locator('> summary').click()
  await page.locator('.exchange').first().getByText('reply 1', { exact: true }).first().waitFor()
  await page.getByRole('tab', { name: 'Events' }).click()
  await expect.poll(() => page.locator('.event').count()).toBe(500)
  await page.getByRole('button', { name: 'Show all 1,102 events' }).click()
  await expect.poll(() => page.locator('.event').count()).toBe(1_102)
  expect(studio.problems).toEqual([])
})

it('marks what happened in a long run to its end, however much has happened before', async () => {
  const store = storeFile()
  writeLongBlock(store, { id: 'long', calls: 1, notes: 3_000 })
  const studio = await openStudio({ store })
  const page = await studio.open('/runs/long')
  await page.getByText('3004/3004').waitFor()
  const marks = page.locator('.time-marks rect')
  const [, , width] = String(await page.locator('.time-marks').getAttribute('viewBox')).split(' ')
  await expect
    .poll(async () => Number(await marks.last().getAttribute('x')))
    .toBeGreaterThan(Number(width) * 0.99)
  expect(await marks.count()).toBeLessThan(1_000)
})
