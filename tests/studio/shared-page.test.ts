// A run as one HTML file, opened from disk in a real browser.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/index.ts'
import type { Event, Goal } from '../../src/protocol/index.ts'
import { sharedPage } from '../../src/server/studio/shared-page.ts'
import { viewsOf, withOwn } from '../../src/strategies/registry.ts'
import type { StrategyModule } from '../../src/strategies/strategy-module.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { shippedAbacus } from '../abacus.ts'
import { openBrowser } from '../browser.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

const WAIT_MS = 15_000
const folder = mkdtempSync(join(tmpdir(), 'thinkon-shared-'))
let browser: Browser

beforeAll(async () => {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build-studio.ts')])
  browser = await openBrowser()
}, 120_000)
afterAll(async () => {
  await browser.close()
  await endAll()
  await closeBrowser()
  rmSync(folder, { recursive: true, force: true })
})

interface Opened {
  readonly page: Page
  /** What the page or the browser complained about. */
  readonly problems: string[]
  /** Of anything but the file. */
  readonly requests: string[]
}

/** `place`: behind the file's address; its tree, if it is not said. */
async function openFile(
  name: string,
  html: string,
  { place = '#/', ...options }: BrowserContextOptions & { place?: string } = {},
): Promise<Opened> {
  const file = join(folder, `${name}.html`)
  writeFileSync(file, html)
  return openAt(`${pathToFileURL(file).href}${place}`, options)
}

