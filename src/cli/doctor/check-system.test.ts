import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { supportOf } from './check-system.ts'
import { tryStore } from './try-store.ts'

it.each([
  ['20.20.0', 'old'],
  ['22.17.1', 'old'],
  ['22.18.0', 'tested'],
  ['23.11.0', 'untested'],
  ['24.0.0', 'tested'],
  ['25.0.0', 'untested'],
  ['26.10.0', 'tested'],
] as const)('Node %s is %s, as "engines" of the package has it', (version, support) => {
  expect(manifest.engines.node).toBe('^22.18.0 || ^24.0.0 || >=26.0.0')
  expect(supportOf(version)).toBe(support)
})

it('tries a store in a folder and leaves nothing there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-try-'))
  try {
    expect(await tryStore(folder)).toBeNull()
    expect(readdirSync(folder)).toEqual([])
    expect(await tryStore(join(folder, 'missing'))).toContain('ENOENT')
    chmodSync(folder, 0o500)
    if (process.getuid?.() !== 0) expect(await tryStore(folder)).toContain('EACCES')
  } finally {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true })
  }
})
