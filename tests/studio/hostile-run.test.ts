// Every text of a run is a text in the page: nothing of it runs, is asked for, or turns what stands beside it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { storeFile } from '../server/serve-here.ts'
import { LINE_CHARS, writeHostileRun } from './hostile-run.ts'
import { closeBrowser, endAll, openStudio, studioBrowser } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

/** To lay a line of a million characters out takes a browser seconds, and on a busy machine many. */
const PATIENCE_MS = 90_000
/** A text that is longer than this is folded, until it is asked for. */
const MOST_CHARS = 10_000

/** Runs before the page does: the browser reports code that the policy has stopped, which is code all the same. */
const WATCH = `window.stopped = []
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  window.stopped.push(violatedDirective + ' ' + blockedURI))`

/** Runs in the page: what is wrong with it. */
const FAULTS = `(() => {
  const faults = window.stopped.map((what) => 'the policy has stopped ' + what)
  if (window.hacked !== undefined) faults.push('something of the run was executed: ' + window.hacked)
  for (const made of document.querySelectorAll('#studio :is(script, iframe, object, embed, [src*="evil"], [onerror], [href^="javascript:"])'))
    faults.push('made of a text: ' + made.outerHTML.slice(0, 200))
  const texts = document.createTreeWalker(document.querySelector('#studio'), NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const place = text.parentElement
    if (text.data.length > ${MOST_CHARS}) faults.push(text.data.length + ' characters in ' + place.outerHTML.slice(0, 80))
    // A tooltip is a line of its own.
    if (place.tagName === 'title' || !/[\\u202a-\\u202e\\u2066-\\u2069]/.test(text.data)) continue
    const { display, unicodeBidi } = getComputedStyle(place)
    const isAlone = place.childNodes.length === 1
    if (!isAlone || (display.startsWith('inline') && !/isolate|plaintext/.test(unicodeBidi)))
      faults.push('turns what is beside it: ' + place.outerHTML.slice(0, 80))
  }
  for (const { name, value, ownerElement } of [...document.querySelectorAll('#studio *')].flatMap((one) => [...one.attributes]))
    if (value.length > ${MOST_CHARS} && name !== 'd') faults.push(value.length + ' characters in ' + name + ' of ' + ownerElement.tagName)
  return faults
})()`

async function look(page: Page, url: string, shows: string): Promise<void> {
  await page.goto(url)
  await page.locator(shows).first().waitFor()
  // Whatever is drawn later is drawn by now: two frames.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  expect.soft({ url, faults: await page.evaluate(FAULTS) }).toEqual({ url, faults: [] })
}

const VIEWS: readonly [query: string, shows: string][] = [
  ['', '.card'],
  ['?view=form', '.run-views'],
  ['?view=timeline', '.timeline-title'],
  ['?block=1', '.panel'],
  ['?block=1&tab=requests', '.panel .exchange'],
  ['?block=1&tab=tools', '.panel .diff'],
  ['?block=1&tab=events', '.panel .event'],
  ['?block=1&at=305', '.panel'],
]

/** It still does what it is told: a block is chosen, all of a long line is shown, and the palette opens. */
async function use(page: Page, run: string): Promise<void> {
  await page.goto(run)
  await page.locator('.card').first().click()
  await page.locator('.panel').waitFor()
  await page.goto(`${run}?block=1&tab=requests`)
  const reply = page.locator('.panel .message-reply')
  await reply.locator('summary').click()
  await reply
    .getByRole('button', { name: /Show all 1,\d+,\d+ characters/ })
    .last()
    .click()
  await expect
    .poll(async () => (await reply.locator('pre').last().textContent())?.length)
    .toBeGreaterThan(LINE_CHARS)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  expect(await page.evaluate('window.hacked')).toBeUndefined()
}

function watched(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).origin))
  page.on('dialog', (dialog) => asked.push(dialog.message()))
  return asked
}

it(
  'shows hostile texts as texts in every view',
  async () => {
    const store = storeFile()
    writeHostileRun(store, 'open', false)
    writeHostileRun(store, 'ended', true)
    const studio = await openStudio({ store })
    const page = await studio.open()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.addInitScript(WATCH)
    await page.reload()
    const asked = watched(page)
    const at = (hash: string) => `${studio.url}/#${hash}`
    await look(page, at('/runs'), 'a[href*="runs/open"]')
    for (const run of ['open', 'ended'])
      for (const [query, shows] of VIEWS) await look(page, at(`/runs/${run}${query}`), shows)
    await look(page, at('/runs/open?block=1-1'), '.panel .question .diff')
    await look(page, at('/runs/open?block=1-1-1'), '.panel .question .value-form')
    await page.locator('.panel').getByRole('tab', { name: 'Call a tool' }).click()
    await page.locator('.panel .reply-form select').first().waitFor()
    expect.soft(await page.evaluate(FAULTS)).toEqual([])
    await look(page, at('/compare/open/ended'), '.sides-note')
    await look(page, at('/compare?runs=open,ended'), 'table')
    await use(page, at('/runs/open'))
    expect(new Set(asked)).toEqual(new Set([studio.url]))
    expect(studio.problems).toEqual([])
  },
  4 * PATIENCE_MS,
)

it(
  'shows them as texts in the page of the run that is given away',
  async () => {
    const store = storeFile()
    writeHostileRun(store, 'ended', true)
    const studio = await openStudio({ store })
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-hostile-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'run.html')
    writeFileSync(file, await (await studio.fetch('/api/runs/ended/page')).text())
    const context = await (await studioBrowser()).newContext({ locale: 'en' })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    page.setDefaultTimeout(PATIENCE_MS)
    await page.addInitScript(WATCH)
    const asked = watched(page)
    const url = pathToFileURL(file).href
    for (const [query, shows] of VIEWS) await look(page, `${url}#/runs/ended${query}`, shows)
    await use(page, `${url}#/runs/ended`)
    expect(new Set(asked)).toEqual(new Set(['null']))
    expect(problems).toEqual([])
  },
  4 * PATIENCE_MS,
)
