/**
 * Paths that an executor may not touch, found before it is called: by the words of the path alone, because a plan is checked
 * without looking at files. A link that leads out is found when the executor runs.
 */
import type { KnownTool } from '../../protocol/index.ts'
import { READ_TOOLS } from './own-executors.ts'

/** What is wrong with the inputs that are paths. */
export function pathProblems(tool: KnownTool, input: Readonly<Record<string, unknown>>): string[] {
  const limits = tool.executor?.paths
  const allowed = limits?.map((limit) => partsOf(limit) ?? []) ?? [[]]
  return pathInputs(tool).flatMap((name) =>
    [input[name]].flat().flatMap((path) => {
      if (typeof path !== 'string' || isWithin(path, allowed)) return []
      const place = limits?.join(', ') ?? 'the workspace'
      return [`"${name}" must be a path within ${place}, written from the workspace, not "${path}"`]
    }),
  )
}

/** Those of format `path`; the tools for files say it with the name. */
function pathInputs({ schema, name: tool }: KnownTool): string[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, { format?: unknown } | undefined>>
  const isOfFiles = FILE_TOOLS.includes(tool)
  return Object.keys(properties).filter(
    (name) => properties[name]?.format === 'path' || (isOfFiles && name === 'path'),
  )
}

const FILE_TOOLS: readonly string[] = [...READ_TOOLS, 'write_file', 'edit_file']

function isWithin(path: string, allowed: readonly (readonly string[])[]): boolean {
  const parts = partsOf(path)
  return parts !== null && allowed.some((limit) => limit.every((part, i) => parts[i] === part))
}

/** The names on the way from the workspace; null where the way leads out of it. */
function partsOf(path: string): readonly string[] | null {
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return null
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '' && part !== '.' && part !== '..') parts.push(part)
  }
  return parts
}
