/**
 * A real browser for tests: Chromium from npm (`@sparticuz/chromium`, 66 MB packed, 190 MB unpacked; Linux), driven by `playwright-core`. It is unpacked
 * once for all test processes, below node_modules/.cache.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

const folder = join(import.meta.dirname, '../node_modules/.cache/chromium')
const UNPACK_MS = 120_000

/** Close it when the test ends. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await unpacked()
  // For small machines it runs in one process, which ends with the first page that is closed.
  const args = chromium.args.filter((arg) => !/^--(?:single-process|no-zygote)$/.test(arg))
  return playwright.launch({ executablePath, args, headless: true })
}

/** The lock is a transaction: the system ends it with the process that holds it, however that dies. */
async function unpacked(): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const isWhole = join(folder, 'whole')
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: UNPACK_MS })
  const { TMPDIR } = process.env
  try {
    lock.exec('BEGIN EXCLUSIVE')
    // What a killed process has left half-made.
    if (!existsSync(isWhole)) rmSync(join(folder, 'chromium'), { force: true })
    process.env.TMPDIR = folder
    const path = await chromium.executablePath()
    writeFileSync(isWhole, '')
    return path
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    lock.close()
  }
}
