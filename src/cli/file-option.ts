import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { readFileBytes } from '../files/open-file.ts'
import { placeFiles } from '../tools/given-files.ts'
import { insideWorkspace } from '../tools/workspace.ts'
import type { Values } from './command.ts'
import { badInput } from './options.ts'

/** `--file`: the names of the given files in the workspace; those that are not in it are copied. */
export async function givenFiles(values: Values, workspace: string): Promise<string[]> {
  const paths = (values.file as string[] | undefined) ?? []
  // All of them before the first is copied: a wrong call leaves nothing behind.
  for (const path of paths) await requireFile(path)
  const names: string[] = []
  for (const path of paths) {
    const inside = await insideWorkspace(workspace, resolve(path)).catch(() => null)
    const copied = async () => placeFiles([{ name: basename(path), content: readFileBytes(path) }], workspace)
    names.push(...(inside === null ? await copied() : [inside.name]))
  }
  return names
}

async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found === null) throw badInput(`--file: there is no file ${JSON.stringify(path)}`)
  if (!found.isFile()) throw badInput(`--file: ${JSON.stringify(path)} is not a file`)
}
