import { defineTool, type GuardedTool, throwIfAborted } from '../define-tool.ts'
import { objectSchema, text } from '../object-schema.ts'
import { insideWorkspace, oneWriter, writeInside } from '../workspace.ts'

export const MAX_WRITE_CHARS = 1_000_000

export function writeFileTool(workspace: string): GuardedTool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a text file of the workspace whole, in place of what it was; makes the folders on the way.',
    access: 'write',
    input: objectSchema({
      path: text('The file, from the workspace', { minLength: 1 }),
      content: text('All of the text', { maxLength: MAX_WRITE_CHARS }),
    }),
    subjects: ({ path }) => ({ paths: [path] }),
    run({ path, content }, { signal }) {
      return oneWriter(workspace, async () => {
        const place = await insideWorkspace(workspace, path, 'write')
        throwIfAborted(signal)
        const { created } = await writeInside(place, content)
        return { path: place.name, bytes: Buffer.byteLength(content), created }
      })
    },
  })
}
