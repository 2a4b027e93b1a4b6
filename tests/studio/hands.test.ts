// Taking a run's hand in the page: real Chromium, a real service, scripted models.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { builtinTools } from '../../src/index.ts'
import type { Event } from '../../src/protocol/index.ts'
import { plan, taskModel } from '../dual/scripted-tasks.ts'
import { gate, type Script, storeFile } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio, type Studio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

const returns = (result: string) => ({ do: 'return', result })
const asks = (question: object) => ({ do: 'ask', question })

/** These replies, in order; then it returns. */
function says(...replies: unknown[]): Script {
  const left = [...replies]
  return (request, io) => {
    const next = left.shift() ?? returns('done')
    return typeof next === 'function' ? next(request, io) : next
  }
}

async function started(studio: Studio, body: object = {}): Promise<string> {
  const response = await studio.post('/api/runs', { goal: 'Tidy the garden', ...body })
  return ((await response.json()) as { run: string }).run
}

async function journal({ service }: Studio, run: string): Promise<Event[]> {
  return [...(await service.engine.events(run))]
}

async function answers(studio: Studio, run: string): Promise<unknown[]> {
  const events = await journal(studio, run)
  return events.flatMap((event) =>
    event.type === 'signal-answered' ? [event.result.ok ? event.result.value : null] : [],
  )
}

const bar = (page: Page) => page.locator('.waiting')
const panel = (page: Page) => page.locator('.panel')
const status = (page: Page, name: string) => page.locator('.run-head .pill', { hasText: name }).waitFor()

function folder(): string {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-hands-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  return workspace
}

it('tells who answers too late that somebody was quicker, also when the question is gone', async () => {
  const studio = await openStudio({
    script: says(asks({ text: 'Which bed first?', choices: ['roses', 'herbs'] })),
  })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}`)
  await bar(page).getByRole('button', { name: 'herbs' }).waitFor()
  // What happens meanwhile does not reach the page.
  await page.route('**/events*', (route) => route.abort())
  await page.route('**/answers', async (route) => {
    await studio.post(`/api/runs/${run}/answers`, { answer: 'roses' })
    await expect.poll(() => answers(studio, run)).toEqual(['roses'])
    await page.unroute('**/events*')
    await route.continue()
  })
  await bar(page).getByRole('button', { name: 'herbs' }).click()
  await status(page, 'completed')
  const notice = page.locator('.notice', { hasText: 'Your answer was not taken: ' })
  await notice.waitFor()
  expect(await answers(studio, run)).toEqual(['roses'])
  await notice.getByRole('button', { name: 'Close this notice' }).click()
  await expect.poll(() => notice.count()).toBe(0)
})

it('answers a question: a wrong answer says what is allowed, two pages see the same', async () => {
  const script = says(asks({ text: 'Which bed first?', choices: ['roses', 'herbs'] }), asks({ text: 'Why?' }))
  const studio = await openStudio({ script })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}`)
  const other = await studio.open(`/runs/${run}?block=1`)
  await bar(page).getByText('Which bed first?').last().waitFor()
  await expect.poll(() => page.title()).toBe('(1) Tidy the garden')
  await page.keyboard.press('q')
  expect(await page.locator(':focus').textContent()).toBe('roses')
  await bar(page).getByLabel('Your answer').fill('tulips')
  await bar(page).getByRole('button', { name: 'Answer', exact: true }).click()
  await bar(page)
    .getByText(/“tulips” is no choice.*roses, 2 herbs/)
    .waitFor()
  await panel(other).getByRole('button', { name: 'herbs' }).click()
  // The next question is news in both, and free text answers it.
  await page.locator('.toast').getByText('Why?').waitFor()
  await page.locator('.toast').getByRole('link', { name: 'Show it' }).click()
  await panel(page).getByText('Why?').waitFor()
  await panel(other).getByLabel('Your answer').fill('they are\nhungry')
  await panel(other).getByRole('button', { name: 'Answer', exact: true }).click()
  await Promise.all([page, other].map((one) => status(one, 'completed')))
  await expect.poll(() => page.title()).toBe('Tidy the garden')
  expect(await answers(studio, run)).toEqual(['herbs', 'they are\nhungry'])
  expect(studio.problems.filter((problem) => !problem.includes('400'))).toEqual([])
})

