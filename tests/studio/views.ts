/** Every view of Studio, reached by its address, keys and clicks, with the runs of shown-runs.ts: for pictures, and for what holds in all of them. */
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import type { ShownRuns } from './shown-runs.ts'

export interface ShownView {
  readonly name: string
  /** Behind the `#`. */
  readonly place: string
  /** In the file that `thinkon export --html` writes; on the service if it is not said. */
  readonly inFile?: boolean
  /** What is there once it is drawn. */
  readonly shows: string
  /** What is done before it is looked at. */
  act?(page: Page): Promise<unknown>
}

/** Before there are any runs. */
export const EMPTY: ShownView = { name: 'runs-empty', place: '/runs', shows: '.empty' }

export const VIEWS: readonly ShownView[] = [
  { name: 'runs', place: '/runs', shows: '.runs-status' },
  { name: 'runs-none-found', place: '/runs?search=nobody-has-called-a-run-so', shows: '.empty' },
  { name: 'runs-chosen', place: '/runs', shows: '.runs-status', act: choose },
  { name: 'runs-lost', place: '/runs', shows: '.runs-status', act: loseService },
  { name: 'delete', place: '/runs', shows: '.runs-status', act: askToDelete },
  { name: 'start', place: '/runs?new=1', shows: '.start-foot', act: fillStart },
  { name: 'tree', place: '/runs/gallery-fractal', shows: '.card' },
  { name: 'tree-live', place: '/runs/lighthouse', shows: '.card' },
  { name: 'form-fractal', place: '/runs/gallery-fractal?view=form', shows: '.form-view' },
  { name: 'form-planner', place: '/runs/gallery-planner?view=form&block=1-2', shows: '.form-view' },
  { name: 'form-tot', place: '/runs/gallery-tot?view=form', shows: '.thought-best' },
  { name: 'form-cot', place: '/runs/gallery-cot?view=form', shows: '.form-view' },
  { name: 'form-dual', place: '/runs/gallery-dual?view=form', shows: '.form-view' },
  { name: 'timeline', place: '/runs/gallery-planner?view=timeline', shows: '.timeline-row' },
  { name: 'panel', place: '/runs/gallery-fractal?block=1', shows: '.panel' },
  { name: 'panel-requests', place: '/runs/gallery-fractal?block=1&tab=requests', shows: '.exchange' },
  { name: 'panel-tools', place: '/runs/garden?block=1&tab=tools', shows: '.panel .tab-panel' },
  { name: 'panel-events', place: '/runs/gallery-fractal?block=1&tab=events', shows: '.panel .tab-panel' },
  { name: 'question', place: '/runs/festival', shows: '.waiting .question' },
  { name: 'request', place: '/runs/harbour', shows: '.waiting .reply-form' },
  { name: 'request-tool', place: '/runs/harbour', shows: '.waiting .reply-form', act: chooseTool },
  { name: 'permission', place: '/runs/garden', shows: '.waiting .diff' },
  { name: 'plan', place: '/runs/plan', shows: '.waiting .question' },
  { name: 'plan-edited', place: '/runs/plan', shows: '.waiting .question', act: editPlan },
  {
    name: 'message',
    place: '/runs/lighthouse?block=1',
    shows: '.panel [aria-keyshortcuts=m]',
    act: press('m'),
  },
  { name: 'past', place: '/runs/gallery-fractal?at=41', shows: '.card' },
  { name: 'fork', place: '/runs/gallery-fractal?at=41', shows: '.card', act: press('F') },
  { name: 'fork-prompt', place: '/runs/gallery-fractal?at=3', shows: '.card', act: editPrompt },
  { name: 'compare-two', place: '/compare/sum-planner/sum-dual', shows: '.sides-table tbody tr' },
  { name: 'compare-many', place: '/compare', shows: '.plot' },
  { name: 'palette', place: '/runs/gallery-fractal', shows: '.card', act: press('Control+k') },
  { name: 'run-lost', place: '/runs/lighthouse', shows: '.card', act: loseStream },
  { name: 'failed', place: '/runs/key', shows: '.card' },
  { name: 'no-such-run', place: '/runs/nobody-knows-it', shows: '.empty [role=alert]' },
  {
    name: 'compare-no-such-run',
    place: '/compare/gallery-cot/nobody-knows-it',
    shows: '.empty [role=alert]',
  },
  { name: 'nothing-there', place: '/elsewhere', shows: '.empty' },
  { name: 'page', inFile: true, place: '/', shows: '.card' },
  { name: 'page-form', inFile: true, place: '/?view=form', shows: '.thought-best' },
  { name: 'page-timeline', inFile: true, place: '/?view=timeline&block=1', shows: '.timeline-row' },
]

/** Goes there and waits until all of it is drawn. */
export async function showView(page: Page, { studio, file }: ShownRuns, view: ShownView): Promise<void> {
  const { place, inFile = false, shows, act } = view
  await page.context().setOffline(false)
  await page.unrouteAll()
  // A new document: whatever the view before has left open is gone.
  await page.goto('about:blank')
  await page.goto(`${inFile ? pathToFileURL(file) : `${studio.url}/`}#${place}`)
  await page.locator(shows).first().waitFor()
  await act?.(page)
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

function press(key: string) {
  return async (page: Page) => {
    await page.keyboard.press(key)
    await page.locator('.dialog').waitFor()
  }
}

async function choose(page: Page): Promise<void> {
  for (const at of [0, 1]) await page.locator('tbody input[type=checkbox]').nth(at).check()
  await page.locator('.chosen-bar').waitFor()
}

async function askToDelete(page: Page): Promise<void> {
  await choose(page)
  await page.locator('.chosen-bar .button-danger').click()
  await page.locator('.dialog').waitFor()
}

async function fillStart(page: Page): Promise<void> {
  await page.locator('.dialog textarea').first().fill('Find out why the tests fail, and mend it')
  await page.locator('.dialog select').first().selectOption('tot')
  await page.locator('.start-options').waitFor()
}

async function editPlan(page: Page): Promise<void> {
  await page.locator('.plan-actions .button').nth(1).click()
}

async function editPrompt(page: Page): Promise<void> {
  await press('F')(page)
  await page.locator('.dialog .prompt-text').last().fill('Name a colour')
}

async function loseService(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await page.locator('.notice').waitFor()
}

async function loseStream(page: Page): Promise<void> {
  await page.route('**/events*', (route) =>
    route.request().headers().accept === 'text/event-stream' ? route.abort() : route.continue(),
  )
  await page.reload()
  await page.locator('.notice').waitFor()
}

async function chooseTool(page: Page): Promise<void> {
  await page.locator('.waiting').getByRole('tab', { name: 'Call a tool' }).click()
}
