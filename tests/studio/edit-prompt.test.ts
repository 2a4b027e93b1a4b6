// A prompt is edited in a fork, in place, by section; the two runs are compared, and the edited prompt is marked.
import { afterAll, afterEach, expect, it } from 'vitest'
import { type EventOf, messageText } from '../../src/protocol/index.ts'
import { closeBrowser, endAll, openStudio, type Studio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

/** It goes by the words that it is asked with. */
const openReading = (app = {}) =>
  openStudio({
    app,
    script: ({ messages }) => {
      const isBlue = messages.some((message) => messageText(message).includes('say blue'))
      return { do: 'return', result: isBlue ? 'blue' : 'red' }
    },
  })

async function asked(studio: Studio) {
  const run = await studio.service.start('a colour')
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'red' })
  return { run: run.id, start: await startIn(studio, run.id) }
}

async function startIn(studio: Studio, run: string): Promise<EventOf<'model-start'>> {
  const events = [...(await studio.service.engine.events(run))]
  return events.find(({ type }) => type === 'model-start') as EventOf<'model-start'>
}

it('forks with the prompt that a person wrote into a section, which the model is asked and the comparison marks', async () => {
  const studio = await openReading()
  const { run, start } = await asked(studio)
  const page = await studio.open(`/runs/${run}?at=${start.seq}`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Fork with this prompt' }).count()).toBe(0)
  const { messages } = start.request
  const texts = dialog.getByRole('textbox')
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
  expect(await texts.count()).toBeGreaterThanOrEqual(messages.length)
  const last = texts.last()
  const before = await last.inputValue()
  expect(messageText(messages.at(-1)!)).toContain(before)
  await last.fill(`${before}\nand say blue`)
  await dialog.getByRole('button', { name: 'Fork with this prompt' }).click()
  await page.getByRole('link', { name: 'Compare with its origin' }).waitFor()
  const fork = /#\/runs\/([^?]+)/.exec(page.url())?.[1] as string
  await expect.poll(async () => (await studio.service.engine.row(fork)).status).toBe('completed')
  const sent = await startIn(studio, fork)
  expect(sent.edited).toBe(true)
  // The rest of the request is byte for byte as it was.
  expect(sent.request).toEqual({
    ...start.request,
    messages: [...messages.slice(0, -1), sent.request.messages.at(-1)],
  })
  expect(messageText(sent.request.messages.at(-1)!)).toBe(
    messageText(messages.at(-1)!).replace(before, `${before}\nand say blue`),
  )
  expect((await studio.service.engine.state(fork)).outcome?.result).toBe('blue')
  await page.getByRole('link', { name: 'Compare with its origin' }).click()
  const mark = page.getByRole('link', { name: `prompt edited at event ${start.seq}` })
  await mark.waitFor()
  expect(await mark.getAttribute('class')).toContain('sides-mark')
  await mark.click()
  await page.getByText(`As it was at event ${start.seq}`).waitFor()
  expect(studio.problems).toEqual([])
})

it('is begun from the request in the panel, which then says that a person edited it; in Chinese, too', async () => {
  const studio = await openReading()
  const { run } = await asked(studio)
  const page = await studio.open(`/runs/${run}?block=1`, { locale: 'zh-CN' })
  await page.getByRole('tab', { name: '请求' }).click()
  await page.getByRole('button', { name: '修改提示词并分叉' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('向模型提出的请求').waitFor()
  await dialog.getByRole('textbox').last().fill('say blue')
  await dialog.getByRole('button', { name: '用这个提示词分叉' }).click()
  await page.getByRole('link', { name: '与来源对比' }).waitFor()
  await page.getByRole('treeitem').first().click()
  await page.getByRole('tab', { name: '请求' }).click()
  await page.getByText('由人改过').first().waitFor()
  expect(studio.problems).toEqual([])
})

it('a prompt that is emptied is refused by the service, which says where; nothing that was written is lost', async () => {
  const studio = await openReading()
  const { run, start } = await asked(studio)
  const page = await studio.open(`/runs/${run}?at=${start.seq}`)
  await page.getByRole('treeitem').first().waitFor()
  await page.keyboard.press('F')
  const dialog = page.getByRole('dialog')
  const last = start.request.messages.length - 1
  for (const text of await dialog.locator('.prompt-message').last().getByRole('textbox').all())
    await text.fill(' ')
  await dialog.getByRole('button', { name: 'Fork with this prompt' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByRole('alert').textContent()).toContain(
    `request.messages[${last}].content says nothing`,
  )
  expect(await dialog.getByRole('textbox').last().inputValue()).toBe(' ')
  expect(await studio.service.engine.count({ forkOf: run })).toBe(0)
})