it('allows and denies a tool, with the lines that it would change', async () => {
  const workspace = folder()
  writeFileSync(join(workspace, 'plan.txt'), 'dig\nsow\nwait\n')
  const call = (name: string, input: object) => ({ do: 'tool', calls: [{ id: name, name, input }] })
  const script = says(
    call('read_file', { path: 'plan.txt' }),
    call('write_file', { path: 'plan.txt', content: 'dig\nwater\nwait\n' }),
    call('edit_file', { path: 'plan.txt', old: 'wait', new: 'harvest' }),
  )
  const tools = builtinTools({ workspace })
  const studio = await openStudio({ script, service: { workspace }, engine: { tools } })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}?block=1&tab=tools`)
  const line = (kind: string, text: string) => bar(page).locator(`.diff-${kind}`, { hasText: text }).waitFor()
  await line('removed', 'sow')
  await line('added', 'water')
  await line('same', 'dig')
  await bar(page).getByRole('button', { name: 'yes', exact: true }).click()
  await line('removed', 'wait')
  await line('added', 'harvest')
  await bar(page).getByRole('button', { name: 'no', exact: true }).click()
  await status(page, 'completed')
  expect(readFileSync(join(workspace, 'plan.txt'), 'utf8')).toBe('dig\nwater\nwait\n')
  // What was done is shown in the same way.
  await panel(page).locator('.diff-added', { hasText: 'water' }).waitFor()
  await panel(page).getByText('a person said no').first().waitFor()
  expect(studio.problems).toEqual([])
})

it('shows what a tool would do to a file that the run has never read, unless it may not read it', async () => {
  const workspace = folder()
  writeFileSync(join(workspace, 'plan.txt'), 'dig\nsow\nwait\n')
  writeFileSync(join(workspace, 'secret.txt'), 'the shed key is under the pot\n')
  const write = (path: string, content: string) => ({
    do: 'tool',
    calls: [{ id: path, name: 'write_file', input: { path, content } }],
  })
  const script = says(
    write('plan.txt', 'dig\nwater\nwait\n'),
    write('new.txt', 'rest\n'),
    write('secret.txt', 'nothing\n'),
  )
  const studio = await openStudio({
    script,
    service: {
      workspace,
      defaults: {
        strategy: 'minimal',
        approval: { workspace, asks: 'person', deny: ['read_file(secret.txt)'] },
      },
    },
    engine: { tools: builtinTools({ workspace }) },
  })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}`)
  const diff = bar(page).locator('.diff')
  await diff.locator('.diff-removed', { hasText: 'sow' }).waitFor()
  await diff.locator('.diff-same', { hasText: 'dig' }).waitFor()
  expect(await diff.locator('.diff-note').count()).toBe(0)
  await bar(page).getByRole('button', { name: 'yes', exact: true }).click()
  await diff.locator('.diff-added', { hasText: 'rest' }).waitFor()
  await expect.poll(() => diff.locator('.diff-note').count()).toBe(0)
  await bar(page).getByRole('button', { name: 'yes', exact: true }).click()
  await diff.locator('.diff-same', { hasText: 'nothing' }).waitFor()
  await diff.getByText('What it held before, if it was there, is not known here.').waitFor()
  expect(await page.getByText('the shed key').count()).toBe(0)
  await bar(page).getByRole('button', { name: 'no', exact: true }).click()
  await status(page, 'completed')
  expect(studio.problems).toEqual([])
})

