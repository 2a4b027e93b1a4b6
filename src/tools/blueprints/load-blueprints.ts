/** The available blueprints: those of the workspace override those that come with Thinkon. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorData } from '../../protocol/index.ts'
import type { Blueprint } from './blueprint.ts'
import { parseBlueprint } from './parse-blueprint.ts'

/** Relative to the workspace. */
export const BLUEPRINTS_PATH = '.thinkon/blueprints'
const MAX_BLUEPRINT_BYTES = 256 * 1024
const SHIPPED = join(import.meta.dirname, 'shipped')

export interface BrokenBlueprint {
  /** The name of its file. */
  readonly name: string
  readonly message: string
}

export interface LoadedBlueprints {
  /** By name. */
  readonly blueprints: readonly Blueprint[]
  /** Files that can't be used. They hide shipped blueprints of the same name, which are not what their author wants. */
  readonly broken: readonly BrokenBlueprint[]
}

export async function loadBlueprints(workspace: string): Promise<LoadedBlueprints> {
  const own = await readFolder(join(workspace, BLUEPRINTS_PATH), BLUEPRINTS_PATH)
  const shipped = await readFolder(SHIPPED, 'shipped')
  const taken = new Set([...own.blueprints, ...own.broken].map(({ name }) => name))
  const blueprints = [...own.blueprints, ...shipped.blueprints.filter(({ name }) => !taken.has(name))]
  return {
    blueprints: blueprints.sort((a, b) => (a.name < b.name ? -1 : 1)),
    broken: [...own.broken, ...shipped.broken],
  }
}

/** `shown` is the folder's name in error messages. */
async function readFolder(folder: string, shown: string): Promise<LoadedBlueprints> {
  const blueprints: Blueprint[] = []
  const broken: BrokenBlueprint[] = []
  for (const file of (await filesOf(folder)).sort()) {
    const name = file.replace(/\.ya?ml$/, '')
    try {
      if (file.endsWith('.yml')) throw new Error(`${shown}/${file} is not read: rename it to ${name}.yaml`)
      const { size } = await stat(join(folder, file))
      if (size > MAX_BLUEPRINT_BYTES) throw new Error(`${shown}/${file} is too long: ${size} bytes`)
      blueprints.push(await parseBlueprint(await readFile(join(folder, file), 'utf8'), `${shown}/${file}`))
    } catch (thrown) {
      broken.push({ name, message: errorData(thrown, 'BAD_INPUT').message })
    }
  }
  return { blueprints, broken }
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => !entry.isDirectory() && /^[^.].*\.ya?ml$/.test(entry.name))
      .map(({ name }) => name)
  } catch {
    return [] // no such folder
  }
}
