// The service of a page is killed and started again: real processes of the command line.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type Going, makePlace, type Place } from '../e2e/cli-process.ts'
import { closeBrowser, studioBrowser } from './open-studio.ts'

afterAll(closeBrowser)

/** `address` has a code. */
async function studioOf(
  place: Place,
  port: string,
): Promise<Going & { readonly address: URL; readonly token: string }> {
  const going = place.start(['studio', '--no-open', '--port', port])
  let said = ''
  for (const stream of [going.child.stdout, going.child.stderr]) stream?.on('data', (text) => (said += text))
  const find = () => /(http:\/\/\S+code=\S+) [\s\S]*token in (\S+)/.exec(said)
  await expect.poll(find, { timeout: 60_000 }).not.toBeNull()
  const [, address = '', file = ''] = find() ?? []
  return { ...going, address: new URL(address), token: readFileSync(file, 'utf8').trim() }
}

it('says that the server is gone, goes on by itself when it is back, and keeps the answer that was being written', async () => {
  const place = makePlace()
  onTestFinished(() => place.remove())
  const killed = await studioOf(place, '0')
  const { address, token } = killed
  const context = await (await studioBrowser()).newContext({ locale: 'en' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(String(address))
  const response = await fetch(new URL('/api/runs', address), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ goal: 'ask' }),
  })
  const { run } = (await response.json()) as { run: string }
  await page.goto(`${address.origin}/#/runs/${run}`)
  const answer = page.locator('.waiting').getByLabel('Your answer')
  await answer.fill('maybe later')
  killed.child.kill('SIGKILL')
  await once(killed.child, 'close')
  await page.getByText('The connection to the service was lost').waitFor()
  // What is sent meanwhile is refused by nobody being there, and stays.
  await answer.press('Enter')
  await page.locator('.waiting').getByRole('alert').waitFor()
  expect(await answer.inputValue()).toBe('maybe later')
  await studioOf(place, address.port)
  await page
    .getByText('The connection to the service was lost')
    .waitFor({ state: 'detached', timeout: 60_000 })
  expect(await answer.inputValue()).toBe('maybe later')
  await answer.press('Enter')
  await page.locator('.run-head .pill', { hasText: 'completed' }).waitFor()
  const { outcome } = await place.state(run, ({ outcome }) => outcome !== null)
  expect(outcome).toMatchObject({ status: 'completed', result: 'answer: maybe later' })
})
