// What a person approves can be seen whole in the page; `always` is not offered for what was shortened.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'
import { builtinTools } from '../../src/engine/tools/builtin-tools.ts'
import { COMMAND, CONTENT, FILES, linesOf, script } from '../whole-calls.ts'
import { closeBrowser, endAll, openStudio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

it('shows a long command, all files of a patch and, on demand, a call that was shortened', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-whole-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const defaults = { strategy: 'minimal', approval: { workspace, asks: 'person' } } as const
  const studio = await openStudio({
    script,
    service: { workspace, defaults },
    engine: { tools: builtinTools({ workspace }) },
  })
  const started = await studio.post('/api/runs', { goal: 'go' })
  const { run } = (await started.json()) as { run: string }
  const page = await studio.open(`/runs/${run}?block=1`)
  const card = (text: string) => page.locator('.question').filter({ hasText: text }).last()
  const always = (text: string) => card(text).getByRole('button', { name: 'always', exact: true })

  await card('shell (execute)').waitFor()
  expect(await card('shell (execute)').textContent()).toContain(COMMAND)
  expect(await always('shell (execute)').count()).toBe(1)

  await card('apply_patch (write)').locator('.diff').nth(2).waitFor()
  const patch = await card('apply_patch (write)').textContent()
  for (const name of [...FILES, ...FILES.flatMap(linesOf)]) expect(patch).toContain(name)
  expect(await always('apply_patch (write)').count()).toBe(1)

  const long = card('write_file (write)')
  await long.waitFor()
  expect(await always('write_file (write)').count()).toBe(0)
  expect(await long.textContent()).toContain('long.txt')
  await long.locator('summary').click()
  const whole = long.locator('details.question-whole')
  await whole.getByRole('button', { name: /Show all/ }).click()
  expect(await whole.textContent()).toContain(CONTENT)
  expect(studio.problems).toEqual([])
}, 60_000)
