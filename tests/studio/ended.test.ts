// What a person is told where a run has not come to what was asked for, and where there is nothing to show.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { builtinTools, tool } from '../../src/index.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

const notice = (page: Page) => page.locator('.run-notices .notice')

it('says above the run why it is not completed, in the language of the page', async () => {
  const studio = await openStudio()
  const run = await studio.service.start('find out', { budget: { depth: 1, calls: 0 } })
  await run.outcome
  const page = await studio.open(`/runs/${run.id}?block=1`)
  await notice(page)
    .getByText(/^partial: the limit of calls \(--max-calls\)/)
    .waitFor()
  const outcome = page
    .locator('.panel section')
    .filter({ has: page.getByRole('heading', { name: 'Outcome' }) })
  expect(await outcome.textContent()).toContain('the limit of calls')
  // There is no result, and nothing stands for it.
  expect(await page.locator('.panel').getByRole('heading', { name: 'Result' }).count()).toBe(0)
  await page.getByRole('button', { name: '切换为中文' }).click()
  await notice(page)
    .getByText(/^部分完成: .*--max-calls/)
    .waitFor()
  // In the past it had not ended.
  await page.goto(page.url().replace('block=1', 'at=2'))
  await page.getByText('事件 2 时的样子').waitFor()
  expect(await notice(page).count()).toBe(1)
})

it('shows what a tool was given and gave as fields, texts with their line breaks', async () => {
  const look = tool({
    name: 'look',
    description: 'looks',
    access: 'read',
    input: { type: 'object', properties: { where: { type: 'string' } } },
    run: () => ({ lines: 2, text: 'roses\nbeans' }),
  })
  let asked = 0
  const studio = await openStudio({
    engine: { tools: [look] },
    script: () =>
      asked++ === 0
        ? { do: 'tool', calls: [{ id: 'a', name: 'look', input: { where: 'garden' } }] }
        : { do: 'return', result: 'done' },
  })
  const run = await studio.service.start('find out')
  await run.outcome
  const page = await studio.open(`/runs/${run.id}?block=1&tab=tools`)
  const call = page.locator('.exchange')
  await call.getByText('garden', { exact: true }).waitFor()
  expect(await call.locator('dt').allTextContents()).toEqual(['where', 'lines', 'text'])
  expect(await call.locator('dd pre').allTextContents()).toEqual(['garden', '2', 'roses\nbeans'])
})

it('shows a file that is written whole as added only if it was not there', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-blind-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  writeFileSync(join(workspace, 'old.md'), 'roses\nbeans\n')
  const write = (path: string) => ({ id: path, name: 'write_file', input: { path, content: 'a\nb\n' } })
  let asked = 0
  const studio = await openStudio({
    engine: { tools: builtinTools({ workspace }) },
    service: {
      workspace,
      defaults: { strategy: 'minimal', approval: { workspace, asks: 'nobody', allow: ['write_file'] } },
    },
    script: () =>
      asked++ === 0
        ? { do: 'tool', calls: [write('old.md'), write('new.md')] }
        : { do: 'return', result: 'done' },
  })
  const run = await studio.service.start('write')
  await run.outcome
  const page = await studio.open(`/runs/${run.id}?block=1&tab=tools`)
  const file = (name: string) => page.locator('.diff', { hasText: name })
  await file('new.md').getByText('+2').waitFor()
  expect(await file('new.md').locator('.diff-added').count()).toBe(2)
  expect(await file('old.md').locator('.diff-added').count()).toBe(0)
  expect(await file('old.md').textContent()).toContain('2 lines')
  await file('old.md').getByText('is not known here').waitFor()
})

it('says that there is no such run, and what it could not reach', async () => {
  const studio = await openStudio()
  const page = await studio.open('/runs/nobody-knows-it', { locale: 'zh-CN' })
  await page.getByRole('heading', { name: '没有这个运行。' }).waitFor()
  expect(await page.getByRole('alert').textContent()).toBe('nobody-knows-it')
  const run = await studio.service.start('find out')
  await run.outcome
  // Without the browser's own words for it.
  await page.context().setOffline(true)
  await page.goto(`${studio.url}/#/runs/${run.id}`)
  await page.getByRole('heading', { name: '与服务的连接已断开，正在重试…' }).waitFor()
  await page.context().setOffline(false)
  await page.locator('.run-head').waitFor()
})

it('offers a new run where there are none, and says in words that the service is gone', async () => {
  const studio = await openStudio()
  const page = await studio.open('/runs')
  await page.getByText('No runs yet.').waitFor()
  expect(await page.getByText('Compare what is listed').count()).toBe(0)
  await page.locator('.empty').getByRole('button', { name: 'New run' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.context().setOffline(true)
  await page.getByText('The connection to the service was lost.').waitFor()
  expect(await page.getByText('Failed to fetch').count()).toBe(0)
  await page.context().setOffline(false)
  await page.getByText('The connection to the service was lost.').waitFor({ state: 'detached' })
})
