// Time travel: a run as it was at any event, a fork from there with an edit, and both futures side by side.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { builtinTools } from '../../src/index.ts'
import { plan, taskModel } from '../dual/scripted-tasks.ts'
import { TOKEN } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio, type Studio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

async function ended(studio: Studio): Promise<string> {
  const run = await studio.service.start('find out')
  expect(await run.outcome).toMatchObject({ status: 'completed' })
  return run.id
}

/** A block below, its result, and the result of the run. */
function scripted() {
  const replies = [
    { do: 'call', goals: ['look'] },
    { do: 'return', result: 'found below' },
    { do: 'return', result: 'found' },
  ]
  let asked = 0
  return () => replies[asked++ % replies.length]
}

it('shows a run as it was at an event, by the slider and by keys, and as it is again', async () => {
  const studio = await openStudio({ script: scripted() })
  const run = await ended(studio)
  const page = await studio.open(`/runs/${run}?at=3`)
  await page.getByText('As it was at event 3').waitFor()
  await page.keyboard.press(']')
  await page.getByText('As it was at event 4').waitFor()
  await page.keyboard.press('[')
  await page.getByText('As it was at event 3').waitFor()
  expect(await page.getByRole('treeitem').count()).toBe(1)
  await page.getByRole('slider').focus()
  await page.keyboard.press('End')
  await page.getByText('As it was').waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('at=')
  expect(await page.getByRole('treeitem').count()).toBeGreaterThan(1)
  await page.keyboard.press('[')
  await page.getByText('As it was').waitFor()
  await page.getByRole('button', { name: 'Now', exact: true }).press('Enter')
  await page.getByText('As it was').waitFor({ state: 'detached' })
  expect(await page.locator('button:focus').textContent()).toBe('Now')
  expect(studio.problems).toEqual([])
})

it('plays the run again, and ends at now', async () => {
  const studio = await openStudio({ script: scripted() })
  const page = await studio.open(`/runs/${await ended(studio)}`)
  await page.getByRole('treeitem').first().waitFor()
  await page.getByLabel('Speed').selectOption({ label: '1/4×' })
  expect(await page.getByText('As it was').count()).toBe(0)
  await page.getByRole('button', { name: 'Play the run again' }).click()
  await page.getByText('As it was').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  const at = page.url()
  expect(at).toContain('at=')
  await page.getByLabel('Speed').selectOption('64')
  expect(page.url()).toBe(at)
  await page.getByRole('button', { name: 'Play the run again' }).click()
  await page.getByText('As it was').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Play the run again' }).waitFor()
  expect(studio.problems).toEqual([])
})

it('forks from an event with an edited reply; the two are compared side by side', async () => {
  const studio = await openStudio({ script: scripted() })
  const run = await ended(studio)
  const events = [...(await studio.service.engine.events(run))]
  const reply = events.findLast(({ type, path }) => type === 'model-end' && path !== '1') ?? events.at(-1)
  const page = await studio.open(`/runs/${run}?at=${reply?.seq}`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  const field = page.getByLabel('Reply of the model')
  await field.fill('{')
  await page.getByText('This is no JSON').waitFor()
  expect(await page.getByRole('button', { name: 'Fork with the edit' }).isDisabled()).toBe(true)
  await field.fill(JSON.stringify({ do: 'return', result: 'found by hand' }))
  await page.getByRole('button', { name: 'Fork with the edit' }).click()
  await page.getByRole('link', { name: 'Compare with its origin' }).click()
  await page.getByRole('heading', { name: 'Two runs side by side' }).waitFor()
  await page.getByText(`They share the journal up to event ${reply?.seq}`).waitFor()
  await page.getByText('→ found by hand').first().waitFor()
  expect(await page.locator('.sides-differs').count()).toBeGreaterThan(0)
  await page.getByLabel('Only differences').uncheck()
  expect(await page.locator('tbody tr').count()).toBeGreaterThan(1)
  expect(studio.problems).toEqual([])
})

it('offers the last model call of a run that has ended, because its end can not be forked', async () => {
  const studio = await openStudio({ script: scripted() })
  const run = await ended(studio)
  const events = [...(await studio.service.engine.events(run))]
  const call = events.findLast(({ type }) => type === 'model-start')
  const page = await studio.open(`/runs/${run}`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  await page.getByRole('dialog').getByText(`Fork at event ${call?.seq}`).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: /Fork/ }).click()
  await page.getByRole('link', { name: 'Compare with its origin' }).waitFor()
  expect(await studio.service.engine.count({ forkOf: run })).toBe(1)
  expect(studio.problems).toEqual([])
})

