// A person's session in a real browser: it reaches the service, and nothing else on the machine.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { TOKEN } from '../server/serve-here.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

it('reaches no other port: neither a cookie nor the storage of the page', async () => {
  const studio = await openStudio()
  const page = await studio.open()
  await page
    .getByText('No runs yet')
    .or(page.getByRole('button', { name: 'New run' }))
    .first()
    .waitFor()
  const session = await page.evaluate('JSON.stringify(localStorage)')
  expect(session).toContain('session.')
  expect(page.url()).not.toContain('code')
  const seen: IncomingMessage[] = []
  const other = createServer((request, response) => {
    seen.push(request)
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>other</title>')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  expect(seen.length).toBeGreaterThan(0)
  for (const { headers } of seen) {
    expect(headers.cookie).toBeUndefined()
    expect(headers.referer ?? '').not.toMatch(/code|session/)
  }
  expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).toBe('{}')
})

it('asks for a token once the code was used, and goes on with it', async () => {
  const studio = await openStudio()
  const code = studio.codes.create(TOKEN)
  studio.codes.take(code)
  const page = await studio.open()
  await page.getByRole('button', { name: 'New run' }).first().waitFor()
  await page.evaluate('localStorage.clear()')
  await page.goto(`${studio.url}/?code=${code}`)
  const token = page.getByLabel('Token')
  await token.fill('a wrong one')
  await token.press('Enter')
  await page.getByRole('alert').waitFor()
  await token.fill(TOKEN)
  await token.press('Enter')
  await page.getByRole('button', { name: 'New run' }).first().waitFor()
})
