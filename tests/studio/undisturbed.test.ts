// What a person is at stays as it is while the run goes on: windows, what is read, what is typed, and where the focus is.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it } from 'vitest'
import { plan, taskModel } from '../dual/scripted-tasks.ts'
import { gate, type Script } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio, type Studio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

async function started(studio: Studio, body: object = {}): Promise<string> {
  const response = await studio.post('/api/runs', { goal: 'Tidy the garden', ...body })
  return ((await response.json()) as { run: string }).run
}

const asks = (question: object) => ({ do: 'ask', question })

/** These replies, in order; then it returns. */
function says(...replies: unknown[]): Script {
  const left = [...replies]
  return () => left.shift() ?? { do: 'return', result: 'done' }
}

const goalOf: (request: Parameters<Script>[0]) => string = ({ input }) => (input as { goal: string }).goal
/** By its name; empty if nothing has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const { activeElement: at } = document
    return at === document.body ? '' : (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent)
  })()`)

/** Its model waits before each of these replies until it is let go on. */
function stepwise(...replies: unknown[]) {
  const gates = replies.map(gate)
  let at = 0
  const script: Script = async (request, io) => {
    const n = at++
    await gates[n]?.script(request, io)
    return replies[n] ?? { do: 'return', result: 'done' }
  }
  return { script, gates }
}

it('forks at the event that the window was opened at, whatever comes meanwhile', async () => {
  const { script, gates } = stepwise({ do: 'call', goals: ['look'] })
  const studio = await openStudio({ script })
  const run = await started(studio, { goal: 'find out' })
  const page = await studio.open(`/runs/${run}`)
  await gates[0]?.asked
  const dialog = page.getByRole('dialog')
  await page.getByRole('treeitem').first().waitFor()
  const { length } = [...(await studio.service.engine.events(run))]
  await expect.poll(() => page.locator('.time-place').textContent()).toContain(`${length}/${length}`)
  await page.keyboard.press('F')
  const title = await dialog.getByRole('heading').textContent()
  expect(title).toBe(`Fork at event ${length}`)
  const field = dialog.locator('.prompt-text').last()
  await field.fill('another prompt')
  gates[0]?.open()
  await page.locator('.run-head .pill', { hasText: 'completed' }).waitFor()
  expect(await dialog.getByRole('heading').textContent()).toBe(title)
  expect(await field.inputValue()).toBe('another prompt')
  expect(studio.problems).toEqual([])
})

it('leaves what is read in the panel open, and a window opened there, when the next request comes', async () => {
  const { script, gates } = stepwise({ do: 'call', goals: ['look'] }, { do: 'return', result: 'seen' })
  const studio = await openStudio({ script })
  const run = await started(studio, { goal: 'find out' })
  const page = await studio.open(`/runs/${run}?block=1&tab=requests`)
  await gates[0]?.asked
  await page.getByRole('button', { name: /Edit/ }).click()
  await page.getByRole('dialog').waitFor()
  for (const one of gates) one.open()
  await expect.poll(() => page.locator('.exchange').count()).toBe(2)
  expect(await page.getByRole('dialog').isVisible()).toBe(true)
  expect(await page.locator('.exchange').first().getAttribute('open')).toBe('')
  expect(studio.problems).toEqual([])
})

it('keeps the question open that is being answered when another comes before it', async () => {
  const slow = gate()
  const script: Script = async (request, io) => {
    const goal = goalOf(request)
    if (goal === 'find out')
      return request.messages.length < 4
        ? { do: 'call', goals: ['first', 'second'] }
        : { do: 'return', result: 'done' }
    if (request.messages.length >= 4) return { do: 'return', result: 'done' }
    if (goal === 'first') await slow.script(request, io)
    return { do: 'ask', question: { text: `what of the ${goal}?` } }
  }
  const studio = await openStudio({ script })
  const run = await started(studio, { goal: 'find out' })
  const page = await studio.open(`/runs/${run}`)
  await page.locator('.waiting').getByLabel('Your answer').first().fill('half an ans')
  slow.open()
  await expect.poll(() => page.locator('.waiting-one').count()).toBe(2)
  const field = page.locator('.waiting-one', { hasText: 'second' }).getByLabel('Your answer')
  expect(await field.isVisible()).toBe(true)
  expect(await field.inputValue()).toBe('half an ans')
})

it('gives the focus back where a window was opened, however it is closed', async () => {
  const slow = gate()
  const studio = await openStudio({ script: slow.script })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}`)
  const message = page.getByRole('button', { name: 'Message', exact: true })
  // Not by its role: the browser hides a window before the page is told that it is closed.
  const dialog = page.locator('.dialog')
  await page.locator('.card-running').first().waitFor()
  for (const close of ['Escape', 'Close', 'send']) {
    await message.press('Enter')
    await dialog.waitFor()
    if (close === 'Escape') await page.keyboard.press('Escape')
    else if (close === 'Close') await dialog.getByRole('button', { name: 'Close' }).press('Enter')
    else {
      await dialog.getByLabel('Message').fill('mind the roses')
      await page.keyboard.press('Control+Enter')
    }
    await dialog.waitFor({ state: 'detached' })
    expect(await focused(page), close).toBe('Message')
  }
  await page.goto(`${studio.url}/#/runs`)
  await page.locator('.runs-status').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('search')
  await page.keyboard.press('Enter')
  expect(await focused(page)).toBe('Search in goals and ids')
})

