// The views of a run beside its tree, in a real browser: its form, its time, and the tree that follows.
import { afterAll, afterEach, expect, it } from 'vitest'
import { shippedAbacus } from '../abacus.ts'
import { gate, type Script } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

const WAIT_MS = 15_000

afterEach(endAll)
afterAll(closeBrowser)

it('shows a search as a tree with its best path, and where the time went, by clicks and keys', async () => {
  const studio = await openStudio({ engine: { model: shippedAbacus() } })
  await studio.post('/api/runs', { id: 'search', goal: '(3+4)*(8-6)', strategy: 'tot' })
  await (await studio.service.attach('search')).outcome
  const page = await studio.open('/runs/search')
  page.setDefaultTimeout(WAIT_MS)
  await page.getByRole('tab', { name: 'Form' }).click()
  await expect.poll(() => page.locator('.thought-best').count(), { timeout: WAIT_MS }).toBe(4)
  expect(page.url()).toContain('view=form')
  await page.locator('.thought-best').last().click()
  await page.getByText('verified by program').waitFor()
  await page.keyboard.press('3')
  await page.getByRole('option', { name: 'completed 1 ' }).click()
  expect(page.url()).toMatch(/view=timeline.*block=1|block=1.*view=timeline/)
  expect(studio.problems).toEqual([])
})

it('follows a run that is live until the person moves the tree', async () => {
  const { script, open, asked } = gate()
  const studio = await openStudio({ script })
  await studio.post('/api/runs', { id: 'live', goal: 'wait' })
  await asked
  const page = await studio.open('/runs/live')
  page.setDefaultTimeout(WAIT_MS)
  const follow = page.getByRole('button', { name: 'Follow' })
  await follow.waitFor()
  expect(await follow.getAttribute('aria-pressed')).toBe('true')
  await page.mouse.move(500, 500)
  await page.mouse.wheel(0, 200)
  await expect.poll(() => follow.getAttribute('aria-pressed'), { timeout: WAIT_MS }).toBe('false')
  open()
  await follow.waitFor({ state: 'detached' })
  expect(studio.problems).toEqual([])
})

it('goes through the tree by keys: a folded block is unfolded before its first child is chosen', async () => {
  let asked = 0
  const script: Script = () =>
    asked++ === 0 ? { do: 'call', goals: ['look'] } : { do: 'return', result: 'done' }
  const studio = await openStudio({ script })
  const run = await studio.service.start('find out')
  await run.outcome
  const page = await studio.open(`/runs/${run.id}`)
  await page.getByRole('treeitem').nth(1).waitFor()
  await page.getByRole('tree').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(1)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(2)
  expect(page.url()).toMatch(/block=1$/)
  await page.keyboard.press('ArrowRight')
  expect(page.url()).toMatch(/block=1-1$/)
})

it('has a bar for each limit, with what is held; the time goes on while a model thinks, and not while a person does', async () => {
  const slow = gate()
  const script: Script = async (request, io) => {
    await slow.script(request, io)
    return { do: 'ask', question: { text: 'Which bed first?' } }
  }
  const studio = await openStudio({ script })
  const page = await studio.open()
  await page.clock.install()
  const run = await studio.service.start('Tidy the garden', { budget: { calls: 40, depth: 3 } })
  await page.goto(`${studio.url}/#/runs/${run.id}`)
  const bar = (name: string) => page.locator('.bar', { hasText: name })
  await bar('calls')
    .getByText(/of 40, \d+ held/)
    .waitFor({ state: 'attached' })
  await bar('depth').getByText('of 3').waitFor({ state: 'attached' })
  await page.clock.runFor(70_000)
  await expect.poll(() => bar('time').locator('.bar-text').textContent()).toMatch(/^1m/)
  slow.open()
  await page.locator('.waiting').getByLabel('Your answer').waitFor()
  const before = await bar('time').locator('.bar-text').textContent()
  await page.clock.runFor(70_000)
  expect(await bar('time').locator('.bar-text').textContent()).toBe(before)
})

it('leaves room for what matters most: the title on a laptop, the slider and the goals side by side on a phone', async () => {
  const { script, asked } = gate()
  const studio = await openStudio({ script })
  const goal = 'Bring the plan of the garden up to date'
  for (const id of ['one', 'two']) await studio.post('/api/runs', { id, goal })
  await asked
  const page = await studio.open('/runs/one')
  page.setDefaultTimeout(WAIT_MS)
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  const isWhole = (place: string): Promise<boolean> =>
    page.evaluate(`(() => {
      const at = document.querySelector('${place}')
      return at.clientWidth >= at.scrollWidth
    })()`)
  expect(await isWhole('.run-title')).toBe(true)
  await page.setViewportSize({ width: 360, height: 740 })
  const slider = await page.getByRole('slider').boundingBox()
  expect(slider?.width).toBeGreaterThan(300)
  await page.goto(`${studio.url}/#/runs/one?view=timeline&block=1`)
  await page.locator('.timeline-row').waitFor()
  const row = await page.locator('.timeline-row').boundingBox()
  const rows = await page.locator('.timeline-frame').boundingBox()
  expect(rows?.height).toBeGreaterThanOrEqual(row?.height ?? 0)
  await page.goto(`${studio.url}/#/compare/one/two?all=1`)
  await page.locator('.sides-block').first().waitFor()
  for (const place of ['.sides-run > a', '.sides-block > .text', 'main'])
    expect(await isWhole(place), place).toBe(true)
  expect(studio.problems).toEqual([])
})
