/** Studio in real Chromium with a run of 5,000 blocks and 50,000 events: first view, reading all of it, frames while panning, memory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { createEngine } from '../src/engine.ts'
import { serviceApp } from '../src/server/http/app.ts'
import { listen } from '../src/server/http/listen.ts'
import { createService } from '../src/server/service.ts'
import { studioPage } from '../src/server/studio/studio-page.ts'
import { ScriptedModel } from '../src/testing/index.ts'
import { openBrowser } from '../tests/browser.ts'
import { writeLargeRun } from '../tests/studio/large-run.ts'
import type { Figures } from './index.ts'
import { rounded } from './measure.ts'

export const about = 'a run of 5,000 blocks, none folded, and 50,000 events in the page of the service'

const BLOCKS = 5_000
const TOKEN = 'the-token-of-the-bench-of-studio'
const MB = 1024 * 1024
const PANS = 150
/** The most that a frame may take at the 95th percentile. */
const LIMIT_MS = 50

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-studio-bench-'))
  const store = join(folder, 'runs.db')
  const events = writeLargeRun(store, { id: 'large', blocks: BLOCKS, hasEnded: false })
  const model = new ScriptedModel(() => ({ do: 'return', result: 'done' }))
  const service = createService({ engineFor: () => createEngine({ model, store }), models: ['scripted'] })
  const app = serviceApp(service, { tokens: [TOKEN], hosts: ['127.0.0.1'], page: studioPage })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const origin = `http://127.0.0.1:${listening.port}`
    await page.goto(`${origin}/?token=${TOKEN}`)
    let firstMs = 0
    let wholeMs = 0
    const loading = await framesOf(page, async () => {
      const begun = Date.now()
      await page.goto(`${origin}/#/runs/large`)
      await page.waitForSelector('.card')
      firstMs = Date.now() - begun
      await page.getByText(`${events}/${events}`).waitFor({ timeout: 120_000 })
      wholeMs = Date.now() - begun
    })
    const frames = await framesOf(page, () => pan(page))
    const p95 = percentile(frames, 0.95)
    const memoryMb = rounded((await heapBytes(page)) / MB, 0)
    const figures = {
      blocks: BLOCKS,
      events,
      firstViewMs: firstMs,
      allReadMs: wholeMs,
      loadingFrameMostMs: rounded(Math.max(...loading), 1),
      frames: frames.length,
      frameP50Ms: rounded(percentile(frames, 0.5), 1),
      frameP95Ms: rounded(p95, 1),
      frameMostMs: rounded(Math.max(...frames), 1),
      memoryMb,
      isFluid: p95 <= LIMIT_MS,
    }
    return {
      figures,
      lines: [
        `first view after ${firstMs} ms; all ${events} events after ${wholeMs} ms; the longest frame meanwhile ${figures.loadingFrameMostMs} ms`,
        `panning: ${frames.length} frames, half of them within ${figures.frameP50Ms} ms, 95% within ${figures.frameP95Ms} ms (limit ${LIMIT_MS}), the longest ${figures.frameMostMs} ms`,
        `memory of the page: ${memoryMb} MB`,
      ],
    }
  } finally {
    await browser.close()
    await service.close()
    await listening.close(200)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Down, right, and back, a wheel's step at a time. */
async function pan(page: Page): Promise<void> {
  await page.mouse.move(500, 400)
  for (let i = 0; i < PANS; i++) {
    const [dx, dy] = i % 3 === 2 ? [i % 2 === 0 ? 90 : -90, 0] : [0, i < PANS * 0.7 ? 160 : -160]
    await page.mouse.wheel(dx, dy)
  }
}

interface Frames {
  readonly times: number[]
  isOver: boolean
}

/** Runs in the page. */
const COUNT_FRAMES = `(() => {
  const frames = { times: [], isOver: false }
  let last = performance.now()
  const frame = (now) => {
    frames.times.push(now - last)
    last = now
    if (!frames.isOver) requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  return frames
})()`

/** How long each frame took meanwhile, in milliseconds. */
async function framesOf(page: Page, work: () => Promise<void>): Promise<number[]> {
  const counted = await page.evaluateHandle<Frames>(COUNT_FRAMES)
  await work()
  return counted.evaluate((frames) => {
    frames.isOver = true
    return frames.times.slice(1)
  })
}

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