it('leaves the focus where an answer was refused, and moves it on when one was taken', async () => {
  const script = says(asks({ text: 'Which bed first?', choices: ['roses', 'herbs'] }))
  const studio = await openStudio({ script })
  const page = await studio.open(`/runs/${await started(studio)}`)
  const question = page.locator('.waiting')
  await question.getByLabel('Your answer').fill('tulips')
  await page.keyboard.press('Enter')
  await question.getByText('“tulips” is no choice').waitFor()
  expect(await focused(page)).toBe('Your answer')
  await question.getByRole('button', { name: 'Answer', exact: true }).press('Enter')
  await expect.poll(() => studio.problems.length).toBe(2)
  expect(await focused(page)).toBe('Answer')
  await question.getByRole('button', { name: 'herbs' }).press('Enter')
  await page.locator('.run-head .pill', { hasText: 'completed' }).waitFor()
  // What comes next for Tab is the page, not the browser.
  expect(await page.locator('main:focus').count()).toBe(1)
})

it('keeps the focus in a plan that is edited by keyboard', async () => {
  const model = taskModel({ 'plan all': [plan('dig', 'sow', { name: 'reap', after: ['sow'] })] })
  const studio = await openStudio({ engine: { model } })
  const run = await started(studio, { goal: 'all', strategy: 'dual', options: { review: 'manual' } })
  const page = await studio.open(`/runs/${run}`)
  const question = page.locator('.waiting')
  const press = async (button: string | RegExp, expected: string) => {
    await question.getByRole('button', { name: button, exact: true }).press('Enter')
    expect(await focused(page), `${button}`).toBe(expected)
  }
  await press('Edit the plan', 'Name 1')
  await press('Move down: dig', 'Move down: dig')
  // It can go no further: the other way is left.
  await press('Move down: dig', 'Move up: dig')
  await press('Remove: reap', 'Name 2')
  await press('Remove: dig', 'Name 1')
  await press('Add a sub-task: sow', 'Name 1.1')
  await press('Add a task', 'Name 2')
  await page.keyboard.type('water')
  expect(await question.getByLabel('Name 2', { exact: true }).inputValue()).toBe('water')
  await page.keyboard.press('Alt+ArrowUp')
  expect(await focused(page)).toBe('Name 1')
  const wait = question.getByLabel('Wait for… water')
  await wait.selectOption({ label: 'sow' })
  await press('Do not wait for sow: water', 'Wait for… water')
  for (const name of ['water', 'sow'] as const)
    await question.getByRole('button', { name: `Remove: ${name}` }).press('Enter')
  expect(await focused(page)).toBe('Add a task')
  await press('Discard the changes', 'Edit the plan')
  expect(studio.problems).toEqual([])
})

it('tells of a question that comes, where it is read out and stays no longer than it is needed', async () => {
  const slow = gate()
  const script: Script = async (request, io) => {
    await slow.script(request, io)
    return asks({ text: 'Which bed first?' })
  }
  const studio = await openStudio({ script })
  const page = await studio.open()
  await page.clock.install()
  await page.goto(`${studio.url}/#/runs/${await started(studio)}`)
  await page.getByRole('treeitem').first().waitFor()
  // What is read out is what changes in a region that was there before.
  const region = page.locator('.toast-region[role=status]')
  expect(await region.textContent()).toBe('')
  slow.open()
  await region.getByText('Which bed first?').waitFor()
  // Not while it is about to be used.
  await region.getByRole('link', { name: 'Show it' }).focus()
  await page.clock.runFor(60_000)
  expect(await region.getByText('Which bed first?').count()).toBe(1)
  await page.locator('.waiting').getByLabel('Your answer').focus()
  await page.clock.runFor(60_000)
  await region.getByText('Which bed first?').waitFor({ state: 'detached' })
  expect(await page.locator('.waiting').getByText('Which bed first?').count()).toBeGreaterThan(0)
})

it('tells of a question that the panel shows already without lying over its answers', async () => {
  const slow = gate()
  const script: Script = async (request, io) => {
    await slow.script(request, io)
    return asks({ text: 'Which bed first?' })
  }
  const studio = await openStudio({ script })
  const page = await studio.open(`/runs/${await started(studio)}?block=1`)
  await page.locator('.panel').getByRole('button', { name: 'Skip' }).waitFor()
  slow.open()
  await page.locator('.panel').getByLabel('Your answer').waitFor()
  await expect.poll(() => page.locator('.toast-region').textContent()).toContain('Which bed first?')
  expect(await page.locator('.toast').count()).toBe(0)
})
