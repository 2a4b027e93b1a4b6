// The tree is moved by a finger or the pointer, wherever it is taken, and two fingers zoom it.
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, expect, it } from 'vitest'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

const WAIT = { timeout: 5_000 }
type Point = readonly [x: number, y: number]

async function openTree(): Promise<Page> {
  const studio = await openStudio()
  const run = await studio.service.start('find out')
  await run.outcome
  const page = await studio.open(`/runs/${run.id}`, { viewport: { width: 360, height: 740 }, hasTouch: true })
  await page.locator('.card').waitFor()
  return page
}

const chosen = (page: Page) => page.url().includes('block=')

async function touch(session: CDPSession, ...places: readonly (readonly Point[])[]): Promise<void> {
  for (const [at, points] of places.entries())
    await session.send('Input.dispatchTouchEvent', {
      type: at === 0 ? 'touchStart' : 'touchMove',
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    })
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

it('is moved from where a card is, which is chosen only when it is not moved', async () => {
  const page = await openTree()
  const box = async () => (await page.locator('.card').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const { x, y } = await box()
  const session = await page.context().newCDPSession(page)
  const from: Point = [x + 60, y + 20]
  await touch(session, [from], [[from[0] + 20, from[1] + 40]], [[from[0] + 30, from[1] + 80]])
  await expect.poll(async () => (await box()).y, WAIT).toBeGreaterThan(y + 60)
  expect(chosen(page)).toBe(false)

  const moved = await box()
  await page.mouse.move(moved.x + 60, moved.y + 20)
  await page.mouse.down()
  await page.mouse.move(moved.x + 60, moved.y + 90, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => (await box()).y, WAIT).toBeGreaterThan(moved.y + 60)
  expect(chosen(page)).toBe(false)
  await page.locator('.card').click()
  await expect.poll(() => chosen(page), WAIT).toBe(true)
})

it('is zoomed by two fingers', async () => {
  const page = await openTree()
  const width = async () => (await page.locator('.card').boundingBox())?.width ?? 0
  const before = await width()
  const session = await page.context().newCDPSession(page)
  await touch(
    session,
    [
      [100, 400],
      [140, 400],
    ],
    [
      [90, 400],
      [150, 400],
    ],
    [
      [80, 400],
      [160, 400],
    ],
  )
  await expect.poll(width, WAIT).toBeGreaterThan(before * 1.3)
})
