import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { bytesText } from '../../protocol/index.ts'
import { defineTool, type GuardedTool, throwIfAborted, toolError } from '../define-tool.ts'
import { objectSchema, text } from '../object-schema.ts'
import {
  type FileVersion,
  insideWorkspace,
  oneWriter,
  removeInside,
  type WorkspacePath,
  writeInside,
} from '../workspace.ts'
import { readTextFile } from './text-file.ts'
import { applyHunks, type FilePatch, parsePatch } from './unified-diff.ts'
import { changing, MAX_WRITE_CHARS } from './write-files.ts'

export function applyPatchTool(): GuardedTool {
  return defineTool({
    name: 'apply_patch',
    description:
      'Applies a unified diff to files of the workspace: all of it or nothing. Makes (--- /dev/null) and removes (+++ /dev/null) files.',
    access: 'write',
    input: objectSchema({ patch: text('The unified diff', { minLength: 1, maxLength: MAX_WRITE_CHARS }) }),
    deeds: ({ patch }) => patchedPaths(patch).flatMap(changing),
    run({ patch }, { workspace, signal }) {
      return oneWriter(workspace, async () => {
        const files = parsePatch(patch)
        refuseTwice(files)
        const changes: Change[] = []
        const budget = patchBudget()
        for (const file of files) changes.push(...(await changesOf(workspace, file, budget)))
        throwIfAborted(signal)
        await makeAll(changes)
        return {
          changed: changes.map(({ place, before, after }) => ({
            path: place.name,
            did: verb(before, after),
          })),
        }
      })
    },
  })
}

/** Every path a patch touches. Throws if the patch can't be read. */
export function patchedPaths(patch: string): string[] {
  const paths = parsePatch(patch).flatMap(({ from, to }) => [from, to])
  return [...new Set(paths)].filter((path) => path !== null)
}

interface Change {
  readonly place: WorkspacePath
  /** Null if the file did not exist. */
  readonly before: { text: string; stats: FileVersion } | null
  /** Null if the file is removed. */
  readonly after: string | null
}

/** For the texts of all files: a patch may copy a file many times. */
function patchBudget(): DecodingBudget {
  const error = (limit: number) =>
    toolError(`the patch makes texts of more than ${bytesText(limit)}; nothing was changed`)
  return new DecodingBudget('the patch', { error })
}

async function changesOf(
  workspace: string,
  { from, to, isCopy, hunks }: FilePatch,
  budget: DecodingBudget,
): Promise<Change[]> {
  if (from === null) {
    const place = await insideWorkspace(workspace, to as string, 'write')
    if (await exists(place)) throw toolError(`${place.name} already exists; nothing was changed`)
    return [{ place, before: null, after: applyHunks(place.name, '', hunks, budget) }]
  }
  const place = await insideWorkspace(workspace, from, 'write')
  const before = await readTextFile(place)
  const after = applyHunks(place.name, before.text, hunks, budget)
  if (to === null) {
    if (after !== '')
      throw toolError(`the patch removes ${place.name}, but leaves text in it; nothing was changed`)
    return [{ place, before, after: null }]
  }
  if (to === from) return [{ place, before, after }]
  const target = await insideWorkspace(workspace, to, 'write')
  if (await exists(target)) throw toolError(`${target.name} already exists; nothing was changed`)
  const made = { place: target, before: null, after }
  return isCopy ? [made] : [made, { place, before, after: null }]
}

/** If one change fails, those made before are undone. */
async function makeAll(changes: readonly Change[]): Promise<void> {
  const made: Change[] = []
  try {
    for (const change of changes) {
      if (change.after === null)
        await removeInside(change.place, (change.before as { stats: FileVersion }).stats)
      else await writeInside(change.place, change.after, change.before?.stats)
      made.push(change)
    }
  } catch (error) {
    const lost: string[] = []
    for (const change of made.reverse()) await takeBack(change).catch(() => lost.push(change.place.name))
    if (lost.length === 0) throw error
    throw toolError(`${(error as Error).message}; could not be restored: ${lost.join(', ')}`, { lost })
  }
}

async function takeBack({ place, before }: Change): Promise<void> {
  if (before !== null) await writeInside(place, before.text)
  else await removeInside(place, (await readTextFile(place)).stats)
}

async function exists(place: WorkspacePath): Promise<boolean> {
  return readTextFile(place).then(
    () => true,
    (error) => error?.data?.errno !== 'ENOENT',
  )
}

/** Each section applies to the original file: two for the same file would undo each other. */
function refuseTwice(files: readonly FilePatch[]): void {
  const seen = new Set<string>()
  for (const path of files.flatMap(({ from, to }) => [...new Set([from, to])])) {
    if (path === null) continue
    if (seen.has(path)) throw toolError(`the patch has two sections for ${path}: put their hunks into one`)
    seen.add(path)
  }
}

function verb(before: Change['before'], after: string | null): string {
  if (before === null) return 'made'
  return after === null ? 'removed' : 'changed'
}
