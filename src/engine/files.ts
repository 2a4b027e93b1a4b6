/** Writing files for people. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Atomic: a reader sees the old text or the new one, never a part. */
export function replaceFile(path: string, text: string): void {
  makeFolder(dirname(path))
  const next = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(next, text)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** Without `recursive`, with which Node retries forever on file systems such as /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}