it('leaves no fork of an imported run that may not be resumed here', async () => {
  const first = await openStudio({ script: scripted() })
  const imported = await ended(first)
  const lines: string[] = []
  for await (const line of await first.service.engine.export(imported)) lines.push(line)
  const studio = await openStudio({ script: scripted() })
  const { run } = await studio.service.engine.import(lines)
  const page = await studio.open(`/runs/${run}?at=2`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  const fork = page.getByRole('dialog').getByRole('button', { name: /Fork/ })
  await fork.click()
  await page.getByRole('alert').getByText('was not started here').waitFor()
  await fork.click()
  const redo = await studio.post(`/api/runs/${run}/redo`, { path: '1', message: 'again' })
  expect([redo.status, ((await redo.json()) as { code: string }).code]).toEqual([403, 'UNTRUSTED'])
  expect(await studio.service.engine.count({ forkOf: run })).toBe(0)
})

it('forks an imported run when the person trusts it, and goes on', async () => {
  const first = await openStudio({ script: scripted() })
  const imported = await ended(first)
  const lines: string[] = []
  for await (const line of await first.service.engine.export(imported)) lines.push(line)
  const studio = await openStudio({ script: scripted(), service: { mayTrust: true } })
  const { run } = await studio.service.engine.import(lines)
  const page = await studio.open(`/runs/${run}?at=2`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  await page.getByRole('dialog').getByRole('button', { name: /Fork/ }).click()
  await page.getByRole('dialog').getByText('This run was not started here').waitFor()
  expect(await studio.service.engine.count({ forkOf: run })).toBe(0)
  await page.getByRole('button', { name: 'Trust and continue' }).click()
  await page.getByRole('link', { name: 'Compare with its origin' }).waitFor()
  expect(await studio.service.engine.count({ forkOf: run })).toBe(1)
  const fork = /#\/runs\/([^?]+)/.exec(page.url())?.[1] as string
  await expect.poll(async () => (await studio.service.engine.row(fork)).status).toBe('completed')
  expect(studio.problems.filter((problem) => !problem.includes('403'))).toEqual([])
})

it('lets nobody trust a run in a service of several clients', async () => {
  const first = await openStudio({ script: scripted() })
  const lines: string[] = []
  for await (const line of await first.service.engine.export(await ended(first))) lines.push(line)
  const studio = await openStudio({ script: scripted() })
  const { run } = await studio.service.engine.import(lines)
  const refused = await studio.fetch(`/api/runs/${run}/trust`, { method: 'POST' })
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'UNTRUSTED' }])
  expect((await studio.post(`/api/runs/${run}/fork`, { at: 2 })).status).toBe(403)
})

