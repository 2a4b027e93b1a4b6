import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readSmallFile } from '../files/read-small-file.ts'
import { loadConfig } from './load-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'thinkon-small-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = (name: string) => join(folder, name)

it('reads a file', async () => {
  writeFileSync(path('a'), 'ä'.repeat(50_000))
  expect(await readSmallFile(path('a'))).toBe('ä'.repeat(50_000))
})

it('does not read one that is far too large, and says so', async () => {
  writeFileSync(path('large'), '')
  truncateSync(path('large'), 100 * 1024 * 1024)
  await expect(readSmallFile(path('large'))).rejects.toThrow('it has 100 MiB, and the most is 1 MiB')
})

it.skipIf(process.platform === 'win32')('does not wait for a pipe or a device that never ends', async () => {
  execFileSync('mkfifo', [path('pipe')])
  symlinkSync('/dev/zero', path('zeros'))
  for (const name of ['pipe', 'zeros'])
    await expect(readSmallFile(path(name))).rejects.toThrow('it is no regular file')
})

it('leaves it to its caller to say what the system says', async () => {
  await expect(readSmallFile(path('none'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(readSmallFile(folder)).rejects.toMatchObject({ code: 'EISDIR' })
})

it('a configuration of 100 MiB is refused', async () => {
  const workspace = mkdtempSync(join(folder, 'workspace-'))
  writeFileSync(join(workspace, 'thinkon.config.json'), '')
  truncateSync(join(workspace, 'thinkon.config.json'), 100 * 1024 * 1024)
  await expect(loadConfig(workspace)).rejects.toThrow('it has 100 MiB, and the most is 1 MiB')
})