async function openAt(address: string, options: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext({ locale: 'en', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const problems: string[] = []
  const requests: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('request', (request) => {
    if (request.url() !== address.replace(/#.*/, '') && !request.url().startsWith('data:'))
      requests.push(request.url())
  })
  await page.goto(address)
  await page.locator('.run').waitFor()
  return { page, problems, requests }
}

interface Solved extends EngineOptions {
  strategy: string
  options?: Record<string, unknown>
}

async function solved(goal: Goal, { strategy, options, ...engineOptions }: Solved): Promise<Event[]> {
  const engine = createEngine({ ...engineOptions, store: ':memory:' })
  const run = await engine.start(goal, { strategy, ...(options && { options }) } as object)
  await run.outcome
  const events = [...(await engine.events(run.id))]
  await engine.close()
  return events
}

/** Says the same to every request. */
const replying = (value: object) => new ScriptedModel(() => value)

const pageOf = async (events: readonly Event[], own: readonly StrategyModule<string>[] = []) =>
  sharedPage(events, await viewsOf(withOwn(own)))

it('shows first what the run has made: the form of a single block, and of a tree the panel where there is room', async () => {
  const thoughts = await solved('(3+4)*(8-6)', { strategy: 'tot', model: shippedAbacus() })
  const single = await openFile('first-form', await pageOf(thoughts), { place: '' })
  await single.page.locator('.thought-best').first().waitFor()
  const parts = await solved('((3+4)*(8-6)+(12/4-1)*5)*2', { strategy: 'fractal', model: shippedAbacus() })
  const html = await pageOf(parts)
  const wide = await openFile('first-panel', html, { place: '' })
  await wide.page.locator('.panel').getByText(/= 48$/).first().waitFor()
  const narrow = await openFile('first-tree', html, { place: '', viewport: { width: 360, height: 740 } })
  await narrow.page.getByRole('treeitem').first().waitFor()
  expect(await narrow.page.locator('.panel').count()).toBe(0)
  for (const { problems } of [single, wide, narrow]) expect(problems).toEqual([])
})

it.each([
  { lang: 'en', tabs: ['Tree', 'Form', 'Timeline'], requests: 'Requests', events: 'Events', event: 'Event' },
  { lang: 'zh-CN', tabs: ['树', '形式', '时间线'], requests: '请求', events: '事件', event: '事件' },
])('has every view, the panel and time travel, and asks nobody for anything: $lang', async (words) => {
  const events = await solved('(3+4)*(8-6)', { strategy: 'tot', model: shippedAbacus() })
  const opened = await openFile(`search-${words.lang}`, await pageOf(events), { locale: words.lang })
  const { page } = opened
  const [tree = '', form = '', timeline = ''] = words.tabs
  expect(await page.title()).toBe('(3+4)*(8-6)')
  await page.getByRole('tab', { name: tree }).waitFor()
  await page.getByRole('treeitem').first().click()
  const panel = page.locator('.panel')
  await panel.getByRole('tab', { name: words.requests }).click()
  await panel.getByText('tot/generate').first().waitFor()
  await panel.getByRole('tab', { name: words.events }).click()
  expect(await panel.locator('.event').count()).toBe(events.filter(({ path }) => path === '1').length)
  await page.getByRole('tab', { name: form }).click()
  await expect.poll(() => page.locator('.thought-best').count(), { timeout: WAIT_MS }).toBe(4)
  await page.getByRole('tab', { name: timeline }).click()
  await page.getByRole('option', { name: / 1 / }).waitFor()
  // Back to where nothing had been thought of yet, and on from there.
  const slider = page.getByRole('slider')
  await slider.fill('3')
  const place = (seq: number) => page.locator('.time-place', { hasText: `${seq}/${events.length}` })
  await place(3).waitFor()
  await page.getByRole('tab', { name: form }).click()
  await expect.poll(() => page.locator('.thought-best').count()).toBe(0)
  await page.locator('.time-speed').selectOption('64')
  await page.getByRole('button', { name: /^(Play the run again|重新播放)$/ }).click()
  await place(events.length).waitFor()
  expect(opened.problems).toEqual([])
  expect(opened.requests).toEqual([])
})

it('offers nothing that needs a service', async () => {
  const question = { text: 'Tea or coffee?', choices: ['tea', 'coffee'] }
  const engine = createEngine({ store: ':memory:', model: replying({ do: 'ask', question }) })
  const run = await engine.start('breakfast', { strategy: 'minimal' })
  await expect.poll(async () => (await engine.outline(run.id)).status, { timeout: WAIT_MS }).toBe('waiting')
  const { page, problems } = await openFile('asks', await pageOf([...(await engine.events(run.id))]))
  await engine.close()
  await page.locator('.question', { hasText: 'Tea or coffee?' }).first().waitFor()
  await page.getByText('under way when this page was saved').waitFor()
  await page.getByRole('treeitem').first().click()
  const names = (await page.getByRole('button').all()).map(
    async (one) => `${await one.getAttribute('aria-label')} ${await one.textContent()}`,
  )
  expect((await Promise.all(names)).join(' ')).not.toMatch(
    /fork|redo|message|cancel|skip|send|answer|save|notif/i,
  )
  expect(await page.getByRole('textbox').count()).toBe(0)
  await page.keyboard.press('Control+k')
  const commands = await page.getByRole('option').allTextContents()
  expect(commands.join(' ')).toMatch(/Timeline/)
  expect(commands.join(' ')).not.toMatch(/fork|runs|compare|message|cancel|redo|answer|save/i)
  expect(problems).toEqual([])
})

it('shows hostile texts as text', async () => {
  const hostile =
    '</script><script>window.hacked=1</script><!--<script> <img src=x onerror="window.hacked=1"> \u202edesrever $& %run% %title%'
  const model = replying({ do: 'return', result: hostile })
  const events = await solved(hostile, { strategy: 'minimal', model })
  expect(events.findLast(({ type }) => type === 'block-end')).toMatchObject({ outcome: { result: hostile } })
  const html = await pageOf(events)
  // All of it is in the packed data, but for the title.
  expect(html.split('window.hacked')).toHaveLength(2)
  expect(html.includes('<script>window.hacked')).toBe(false)
  const { page, problems, requests } = await openFile('hostile', html)
  await page.getByRole('treeitem').first().click()
  const overview = page.locator('.panel .section').first()
  await overview.getByText('window.hacked=1').first().waitFor()
  expect(await overview.textContent()).toContain('</script><script>window.hacked=1</script><!--<script>')
  for (const tab of ['Requests', 'Events'])
    await page.locator('.panel').getByRole('tab', { name: tab }).click()
  expect(await page.title()).toContain('</script><script>')
  expect(await page.evaluate('"hacked" in window')).toBe(false)
  expect(await page.locator('img').count()).toBe(1)
  // Were it to get into the page as markup, the policy would not let it run.
  await page.evaluate(
    'document.body.append(Object.assign(document.createElement("script"), { textContent: "window.hacked = 1" }))',
  )
  expect(await page.evaluate('"hacked" in window')).toBe(false)
  expect(problems.filter((text) => !/Content Security Policy/.test(text))).toEqual([])
  expect(requests).toEqual([])
})

it("has the forms of a user's own strategy as data, as they were at any event, in both languages", async () => {
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
    view: async () => ({
      form: ({ path, journal }, lang) => ({
        caption: lang === 'zh' ? '倒计时' : 'countdown',
        parts: [
          {
            kind: 'list',
            title: 'left',
            items: journal
              .filter((event) => event.path === path && event.type === 'note')
              .map((event) => ({ text: `left at ${event.seq}`, state: 'done' as const })),
          },
        ],
      }),
    }),
  }
  const events = await solved('go', { strategy: 'countdown', strategies: [own], model: replying({}) })
  const { page, problems } = await openFile('own', await pageOf(events, [own]))
  await page.keyboard.press('2')
  await page.getByText('countdown', { exact: true }).waitFor()
  await expect.poll(() => page.getByText(/^left at/).count()).toBe(2)
  const first = events.find(({ type }) => type === 'note')?.seq ?? 0
  await page.getByRole('slider').fill(String(first))
  await expect.poll(() => page.getByText(/^left at/).count()).toBe(1)
  await page.getByRole('button', { name: '切换为中文' }).click()
  await page.getByText('倒计时', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

it('is under 2 MB for a run of 1,000 events', async () => {
  const goal = Array.from({ length: 40 }, (_, i) => `(${i + 3}+4)*(8-${i + 1})`).join('+')
  const events = await solved(goal, { strategy: 'fractal', model: shippedAbacus() })
  expect(events.length).toBeGreaterThanOrEqual(1_000)
  const html = await pageOf(events.slice(0, 1_000))
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000)
  const { page, problems } = await openFile('large', html)
  await page.locator('.time-place', { hasText: '1000/1000' }).waitFor()
  expect(problems).toEqual([])
})

it('is saved from Studio, in the list and on the page of the run, and opens from disk', async () => {
  const studio = await openStudio({ engine: { model: shippedAbacus() } })
  await studio.post('/api/runs', { id: 'sum', goal: '3+4', strategy: 'fractal' })
  await (await studio.service.attach('sum')).outcome
  const page = await studio.open('/runs')
  page.setDefaultTimeout(WAIT_MS)
  for (const place of ['/runs', '/runs/sum']) {
    await page.goto(`${studio.url}/#${place}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as a page' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('thinkon-sum.html')
    const opened = await openFile('saved', readFileSync(await saved.path(), 'utf8'))
    await opened.page.getByRole('treeitem').first().waitFor()
    expect(opened.problems).toEqual([])
  }
  expect(studio.problems).toEqual([])
})
