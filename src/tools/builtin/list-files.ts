import { defineTool, type GuardedTool, throwIfAborted } from '../define-tool.ts'
import { globMatcher } from '../glob.ts'
import { flag, integer, objectSchema, optional, text } from '../object-schema.ts'
import { type Found, IGNORED, walk } from '../walk.ts'
import { insideWorkspace } from '../workspace.ts'

const MAX_LISTED = 1_000
export const MAX_DEPTH = 20
/** Without a pattern: an overview, not everything. */
const DEFAULT_DEPTH = 3

export function listFilesTool(): GuardedTool {
  return defineTool({
    name: 'list_files',
    description: `Lists files of the workspace; folders end in /. ${IGNORED.join(', ')} are left out unless \`all\`; of .thinkon, \`all\` shows executors and blueprints only.`,
    access: 'read',
    input: objectSchema({
      path: optional(text('The folder, from the workspace; the workspace unless given', { minLength: 1 })),
      glob: optional(
        text('Only files that match, such as **/*.ts or *.md', { minLength: 1, maxLength: 1_000 }),
      ),
      depth: optional(integer('How many levels down', 1, MAX_DEPTH)),
      all: optional(flag('Also what is left out by default')),
    }),
    deeds: ({ path = '.' }) => [{ does: 'read', path }],
    async run({ path = '.', glob, depth, all = false }, { workspace, signal, permits }) {
      const start = await insideWorkspace(workspace, path)
      const matches = glob === undefined ? null : globMatcher(glob)
      const maxDepth = depth ?? (matches === null ? DEFAULT_DEPTH : MAX_DEPTH)
      const isListed = ({ place, isFolder }: Found) =>
        matches === null || (!isFolder && matches(below(start.name, place.name)))
      const files: string[] = []
      let count = 0
      for await (const found of walk(start, { maxDepth, includeIgnored: all, permits, signal })) {
        if (!isListed(found) || ++count > MAX_LISTED) continue
        files.push(found.isFolder ? `${found.place.name}/` : found.place.name)
      }
      throwIfAborted(signal)
      return { path: start.name, files, ...(count > MAX_LISTED && { notShown: count - MAX_LISTED }) }
    },
  })
}

/** A pattern is matched against the path relative to the listed folder. */
export function below(start: string, name: string): string {
  return start === '.' ? name : name.slice(start.length + 1)
}
