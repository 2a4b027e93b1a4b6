/**
 * The blueprints as tools that strategies call by name, so that what a run used is on record, whatever happens to the files.
 * Those of the workspace override those that come with Thinkon.
 */
import { join } from 'node:path'
import { entriesOf } from '../../files/look.ts'
import { packagePath } from '../../files/package-path.ts'
import { readSmallFile } from '../../files/read-small-file.ts'
import type { Deed } from '../../kernel/deed.ts'
import type { ToolIo } from '../../kernel/tool.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { errorData, meantText } from '../../protocol/index.ts'
import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { field, objectSchema, optional, text } from '../object-schema.ts'
import type { Blueprint, BlueprintPlan } from './blueprint.ts'
import { BLUEPRINT_PLAN } from './blueprint-schema.ts'
import { type FilledBlueprint, fillBlueprint } from './fill-blueprint.ts'
import { parseBlueprint } from './parse-blueprint.ts'

/** Relative to the workspace. */
export const BLUEPRINTS_PATH = '.thinkon/blueprints'
const MAX_BLUEPRINT_BYTES = 256 * 1024

export const BLUEPRINT_TOOLS = ['blueprint__list', 'blueprint__load', 'blueprint__fill'] as const

export type ListedBlueprint = Pick<Blueprint, 'name' | 'verbose_name' | 'description' | 'parameters'>

/** Throws to refuse a file. */
type CheckFile = (path: string, text: string) => void

type Place = Pick<ToolIo, 'workspace' | 'permits'>

/** No file is read before one of these tools is used. */
export function blueprintTools(checkFile?: CheckFile): GuardedTool[] {
  const load = ({ workspace, permits }: Place) => loadBlueprints(workspace, { permits, checkFile })

  async function find(name: string, place: Place): Promise<Blueprint> {
    const { blueprints, broken } = await load(place)
    const found = blueprints.find((one) => one.name === name)
    if (found !== undefined) return found
    const file = broken.find((one) => one.name === name)
    if (file !== undefined) throw toolError(`the blueprint "${name}" can't be used: ${file.message}`)
    const available = blueprints.map((one) => one.name)
    throw toolError(
      `there is no blueprint "${name}"${meantText(name, available)} (there are: ${available.join(', ')})`,
      {
        available,
      },
    )
  }

  return [
    defineTool({
      name: 'blueprint__list',
      isFree,
      deeds: () => READING,
      description: 'The blueprints there are, with their parameters.',
      access: 'read',
      hidden: true,
      input: objectSchema({}),
      async run(_, io): Promise<ListedBlueprint[]> {
        const { blueprints } = await load(io)
        return blueprints.map((one) => {
          const { name, verbose_name, description, parameters } = one
          return { name, verbose_name, description, parameters }
        })
      },
    }),
    defineTool({
      name: 'blueprint__load',
      isFree,
      deeds: () => READING,
      description: 'One blueprint, whole.',
      access: 'read',
      hidden: true,
      input: objectSchema({ name: blueprintName }),
      run: ({ name }, io) => find(name, io),
    }),
    defineTool({
      name: 'blueprint__fill',
      isFree,
      deeds: () => READING,
      description: 'The prompts, the plan and the tools of a blueprint, with its parameters filled in.',
      access: 'read',
      hidden: true,
      input: objectSchema({
        name: blueprintName,
        params: anyMapping,
        plan: optional(field<BlueprintPlan>(BLUEPRINT_PLAN)),
      }),
      run: async ({ name, params, plan }, io): Promise<FilledBlueprint> =>
        fillBlueprint(await find(name, io), params, new DecodingBudget(`blueprint "${name}"`), plan),
    }),
  ]
}

const READING: readonly Deed[] = [{ does: 'read', path: BLUEPRINTS_PATH }]

/** Thinkon's own files. */
const isFree = () => true

const blueprintName = text('Its name', { minLength: 1, maxLength: 100 })

/** The blueprint itself defines its parameters. */
const anyMapping = field<Readonly<Record<string, unknown>>>({ type: 'object', description: 'Its parameters' })

interface LoadedBlueprints {
  /** By name. */
  readonly blueprints: readonly Blueprint[]
  /**
   * Files that can't be used, and why. They hide shipped blueprints of the same name, which are not what their author wants.
   */
  readonly broken: readonly { readonly name: string; readonly message: string }[]
}

interface Reading {
  permits?: ToolIo['permits']
  checkFile?: CheckFile | undefined
}

/** Files that may not be read are as if they were not there. */
export async function loadBlueprints(
  workspace: string,
  { permits = () => 'allow', checkFile }: Reading = {},
): Promise<LoadedBlueprints> {
  const mayRead = (file: string) => permits({ does: 'read', path: `${BLUEPRINTS_PATH}/${file}` }) === 'allow'
  const own = await readFolder(join(workspace, BLUEPRINTS_PATH), BLUEPRINTS_PATH, mayRead, checkFile)
  const shipped = await readFolder(packagePath('src/tools/blueprints/shipped'), 'shipped')
  const taken = new Set([...own.blueprints, ...own.broken].map(({ name }) => name))
  const blueprints = [...own.blueprints, ...shipped.blueprints.filter(({ name }) => !taken.has(name))]
  return {
    blueprints: blueprints.sort((a, b) => (a.name < b.name ? -1 : 1)),
    broken: [...own.broken, ...shipped.broken],
  }
}

/** `shown` is the folder's name in error messages. */
async function readFolder(
  folder: string,
  shown: string,
  mayRead: (file: string) => boolean = () => true,
  checkFile?: CheckFile,
): Promise<LoadedBlueprints> {
  const blueprints: Blueprint[] = []
  const broken: { name: string; message: string }[] = []
  for (const { name: file, isLink } of blueprintFiles(folder)) {
    if (!mayRead(file)) continue
    const name = file.replace(/\.ya?ml$/, '')
    try {
      if (isLink) throw new Error(`${shown}/${file} is a link: put the file itself there`)
      if (file.endsWith('.yml')) throw new Error(`${shown}/${file} is not read: rename it to ${name}.yaml`)
      const text = await readSmallFile(join(folder, file), MAX_BLUEPRINT_BYTES)
      checkFile?.(join(folder, file), text)
      blueprints.push(await parseBlueprint(text, `${shown}/${file}`))
    } catch (thrown) {
      broken.push({ name, message: errorData(thrown, 'BAD_INPUT').message })
    }
  }
  return { blueprints, broken }
}

/** The files that are read as blueprints, in order. */
export function blueprintFiles(folder: string): { name: string; isLink: boolean }[] {
  return entriesOf(folder)
    .filter((entry) => !entry.isDirectory() && /^[^.].*\.ya?ml$/.test(entry.name))
    .map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
