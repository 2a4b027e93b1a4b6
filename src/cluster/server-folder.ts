import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolders } from '../files/private-files.ts'

/** The folder of a server: a given one, which is kept, or a temporary one. Its log begins anew. */
export function openFolder(prefix: string, given?: string): { folder: string; remove: () => void } {
  const folder = given ?? mkdtempSync(join(tmpdir(), prefix))
  makeFolders(folder)
  rmSync(join(folder, 'server.log'), { force: true })
  return {
    folder,
    remove: () => given === undefined && rmSync(folder, { recursive: true, force: true }),
  }
}

/** What a server that does not start has said. */
export function lastLines(folder: string): string {
  const file = join(folder, 'server.log')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return `${lines.slice(-8).join('\n')}\n(${file})`
}
