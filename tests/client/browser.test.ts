// The published client in a real browser: its files as ES modules, below a strict content security policy.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Run } from '../../src/client.ts'
import { openBrowser } from '../browser.ts'
import { checkout, freshProject, type Project } from '../package/packed.ts'
import { DONE, endAll, gate, serveHere, storeFile, TOKEN } from '../server/serve-here.ts'

let project: Project
let browser: Browser
let origin: string
const asked: string[] = []
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://page')
  asked.push(pathname)
  if (pathname === '/')
    return void response.writeHead(200, { 'content-type': 'text/html', ...POLICY }).end(PAGE)
  if (pathname === '/page.js')
    return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(SCRIPT)
  try {
    const code = readFileSync(
      join(pathname.startsWith('/thinkon/') ? project.folder : checkout, 'node_modules', pathname),
    )
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(code)
  } catch {
    response.writeHead(404).end()
  }
})

/** What views need, wherever npm has put it. */
const PACKAGES = [
  'string-width',
  'wrap-ansi',
  'strip-ansi',
  'ansi-regex',
  'get-east-asian-width',
  'ansi-styles',
]
const PLACES = PACKAGES.map((name) => {
  const inner = `wrap-ansi/node_modules/${name}`
  return [name, existsSync(join(checkout, 'node_modules', inner)) ? inner : name] as const
})
const IMPORTS = Object.fromEntries(PLACES.map(([name, place]) => [name, `/${place}/index.js`]))
/** Vitest rewrites `import()` in functions that are sent to the page, so the page imports it itself. */
const SCRIPT = `import { createClient } from '/thinkon/dist/client.js'
globalThis.createClient = createClient`
type InPage = typeof import('../../src/client.ts')
const PAGE = `<!doctype html><title>page</title>
<script type="importmap" nonce="n">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module" src="/page.js"></script>`
const POLICY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'nonce-n'; connect-src http://127.0.0.1:*; base-uri 'none'",
}

beforeAll(async () => {
  project = freshProject()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await openBrowser()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  server.closeAllConnections()
  server.close()
  project?.remove()
})
afterEach(endAll)

async function openPage(): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
  await page.goto(origin)
  await page.waitForFunction(() => 'createClient' in globalThis)
  return { page, problems }
}

it('a page starts a run and follows it to its end; only the text needs packages', async () => {
  const { url } = await serveHere({ app: { origins: [origin] } })
  const { page, problems } = await openPage()
  const read = await page.evaluate(
    async ({ url, token }) => {
      const { createClient } = globalThis as unknown as InPage
      const client = createClient({ url, token })
      const run: Run = await client.start('a', { budget: { calls: 5 } })
      const seqs: number[] = []
      for await (const event of run.events) if ('seq' in event) seqs.push(event.seq)
      const { result, status } = await run.outcome
      return { id: run.id, seqs, result, status }
    },
    { url, token: TOKEN },
  )
  expect(read).toMatchObject({ result: 'done', status: 'completed' })
  expect(read.seqs).toEqual(read.seqs.map((_, i) => i + 1))
  expect(asked.filter((path) => PLACES.some(([, place]) => path.startsWith(`/${place}/`)))).toEqual([])
  const text = await page.evaluate(
    async ({ url, token, id }) => {
      const { createClient } = globalThis as unknown as InPage
      const run = createClient({ url, token }).run(id)
      let text = ''
      for await (const piece of run.text) text += piece
      return text
    },
    { url, token: TOKEN, id: read.id },
  )
  expect(text).toBe('done')
  expect(problems).toEqual([])
}, 120_000)

it('a page goes on by itself when the service is stopped and comes back', async () => {
  const store = storeFile()
  const held = gate()
  const first = await serveHere({ store, script: held.script, app: { origins: [origin] } })
  const { page } = await openPage()
  const reading = page.evaluate(
    async ({ url, token }) => {
      const { createClient } = globalThis as unknown as InPage
      const run = await createClient({ url, token, retryMs: 20 }).start('a')
      const types: string[] = []
      for await (const event of run.events) types.push(event.type)
      return { types, result: (await run.outcome).result }
    },
    { url: first.url, token: TOKEN },
  )
  await held.asked
  await first.close()
  const second = await serveHere({
    store,
    script: DONE,
    app: { origins: [origin] },
    listen: { port: first.port },
  })
  await second.service.open()
  const { types, result } = await reading
  expect(result).toBe('done')
  expect(types.filter((type) => type === 'run-resume')).toHaveLength(1)
  expect(types.at(-1)).toBe('run-end')
}, 120_000)