it('shows requests as the model saw them: by section, data apart, what is as before, long texts folded', async () => {
  const workspace = folder()
  writeFileSync(join(workspace, 'long.txt'), `${'sow a seed <b>now</b> \u202e\n'.repeat(300)}the last line`)
  const script = says({ do: 'tool', calls: [{ id: 'a', name: 'read_file', input: { path: 'long.txt' } }] })
  const studio = await openStudio({
    script,
    service: { workspace },
    engine: { tools: builtinTools({ workspace }) },
  })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}?block=1&tab=requests`)
  const requests = panel(page).locator('.exchange')
  await expect.poll(() => requests.count()).toBe(2)
  const last = requests.last()
  await last.locator('.message-same > summary', { hasText: /messages as in the request before/ }).waitFor()
  await last.locator('.piece-data', { hasText: 'data from' }).first().waitFor()
  expect(await last.getByText('the last line').count()).toBe(0)
  await last
    .getByRole('button', { name: /Show all [\d,]+ characters/ })
    .first()
    .click()
  await last.getByText('the last line').first().waitFor()
  expect(await page.locator('pre b').count()).toBe(0)
  await last.locator('.message-reply dt', { hasText: 'result' }).waitFor()
  await requests
    .first()
    .locator('summary', { hasText: /\d+ in · \d+ out/ })
    .first()
    .waitFor()
  expect(studio.problems).toEqual([])
})

it('edits a plan in place and approves it with the changes, by keyboard alone', async () => {
  const model = taskModel({ 'plan all': [plan('dig', 'sow', { name: 'reap', after: ['sow'] })] })
  const studio = await openStudio({ engine: { model } })
  const run = await started(studio, { goal: 'all', strategy: 'dual', options: { review: 'manual' } })
  const page = await studio.open(`/runs/${run}`)
  await bar(page).getByRole('button', { name: 'Edit the plan' }).focus()
  await page.keyboard.press('Enter')
  const name = (n: number) => bar(page).getByLabel(`Name ${n}`, { exact: true })
  await name(1).fill('')
  await bar(page).getByText('Every task needs a name.').waitFor()
  expect(
    await bar(page)
      .getByRole('button', { name: /Approve/ })
      .isDisabled(),
  ).toBe(true)
  await name(1).fill('turn the soil')
  // Down below "sow", then "reap" goes and "water" comes, after "sow".
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => name(2).inputValue()).toBe('turn the soil')
  await bar(page).getByRole('button', { name: 'Remove: reap' }).press('Enter')
  await bar(page).getByRole('button', { name: 'Add a task' }).press('Enter')
  await name(3).fill('water')
  // An arrow looks at what can be waited for; it chooses nothing yet.
  const waitFor = bar(page).getByLabel('Wait for… water')
  await waitFor.press('ArrowDown')
  expect(await bar(page).locator('.plan-chip').count()).toBe(0)
  await page.keyboard.press('Escape')
  await waitFor.selectOption({ label: 'sow' })
  await bar(page).getByRole('button', { name: 'Approve with the changes' }).press('Enter')
  await bar(page).getByText('A task has ended').last().waitFor()
  const trees = (await journal(studio, run)).flatMap((event) =>
    event.type === 'note' && event.name === 'dual/plan-changed' ? [event.data as { tree: Tree }] : [],
  )
  const tasks = trees.at(-1)?.tree.subtasks ?? []
  expect(tasks.map((task) => task.name)).toEqual(['sow', 'turn the soil', 'water'])
  expect(tasks[2]?.depends_on).toEqual([tasks[0]?.id])
  await bar(page).getByRole('button', { name: 'end' }).press('Enter')
  await status(page, 'partial')
  expect(studio.problems).toEqual([])
})

it('keeps an edited plan: Answer and Enter in the empty field do not approve the old one', async () => {
  const model = taskModel({ 'plan all': [plan('dig', 'sow')] })
  const studio = await openStudio({ engine: { model } })
  const run = await started(studio, { goal: 'all', strategy: 'dual', options: { review: 'manual' } })
  const page = await studio.open(`/runs/${run}`)
  await bar(page).getByRole('button', { name: 'Edit the plan' }).click()
  await bar(page).getByLabel('Name 1', { exact: true }).fill('turn the soil')
  await bar(page).getByRole('button', { name: 'Approve with the changes' }).waitFor()
  await bar(page).getByRole('button', { name: 'Answer', exact: true }).click()
  const refusal = bar(page).getByText('You have edited the plan')
  await refusal.waitFor()
  await bar(page).locator('.answer textarea').press('Enter')
  await bar(page).getByRole('button', { name: 'end', exact: true }).click()
  const answers = async () => (await journal(studio, run)).filter(({ type }) => type === 'signal-answered')
  expect(await answers()).toEqual([])
  await bar(page).getByRole('button', { name: 'Approve with the changes' }).click()
  await bar(page).getByText('A task has ended').last().waitFor()
  expect(JSON.stringify(await answers())).toContain('turn the soil')
  expect(studio.problems).toEqual([])
})

interface Tree {
  readonly id: string
  readonly name: string
  readonly depends_on: readonly string[]
  readonly subtasks: readonly Tree[]
}

it('messages, skips and redoes blocks, and cancels a run; by keys, and not in the past', async () => {
  const slow = gate()
  const script: Script = (request, io) => {
    const { goal } = request.input as { goal: string }
    if (goal === 'weed') return slow.script(request, io)
    return request.messages.length < 4 ? { do: 'call', goals: ['weed'] } : slow.script(request, io)
  }
  const studio = await openStudio({ script })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}?block=1-1`)
  const taken = async (name: string) =>
    (await journal(studio, run)).flatMap((event) =>
      event.type === 'signal-taken' && event.name === name ? [event.value] : [],
    )
  await panel(page).getByRole('button', { name: 'Skip' }).waitFor()
  await page.keyboard.press('m')
  await page.getByRole('dialog').getByLabel('Message').waitFor()
  await page.keyboard.type('mind the roses')
  await page.keyboard.press('Control+Enter')
  await page.locator('.dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('r')
  await page.getByRole('button', { name: 'Redo it' }).click()
  await page.getByText('Say something first.').waitFor()
  await page.getByRole('dialog').getByLabel('What to do differently').fill('by hand')
  await page.getByRole('button', { name: 'Redo it' }).click()
  await expect.poll(() => taken('redo')).toEqual(['by hand'])
  await page.goto(`${studio.url}/#/runs/${run}?block=1-1%232`)
  await panel(page).getByRole('button', { name: 'Skip' }).click()
  await page.getByRole('button', { name: 'Skip it' }).click()
  await panel(page).locator('.pill', { hasText: 'skipped' }).waitFor()
  expect(await panel(page).getByRole('button', { name: 'Skip' }).count()).toBe(0)
  await page.goto(`${studio.url}/#/runs/${run}?block=1&at=3`)
  await page.getByText('As it was at event 3').waitFor()
  expect(await page.getByRole('button', { name: /^(?:Skip|Redo|Message|Cancel)$/ }).count()).toBe(0)
  await page.goto(`${studio.url}/#/runs/${run}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  await page.keyboard.press('X')
  await page.getByRole('button', { name: 'Keep it running' }).click()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByLabel('Why (optional)').fill('it rains')
  await page.getByRole('button', { name: 'Cancel the run' }).click()
  await status(page, 'cancelled')
  expect(await page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0)
  expect(studio.problems).toEqual([])
})

it('says that the service is gone, goes on when it is back, and resumes a run that nobody works on; in Chinese', async () => {
  const store = storeFile()
  const script = says(asks({ text: '先做哪个？', choices: ['yes', 'no'] }))
  const first = await openStudio({ store, script })
  const run = await started(first, { goal: '整理花园' })
  const page = await first.open(`/runs/${run}`, { locale: 'zh-CN' })
  await bar(page).getByText('先做哪个？').last().waitFor()
  await bar(page).getByRole('button', { name: '是', exact: true }).waitFor()
  await first.close()
  await page.getByText('与服务的连接已断开').waitFor()
  // Somebody else's service: it does not go on with runs by itself.
  const again = await openStudio({
    store,
    script: says(),
    listen: { port: first.port },
  })
  await page.getByText('与服务的连接已断开').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: '继续运行' }).click()
  await page.getByRole('button', { name: '继续运行' }).waitFor({ state: 'detached' })
  await bar(page).getByRole('button', { name: '是', exact: true }).click()
  await status(page, '已完成')
  expect(await answers(again, run)).toEqual(['yes'])
})

it('says that somebody has deleted the run that is shown, and offers nothing that needs it', async () => {
  const studio = await openStudio({ script: says(returns('swept')) })
  const run = await started(studio)
  const page = await studio.open(`/runs/${run}?block=1`)
  await status(page, 'completed')
  await page.getByRole('button', { name: 'Fork from here' }).waitFor()
  await studio.service.engine.delete(run)
  await page.locator('.notice').getByText('This run has been deleted.').waitFor()
  // What was read stays.
  await panel(page).getByText('swept').waitFor()
  for (const name of ['Fork from here', 'Again with changes', 'Save as a page', 'Redo'])
    expect(await page.getByRole('button', { name }).count(), name).toBe(0)
})

it('tells no news of a question that was there before the run was looked at', async () => {
  const studio = await openStudio({ script: () => asks({ text: 'Which bed first?' }) })
  const [one, two] = [await started(studio), await started(studio)]
  const page = await studio.open(`/runs/${one}`)
  await bar(page).getByLabel('Your answer').waitFor()
  // The journal is there before the stream is.
  await page.route('**/events*', async (route) => {
    if (route.request().headers().accept === 'text/event-stream') await page.waitForTimeout(500)
    await route.continue()
  })
  await page.goto(`${studio.url}/#/runs/${two}`)
  await bar(page).getByLabel('Your answer').waitFor()
  await page.waitForTimeout(300)
  expect(await page.locator('.toast').count()).toBe(0)
})
