/**
 * Files that a run is given when it starts. They are put into the workspace, where its tools find them, and its goal names them: so
 * that they are in the journal by name, and whoever starts the run again gives it the same.
 *
 * 1. A file gets a folder of its own, named after what it holds: the same file given again has the same name.
 * 2. No file that is there is ever changed.
 * 3. A name that another program executes or trusts is refused: file tools would ask before they write it (trusted-files.ts).
 */
import { createHash } from 'node:crypto'
import { type Goal, languageOf, ThinkonError } from '../protocol/index.ts'
import { trustedBy } from './trusted-files.ts'
import { insideWorkspace, oneWriter, readInside, type WorkspacePath, writeInside } from './workspace.ts'

export interface GivenFile {
  /** Without a folder. */
  readonly name: string
  readonly content: Uint8Array
}

/** In the workspace. */
const FOLDER = 'inputs'
const MAX_PLACES = 100

/** Returns their names, from the workspace. */
export async function placeFiles(files: readonly GivenFile[], workspace: string): Promise<string[]> {
  for (const { name } of files) refuseTrusted(name)
  return oneWriter(workspace, async () => {
    const names: string[] = []
    for (const file of files) names.push(await place(file, workspace))
    return names
  })
}

/** Throws BAD_INPUT. */
function refuseTrusted(name: string): void {
  const by = trustedBy(name)
  if (by === null) return
  const message = `the file ${JSON.stringify(name)} is not put into the workspace, because of its name (${by}): give it another name, such as ${JSON.stringify(`${name.replace(/^\.+/, '')}.txt`)}`
  throw new ThinkonError('BAD_INPUT', message, { data: { file: name } })
}

async function place({ name, content }: GivenFile, workspace: string): Promise<string> {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
  for (let n = 1; n <= MAX_PLACES; n++) {
    const folder = n === 1 ? hash : `${hash}-${n}`
    const at = await insideWorkspace(workspace, `${FOLDER}/${folder}/${name}`, 'write')
    const held = await contentOf(at, content.length)
    if (held === null) await writeInside(at, content)
    // A run may have changed the one that was given before.
    if (held === null || (held !== 'other' && held.equals(content))) return at.name
  }
  throw new ThinkonError('BAD_INPUT', `${FOLDER}/${hash} has ${MAX_PLACES} changed copies of ${name}`)
}

/** Null if there is no such file. */
async function contentOf(at: WorkspacePath, maxBytes: number): Promise<Buffer | 'other' | null> {
  try {
    return (await readInside(at, maxBytes)).bytes
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown)) throw thrown
    if (thrown.data?.errno === 'ENOENT') return null
    if (thrown.data?.maxBytes !== undefined) return 'other'
    throw thrown
  }
}

/** The goal, with the names of its files. */
export function goalWithFiles(goal: Goal, names: readonly string[]): Goal {
  if (names.length === 0) return goal
  if (typeof goal !== 'string') return { ...goal, intent: withNames(goal.intent, names) }
  return withNames(goal, names)
}

function withNames(text: string, names: readonly string[]): string {
  return `${text.trimEnd()}\n\n${WORDS[languageOf(text)]}\n${names.map((name) => `- ${name}`).join('\n')}`
}

const WORDS = {
  en: 'Files that come with this goal, in the workspace:',
  zh: '随此目标提供的文件（在工作区中）：',
} as const
