// The list of runs as a person meets it, in a real browser on a real service: found, filtered, started, done again, kept and thrown away.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import type { Script } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio, type Studio } from './open-studio.ts'

const WAIT_MS = 15_000
let page: Page

afterEach(endAll)
afterAll(closeBrowser)

const script: Script = ({ messages }) =>
  JSON.stringify(messages).includes('Ask me')
    ? { do: 'ask', question: { text: 'Which?', choices: ['red', 'green'] } }
    : { do: 'return', result: 'done' }

/** With these runs, the first the oldest. */
async function serve(...runs: readonly object[]): Promise<Studio> {
  const served = await openStudio({ script })
  for (const run of runs) {
    const { id } = run as { id: string }
    await served.post('/api/runs', run)
    if (id !== 'asks') await (await served.service.attach(id)).outcome
  }
  return served
}

async function open(served: Studio, place = '/runs'): Promise<void> {
  page = await served.open(place)
  page.setDefaultTimeout(WAIT_MS)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

const ids = () => page.locator('tbody .mono').allTextContents()
const listed = (...expected: string[]) => expect.poll(ids, { timeout: WAIT_MS }).toEqual(expected)
const dialog = () => page.getByRole('dialog')

it('lists runs, those that wait for somebody first; searches and filters, in the address', async () => {
  const served = await serve(
    { id: 'asks', goal: 'Ask me' },
    { id: 'one', goal: 'Sort the mail' },
    { id: 'two', goal: 'Count the <b>apples</b>', model: 'slow' },
  )
  await open(served)
  await listed('asks', 'two', 'one')
  const first = page.locator('tbody tr').first()
  await expect.poll(() => first.textContent()).toContain('1 question')
  expect(await first.textContent()).toContain('waiting')
  expect(await page.locator('tbody tr').nth(1).textContent()).toContain('slow')
  expect(await page.locator('tbody tr').nth(1).textContent()).toContain('<b>apples</b>')

  await page.keyboard.press('/')
  await page.keyboard.type('MAIL')
  await listed('one')
  expect(page.url()).toContain('search=MAIL')
  await page.getByLabel('Search in goals and ids').fill('')
  await page.getByLabel('Status').selectOption('waiting')
  await listed('asks')
  expect(page.url()).toContain('status=waiting')
  await page.getByLabel('Status').selectOption('')
  await page.getByLabel('Strategy').selectOption('cot')
  await page.getByText('No run matches.').waitFor()
  await page.getByText('Show all runs').click()
  await listed('asks', 'two', 'one')

  // It is live, and what a person is about to use stays where it is.
  await page.getByLabel('Choose: Sort the mail').focus()
  await served.post('/api/runs', { id: 'three', goal: 'New' })
  // By itself: the focus or the pointer that a person moves there lets the rows go.
  await page.getByRole('button', { name: '1 new' }).dispatchEvent('click')
  await listed('asks', 'three', 'two', 'one')
})

it('pages through many runs', async () => {
  const served = await serve()
  const lines = await exported(served)
  for (let i = 0; i < 120; i++)
    await served.fetch(`/api/imports?as=r${i}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines,
    })
  await open(served, '/runs?page=2')
  await page.getByText('101–121 of 121').waitFor()
  expect(await ids()).toHaveLength(21)
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.getByText('1–100 of 121').waitFor()
  await expect.poll(ids, { timeout: WAIT_MS }).toContain('r119')
})

async function exported(served: Studio): Promise<string> {
  await served.post('/api/runs', { id: 'first', goal: 'a goal' })
  await (await served.service.attach('first')).outcome
  return (await served.fetch('/api/runs/first/export')).text()
}

it('starts a run with options, by keys alone; a refusal is told where it belongs; again with changes', async () => {
  const served = await serve()
  await open(served)
  await page.getByText('No runs yet.').waitFor()
  await page.keyboard.press('n')
  await dialog().getByLabel('Goal', { exact: true }).waitFor()
  await page.keyboard.press('Control+Enter')
  await dialog().getByText('A goal is needed.').waitFor()
  await page.keyboard.type('What is 17 * 23?')
  const press = async (key: string, times: number) => {
    for (let i = 0; i < times; i++) await page.keyboard.press(key)
  }
  // Past the four parts of a goal and its files, to the strategy; its options come after the model.
  await press('Tab', 3)
  await page.keyboard.type('minimal')
  await press('Tab', 2)
  expect(await page.locator(':focus').getAttribute('inputmode')).toBe('decimal')
  await page.keyboard.type('-5')
  await page.keyboard.press('Enter')
  const problem = dialog().getByText(/^timelineChars .*-5/)
  await problem.waitFor()
  expect(await page.locator(':focus').getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('4000')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/runs\/[^?]+$/)
  const run = page.url().split('/').at(-1) as string
  const start = async (id: string) => [...(await served.service.engine.events(id, 1, 1))][0]
  expect(await start(run)).toMatchObject({
    goal: 'What is 17 * 23?',
    strategy: expect.stringMatching(/^minimal@/),
    options: { timelineChars: 4000 },
  })

  await open(served, `/runs?again=${run}`)
  await expect.poll(() => dialog().getByLabel('Goal', { exact: true }).inputValue()).toBe('What is 17 * 23?')
  expect(await dialog().getByLabel('timelineChars').inputValue()).toBe('4000')
  await dialog().getByLabel('Model').selectOption('slow')
  await dialog().getByText('Limits').click()
  await dialog().getByLabel('Calls').fill('99999')
  await dialog().getByRole('button', { name: 'Start' }).click()
  await dialog()
    .getByText(/budget.calls is 99999, and this service allows at most/)
    .waitFor()
  await dialog().getByLabel('Calls').fill('7')
  await dialog().getByText('Goal in four parts').click()
  await dialog().getByLabel('Deliverable').fill('a number')
  await dialog().locator('summary', { hasText: 'Output schema' }).click()
  await dialog().getByLabel('Output schema').fill('{ no')
  await dialog().getByRole('button', { name: 'Start' }).click()
  await dialog().getByText('This is no JSON object.').waitFor()
  await dialog().getByLabel('Output schema').fill('')
  await dialog().getByRole('button', { name: 'Start' }).click()
  await page.waitForURL((url) => /^#\/runs\/[^?]+$/.test(url.hash) && !url.hash.includes(run))
  expect(await start(page.url().split('/').at(-1) as string)).toMatchObject({
    goal: { intent: 'What is 17 * 23?', deliverable: 'a number', metric: '', constraint: '' },
    options: { timelineChars: 4000 },
    limits: { calls: 7 },
    config: { model: 'slow' },
  })
})

it('gives files to a run: they are in the workspace, and its goal names them; one that was taken out is not', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-given-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const served = await openStudio({ script, service: { workspace } })
  await open(served)
  await page.keyboard.press('n')
  await dialog().getByLabel('Goal', { exact: true }).fill('Sum up the numbers')
  const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  const chosen = dialog().getByLabel('Files')
  await chosen.setInputFiles([file('numbers.csv', '1,2\n'), file('wrong.csv', '0\n')])
  await chosen.setInputFiles([file('Zahlen ü.csv', '\u00e9\n')])
  await dialog().getByRole('button', { name: 'Without wrong.csv' }).click()
  await expect.poll(() => dialog().locator('.file-list li').count()).toBe(2)
  await page.keyboard.press('Control+Enter')
  await page.locator('.run-head', { hasText: 'Sum up the numbers' }).waitFor()
  const [{ goal }] = ((await served.json('/api/runs')) as { runs: { goal: string }[] }).runs as [
    { goal: string },
  ]
  const names = [...goal.matchAll(/^- (inputs\/.+)$/gm)].map(([, name]) => name as string)
  expect(names.map((name) => name.replace(/[0-9a-f]{8}/, '…'))).toEqual([
    'inputs/…/numbers.csv',
    'inputs/…/Zahlen ü.csv',
  ])
  expect(names.map((name) => readFileSync(join(workspace, name), 'utf8'))).toEqual(['1,2\n', '\u00e9\n'])
  // Again with changes: the goal has them already.
  await page.getByRole('button', { name: 'Again with changes' }).click()
  await expect.poll(() => dialog().getByLabel('Goal', { exact: true }).inputValue()).toContain(names[0])
  expect(served.problems).toEqual([])
})

it('tells that files can not be given where there is no workspace', async () => {
  const served = await serve()
  await open(served, '/runs')
  await page.keyboard.press('n')
  await dialog().getByLabel('Goal', { exact: true }).fill('Sum up')
  await dialog()
    .getByLabel('Files')
    .setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }])
  await dialog().getByRole('button', { name: 'Start', exact: true }).click()
  await dialog().getByText('this service has no workspace to put them into').waitFor()
})

it('exports, deletes after asking, and imports; what goes wrong is told', async () => {
  const served = await serve({ id: 'one', goal: 'a' }, { id: 'asks', goal: 'Ask me' })
  await open(served)
  await listed('asks', 'one')
  const row = page.locator('tbody tr').nth(1)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('thinkon-one.jsonl')
  const file = await readFile(await download.path(), 'utf8')

  await row.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Keep' }).click()
  await listed('asks', 'one')
  await page.getByLabel('Choose all on this page').check()
  await page.getByRole('region', { name: '2 chosen' }).getByRole('button', { name: 'Delete' }).click()
  await dialog().getByText('Delete 2 runs?').waitFor()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  // Somebody works on the other one.
  await dialog().getByText('asks: it is under way; cancel it first').waitFor()
  await page.keyboard.press('Escape')
  await listed('asks')

  const files = [
    { name: 'one.jsonl', mimeType: '', buffer: Buffer.from(file) },
    { name: 'broken.jsonl', mimeType: '', buffer: Buffer.from('{"no') },
  ]
  await page.locator('input[type=file]').setInputFiles(files)
  await listed('asks', 'one')
  await page
    .getByRole('alert')
    .getByText(/^broken.jsonl: /)
    .waitFor()
  // Once it is read it can go; the keyboard goes on from the page.
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).press('Enter')
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await page.locator('main:focus').count()).toBe(1)
  await page.getByRole('link', { name: 'one', exact: true }).waitFor()
})

it('shows two runs that were chosen side by side', async () => {
  const served = await serve({ id: 'one', goal: 'a' }, { id: 'two', goal: 'b' }, { id: 'three', goal: 'c' })
  await open(served)
  const sides = page.getByRole('button', { name: 'Side by side' })
  await page.getByLabel('Choose: a').check()
  expect(await sides.count()).toBe(0)
  await page.getByLabel('Choose: c').check()
  await sides.press('Enter')
  await page.getByRole('heading', { name: 'Two runs side by side' }).waitFor()
  expect(await page.locator('.sides-run > a').allTextContents()).toEqual(['a', 'c'])
})

it('compares the runs that wait for a person, as the list has them', async () => {
  const served = await serve({ id: 'one', goal: 'a' }, { id: 'asks', goal: 'Ask me' })
  await open(served, '/runs?status=waiting')
  await page.getByRole('link', { name: 'Ask me' }).waitFor()
  await page.getByRole('link', { name: 'Compare what is listed' }).click()
  await page.getByText('1 run', { exact: true }).waitFor()
  expect(await page.getByRole('table').last().locator('tbody a').allTextContents()).toEqual(['Ask me'])
})

it('compares runs that were chosen, or those of a filter', async () => {
  const served = await serve(
    { id: 'one', goal: 'a' },
    { id: 'two', goal: 'b', model: 'slow' },
    { id: 'three', goal: 'c' },
  )
  await open(served)
  await page.getByLabel('Choose: a').check()
  await page.getByLabel('Choose: b').check()
  await page.getByRole('region', { name: '2 chosen' }).getByRole('button', { name: 'Compare' }).click()
  await page.getByText('2 runs').waitFor()
  await page.getByRole('combobox', { name: 'By' }).selectOption('model')
  const groups = page.getByRole('table').first().locator('tbody tr')
  await expect
    .poll(() => groups.allTextContents())
    .toMatchObject([/^fast11/, /^slow11/].map((text) => expect.stringMatching(text)))
  const each = page.getByRole('table').last()
  await each.getByRole('button', { name: 'Goal' }).click()
  await each.getByRole('button', { name: 'Goal' }).click()
  expect(await each.locator('tbody a').allTextContents()).toEqual(['b', 'a'])
  expect(page.url()).toContain('sort=goal')
  await page.getByRole('link', { name: /· minimal · a$/ }).press('Enter')
  await page.waitForURL(/#\/runs\/one$/)
  await open(served, '/compare?runs=one,gone')
  await page.getByText(/One run can not be read/).waitFor()
  await open(served, '/compare?search=c')
  await page.getByText('1 run', { exact: true }).waitFor()
})

it('compares the results of a lab, read from its file', async () => {
  const served = await serve({ id: 'one', goal: 'a' })
  await open(served, '/compare')
  const result = (setting: string, n: number, score: number) => ({
    type: 'result',
    trial: `${setting} ${n}`,
    goal: `task ${n}`,
    setting,
    strategy: 'tot',
    model: 'small',
    run: n === 1 ? 'one' : null,
    status: 'completed',
    solved: score === 1,
    score,
    usage: { calls: 4, inputTokens: 100, outputTokens: 20 },
    timeMs: 1_000,
  })
  const lines = [
    { type: 'lab', version: 1 },
    result('tot beam=1', 1, 0),
    result('tot beam=1', 2, 1),
    result('tot beam=5', 1, 1),
    result('tot beam=5', 2, 1),
  ]
  // The last line is one that a kill has cut off.
  const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"type":"resu`
  const choose = (name: string, content: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(content) })
  await choose('empty.jsonl', 'nothing')
  await page.getByText('empty.jsonl has no results of thinkon lab.').waitFor()
  await choose('lab.jsonl', text)
  await page.getByText('4 results of lab.jsonl').waitFor()
  expect(await page.getByRole('combobox', { name: 'By' }).inputValue()).toBe('setting')
  expect(await page.getByRole('table').first().locator('tbody tr').allTextContents()).toEqual([
    'tot beam=1220.5$012041.0s',
    'tot beam=5221$012041.0s',
  ])
  await page.getByRole('button', { name: 'Back to runs' }).click()
  await page.getByText('1 run', { exact: true }).waitFor()
})

it('speaks Chinese', async () => {
  const served = await serve({ id: 'asks', goal: 'Ask me：写一份报告' })
  await open(served)
  await page.getByRole('button', { name: '切换为中文' }).click()
  await page.getByRole('heading', { name: '运行' }).waitFor()
  await page.getByText('1 个问题待回答').waitFor()
  await page.getByRole('button', { name: '新建运行' }).click()
  await dialog().getByRole('button', { name: '开始' }).click()
  await dialog().getByText('请填写目标。').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: '对比列出的运行' }).click()
  await page.getByRole('heading', { name: '对比运行' }).waitFor()
  await page.getByRole('button', { name: 'Switch to English' }).click()
})

it('counts what waits in the title, and tells of it while the page is not seen', async () => {
  const served = await serve({ id: 'asks', goal: 'Ask me' })
  await open(served)
  await expect.poll(() => page.title()).toBe('(1) Thinkon Studio')
  // Of what was there already nothing is told.
  await page.evaluate(`
    globalThis.told = []
    globalThis.Notification = class {
      static permission = 'granted'
      constructor(title, { body }) { told.push(title + ' ' + body) }
      close() {}
    }
    Object.defineProperty(document, 'hidden', { get: () => true })
  `)
  await served.post('/api/runs', { id: 'too', goal: 'Ask me too' })
  await expect
    .poll(() => page.evaluate('told'), { timeout: 25_000 })
    .toEqual(['Something waits for you: Ask me too too'])
  expect(await page.title()).toBe('(2) Thinkon Studio')
}, 60_000)
