// What axe-core finds in any view of Studio, light and dark: nothing.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeBrowser, endAll } from './open-studio.ts'
import { openShownRuns, type ShownRuns } from './shown-runs.ts'
import { EMPTY, type ShownView, showView, VIEWS } from './views.ts'

const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))
const START_MS = 120_000
const VIEW_MS = 60_000

let shown: ShownRuns
let page: Page

beforeAll(async () => {
  shown = await openShownRuns()
  page = await shown.studio.open('', { reducedMotion: 'reduce' })
  page.setDefaultTimeout(15_000)
  await page.addInitScript(readFileSync(AXE, 'utf8'))
}, START_MS)

afterAll(async () => {
  await shown.studio.close()
  await endAll()
  await closeBrowser()
}, START_MS)

it('finds nothing where there are no runs', () => expectNoFindings(EMPTY), VIEW_MS)

describe('with runs', () => {
  beforeAll(() => shown.begin(), START_MS)

  it.each(VIEWS)('finds nothing in the view $name', expectNoFindings, VIEW_MS)

  it(
    'finds nothing in tables that a phone can only show by scrolling',
    async () => {
      const size = page.viewportSize()
      await page.setViewportSize({ width: 360, height: 740 })
      for (const view of VIEWS.filter(({ name }) => name.startsWith('compare-'))) await expectNoFindings(view)
      if (size !== null) await page.setViewportSize(size)
    },
    VIEW_MS,
  )

  it('finds a button without a name: it does look', async () => {
    await showView(page, shown, { name: 'nowhere', place: '/elsewhere', shows: '.empty' })
    await page.evaluate('void document.querySelector("main").append(document.createElement("button"))')
    expect(await findings()).toEqual([expect.stringContaining('button-name')])
  })
})

async function expectNoFindings(view: ShownView): Promise<void> {
  await showView(page, shown, view)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findings(), colorScheme).toEqual([])
  }
}

interface Axe {
  run(): Promise<{
    violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[]
  }>
}

async function findings(): Promise<string[]> {
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run())
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  )
}
