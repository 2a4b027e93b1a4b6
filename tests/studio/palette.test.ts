// Everything by its name: the palette, and the keys that it tells of.
import { afterAll, afterEach, expect, it } from 'vitest'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

const CHOSEN = '.palette-item[aria-selected=true]'

afterEach(endAll)
afterAll(closeBrowser)

it('lists what can be done here first, each key once, and keeps the chosen command in view', async () => {
  const studio = await openStudio()
  const run = await studio.service.start('find out')
  await run.outcome
  // Low enough that not all fit.
  const page = await studio.open(`/runs/${run.id}?block=1&at=2`, { viewport: { width: 1280, height: 500 } })
  await page.getByText('As it was at event 2').waitFor()
  await page.keyboard.press('Control+k')
  const names = await page.getByRole('option').allTextContents()
  expect(names.at(-1)).toBe('Compare runsc')
  expect(names.slice(0, -5).join()).not.toMatch(/Theme|New run/)
  const keys = await page.locator('.palette-item kbd').allTextContents()
  expect(new Set(keys).size).toBe(keys.length)
  const isSeen = async () => {
    const [chosen, list] = await Promise.all(
      [CHOSEN, '.palette-list'].map((one) => page.locator(one).boundingBox()),
    )
    if (!chosen || !list) throw new Error('not drawn')
    return chosen.y >= list.y - 1 && chosen.y + chosen.height <= list.y + list.height + 1
  }
  await page.keyboard.press('ArrowUp')
  expect(await page.locator(CHOSEN).textContent()).toBe(names.at(-1))
  expect(await isSeen()).toBe(true)
  await page.keyboard.press('ArrowDown')
  expect(await isSeen()).toBe(true)
})

it('takes keys also where a slider has the focus, and not where something is typed', async () => {
  const studio = await openStudio()
  const run = await studio.service.start('find out')
  await run.outcome
  const page = await studio.open(`/runs/${run.id}?at=2`)
  await page.getByText('As it was at event 2').waitFor()
  await page.getByRole('slider').focus()
  await page.keyboard.press(']')
  await page.getByText('As it was at event 3').waitFor()
  await page.keyboard.press('.')
  await page.getByText('As it was').waitFor({ state: 'detached' })
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('n')
  await page.getByRole('dialog').getByLabel('Goal', { exact: true }).waitFor()
  await page.keyboard.type('now, c and g')
  expect(await page.getByLabel('Goal', { exact: true }).inputValue()).toBe('now, c and g')
})
