import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openInBrowser } from './open-in-browser.ts'

it.skipIf(process.platform !== 'linux')(
  'the code of the address is in no argument of another program',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-open-'))
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true })
    })
    const seen = join(folder, 'seen')
    const program = join(folder, 'xdg-open')
    writeFileSync(program, `#!/bin/sh\nprintf '%s' "$*" > ${seen}.part\n/bin/mv ${seen}.part ${seen}\n`)
    chmodSync(program, 0o755)
    vi.stubEnv('PATH', folder)
    vi.stubEnv('THINKON_STATE', join(folder, 'state'))
    const closing = new AbortController()
    openInBrowser('http://127.0.0.1:1/?code=the-code', closing.signal)
    await expect.poll(() => existsSync(seen)).toBe(true)
    const file = readFileSync(seen, 'utf8')
    expect(file).toMatch(/^\S+\.html$/)
    expect(file).not.toContain('the-code')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain('url=http://127.0.0.1:1/?code=the-code"')
    closing.abort()
    await expect.poll(() => existsSync(file)).toBe(false)
  },
)
