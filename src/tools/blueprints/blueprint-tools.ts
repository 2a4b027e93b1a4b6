/** The blueprints as tools that strategies call by name, so that what a run used is on record, whatever happens to the files. */
import { nearest } from '../../protocol/index.ts'
import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { field, objectSchema, text } from '../object-schema.ts'
import type { Blueprint } from './blueprint.ts'
import { type FilledBlueprint, fillBlueprint } from './fill-blueprint.ts'
import { loadBlueprints } from './load-blueprints.ts'

export const BLUEPRINT_TOOLS = ['blueprint__list', 'blueprint__load', 'blueprint__fill'] as const

export type ListedBlueprint = Pick<Blueprint, 'name' | 'verbose_name' | 'description' | 'parameters'>

/** No file is read before one of these tools is used. */
export function blueprintTools(workspace: string): GuardedTool[] {
  async function find(name: string): Promise<Blueprint> {
    const { blueprints, broken } = await loadBlueprints(workspace)
    const found = blueprints.find((one) => one.name === name)
    if (found !== undefined) return found
    const file = broken.find((one) => one.name === name)
    if (file !== undefined) throw toolError(`the blueprint "${name}" can't be used: ${file.message}`)
    const available = blueprints.map((one) => one.name)
    const meant = nearest(name, available)
    const hint = meant === undefined ? '' : `: did you mean "${meant}"?`
    throw toolError(`there is no blueprint "${name}"${hint} (there are: ${available.join(', ')})`, {
      available,
    })
  }

  return [
    defineTool({
      name: 'blueprint__list',
      description: 'The blueprints there are, with their parameters.',
      access: 'read',
      hidden: true,
      input: objectSchema({}),
      run: async (): Promise<ListedBlueprint[]> =>
        (await loadBlueprints(workspace)).blueprints.map(
          ({ name, verbose_name, description, parameters }) => ({
            name,
            verbose_name,
            description,
            parameters,
          }),
        ),
    }),
    defineTool({
      name: 'blueprint__load',
      description: 'One blueprint, whole.',
      access: 'read',
      hidden: true,
      input: objectSchema({ name: blueprintName }),
      run: ({ name }) => find(name),
    }),
    defineTool({
      name: 'blueprint__fill',
      description: 'The prompts, the plan and the tools of a blueprint, with its parameters filled in.',
      access: 'read',
      hidden: true,
      input: objectSchema({ name: blueprintName, params: anyMapping }),
      run: async ({ name, params }): Promise<FilledBlueprint> => fillBlueprint(await find(name), params),
    }),
  ]
}

const blueprintName = text('Its name', { minLength: 1, maxLength: 100 })

/** The blueprint itself defines its parameters. */
const anyMapping = field<Readonly<Record<string, unknown>>>({ type: 'object', description: 'Its parameters' })
