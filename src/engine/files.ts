/** Files that are written for people to find. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Whoever reads the file sees the old text or the new, never a part. */
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

/** Not `recursive`: on a file system such as /proc, Node then retries forever. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}