it('forks with another model, which the header and the journal of the fork name', async () => {
  const studio = await openStudio({ script: scripted() })
  const run = await ended(studio)
  const page = await studio.open(`/runs/${run}?at=2`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  await page.getByRole('dialog').getByLabel('Model').selectOption('slow')
  await page.getByRole('button', { name: 'Fork from here' }).last().click()
  await page.getByRole('link', { name: 'Compare with its origin' }).waitFor()
  await page.locator('.run-head .tag', { hasText: 'slow' }).waitFor()
  const fork = /#\/runs\/([^?]+)/.exec(page.url())?.[1] as string
  await expect.poll(async () => (await studio.service.engine.row(fork)).status).toBe('completed')
  const resumed = [...(await studio.service.engine.events(fork))].find(({ type }) => type === 'run-resume')
  expect(resumed).toMatchObject({ changes: [{ what: 'model', was: 'fast', is: 'slow' }] })
  expect(studio.problems).toEqual([])
})

it('a fork that the service refuses says why, and nothing is lost', async () => {
  const studio = await openStudio({
    script: scripted(),
    app: { tokens: [TOKEN, { token: TOKEN_TO_READ, scopes: ['read'] }] },
  })
  const run = await ended(studio)
  const page = await studio.open()
  await page.goto(`${studio.url}/?code=${studio.codes.create(TOKEN_TO_READ)}`)
  await page.goto(`${studio.url}/#/runs/${run}?at=2`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  await page.getByRole('button', { name: 'Fork from here' }).last().click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('start')
})

const TOKEN_TO_READ = 'a-token-that-may-only-read-and-nothing-else'

it('shows the run as it is at an address that names no event', async () => {
  const studio = await openStudio({})
  const run = await studio.service.start('find out')
  await run.outcome
  for (const at of ['x', '0', '99999', '-3']) {
    const page = await studio.open(`/runs/${run.id}?at=${at}`)
    await page.getByRole('treeitem').first().waitFor()
    expect(await page.locator('.time-place').textContent(), at).toMatch(/ (\d+)\/\1$/)
    await page.context().close()
  }
})

it('shows a permission that was asked as it was then, not what became of the file later', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-time-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  writeFileSync(join(workspace, 'plan.txt'), 'dig\nsow\n')
  const call = (name: string, input: object) => ({ do: 'tool', calls: [{ id: name, name, input }] })
  const replies: unknown[] = [
    call('read_file', { path: 'plan.txt' }),
    call('write_file', { path: 'plan.txt', content: 'dig\nwater\n' }),
    { do: 'return', result: 'done' },
  ]
  const studio = await openStudio({
    script: () => replies.shift(),
    service: { workspace },
    engine: { tools: builtinTools({ workspace }) },
  })
  const { run } = (await (await studio.post('/api/runs', { goal: 'Tidy the garden' })).json()) as {
    run: string
  }
  const page = await studio.open(`/runs/${run}`)
  await page.getByRole('button', { name: 'yes', exact: true }).click()
  await page.locator('.run-head .pill', { hasText: 'completed' }).waitFor()
  const events = [...(await studio.service.engine.events(run))]
  const asked = events.find(({ type }) => type === 'signal-asked')
  await page.goto(`${studio.url}/#/runs/${run}?at=${asked?.seq}`)
  await page.locator('.waiting .diff-removed', { hasText: 'sow' }).waitFor()
  await page.locator('.waiting .diff-added', { hasText: 'water' }).waitFor()
  expect(studio.problems).toEqual([])
})

it('shows a plan that waited for its review as it was then', async () => {
  const model = taskModel({ 'plan all': [plan('dig', 'sow')] })
  const studio = await openStudio({ engine: { model } })
  const body = { goal: 'all', strategy: 'dual', options: { review: 'manual' } }
  const { run } = (await (await studio.post('/api/runs', body)).json()) as { run: string }
  const page = await studio.open(`/runs/${run}`)
  await page.getByRole('button', { name: 'Edit the plan' }).click()
  await page.getByLabel('Name 1', { exact: true }).fill('turn the soil')
  await page.getByRole('button', { name: 'Approve with the changes' }).click()
  await page.getByText('A task has ended').last().waitFor()
  const events = [...(await studio.service.engine.events(run))]
  const asked = events.find(({ type }) => type === 'signal-asked')
  await page.goto(`${studio.url}/#/runs/${run}?at=${asked?.seq}`)
  await page.getByText(`As it was at event ${asked?.seq}`).waitFor()
  expect(await page.locator('.waiting .plan-outline').textContent()).not.toContain('turn the soil')
})
