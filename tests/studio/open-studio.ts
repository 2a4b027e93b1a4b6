/** Studio in a real browser, on a service of this process. The page is built if its sources have changed. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { LoginCodes } from '../../src/server/http/sessions.ts'
import { studioPage } from '../../src/server/studio/studio-page.ts'
import { openBrowser } from '../browser.ts'
import {
  endAll as endServices,
  type Served,
  type ServedOptions,
  serveHere,
  TOKEN,
} from '../server/serve-here.ts'

const root = join(import.meta.dirname, '../..')
let browser: Promise<Browser> | null = null
const pages: Page[] = []

export interface Studio extends Served {
  /** Opens the page with the session of a token. */
  readonly codes: LoginCodes
  /** What the page or the browser complained about. */
  readonly problems: readonly string[]
  /** A new page of the same person, at an address behind the `#`: `/runs/x`. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>
}

export async function openStudio(options: ServedOptions = {}): Promise<Studio> {
  const started = await studioBrowser()
  const codes = new LoginCodes()
  const served = await serveHere({ ...options, app: { page: studioPage, codes, ...options.app } })
  const problems: string[] = []
  return {
    ...served,
    codes,
    problems,
    async open(hash = '', more = {}) {
      const context = await started.newContext({
        viewport: { width: 1280, height: 800 },
        locale: 'en',
        ...more,
      })
      const page = await context.newPage()
      pages.push(page)
      page.on('pageerror', ({ message }) => problems.push(message))
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      await page.goto(`${served.url}/?code=${codes.create(TOKEN)}`)
      if (hash !== '') await page.goto(`${served.url}/#${hash}`)
      return page
    },
  }
}

/** The browser of this file, with the page built. */
export function studioBrowser(): Promise<Browser> {
  browser ??= start()
  return browser
}

/** For afterEach. */
export async function endAll(): Promise<void> {
  for (const page of pages.splice(0)) await page.context().close()
  await endServices()
}

/** For afterAll. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = null
}

function start(): Promise<Browser> {
  execFileSync(process.execPath, [join(root, 'scripts/build-studio.ts')], { cwd: root, stdio: 'pipe' })
  return openBrowser()
}
