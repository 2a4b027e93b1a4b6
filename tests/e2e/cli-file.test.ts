// `--file`: what a run is given, from inside the workspace and from elsewhere.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const elsewhere = mkdtempSync(join(tmpdir(), 'thinkon-elsewhere-'))
afterAll(() => {
  place.remove()
  rmSync(elsewhere, { recursive: true, force: true })
})

it('names a file of the workspace, and copies one that is not in it', async () => {
  writeFileSync(join(place.folder, 'here.txt'), 'here')
  writeFileSync(join(elsewhere, 'there.txt'), 'there')
  const files = ['--file', 'here.txt', '--file', join(elsewhere, 'there.txt')]
  const made = await place.cli(['run', 'Sum up', '--json', ...files])
  const [{ goal }] = jsonLines(made.stdout) as unknown as [{ goal: string }]
  const [, copied = ''] = /^- (inputs\/[0-9a-f]{8}\/there\.txt)$/m.exec(goal) ?? []
  expect(goal).toContain('\n- here.txt\n')
  expect(readFileSync(join(place.folder, copied), 'utf8')).toBe('there')
})

it('refuses what is no file, before anything is copied', async () => {
  const wrong = await place.cli(['run', 'Sum up', '--file', 'nowhere.txt'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('--file: there is no file "nowhere.txt"')
})
