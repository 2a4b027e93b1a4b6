// Takes pictures of every view of Studio in a real browser, light and dark, as a phone, a laptop and a large screen show it: part of
// `npm run screens`. By itself it can be told where to, and which: `node scripts/studio-screens.ts /tmp/pictures timeline`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { closeBrowser, endAll, studioBrowser } from '../tests/studio/open-studio.ts'
import { openShownRuns } from '../tests/studio/shown-runs.ts'
import { EMPTY, type ShownView, showView, VIEWS } from '../tests/studio/views.ts'

const FOLDER = join(import.meta.dirname, '../docs/images/studio')
// The largest is drawn at half its size: nobody needs the pixels, and the repository is smaller.
const SIZES = [
  { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1 },
  { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
  { viewport: { width: 2560, height: 1440 }, deviceScaleFactor: 0.5 },
] as const
const QUALITY = 0.6
const SCHEMES = ['light', 'dark'] as const

async function takeScreens(folder: string, only: string): Promise<void> {
  const shown = await openShownRuns()
  const { studio, begin } = shown
  const pages: Page[] = []
  const packer = await (await studioBrowser()).newPage()
  for (const size of SIZES) pages.push(await studio.open('', { ...size, reducedMotion: 'reduce' }))
  const take = async (view: ShownView) => {
    if (!view.name.includes(only)) return
    for (const page of pages) {
      await showView(page, shown, view)
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme })
        const name = `${view.name}-${page.viewportSize()?.width}-${colorScheme}.webp`
        writeFileSync(join(folder, name), await packed(packer, await page.screenshot()))
      }
    }
    console.log(view.name)
  }
  mkdirSync(folder, { recursive: true })
  await take(EMPTY)
  await begin()
  for (const view of VIEWS) await take(view)
  await studio.close()
  await endAll()
  await closeBrowser()
}

/** As WebP, a third of the size: the browser has an encoder. */
async function packed(packer: Page, png: Buffer): Promise<Buffer> {
  const url: string = await packer.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${QUALITY})
  })()`)
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

if (process.argv[2] === undefined) rmSync(FOLDER, { recursive: true, force: true })
await takeScreens(process.argv[2] ?? FOLDER, process.argv[3] ?? '')
