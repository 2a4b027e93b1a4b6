/** What a call of a tool does to files, as lines that come and go: for whoever permits it, and whoever reads what was done. */
import { type Event, isObject, showHidden } from '../protocol/index.ts'
import { checkView } from './entrances.ts'
import { type DiffLine, lineDiff } from './line-diff.ts'
import { patchedFiles } from './patch-lines.ts'

export interface FileChange {
  readonly path: string
  readonly lines: readonly DiffLine[]
  /** The file is written whole, and nobody knows what is in it now, if it is there at all. */
  readonly isBlind: boolean
}

/** The text of a file as the run last saw or wrote it; null if it does not know it. */
export type KnownText = (path: string) => string | null

/**
 * Empty for calls that change no files in a way that can be shown. What nobody would see, such as marks that change the direction of
 * the text, is shown as `\u{…}`: a person decides by it.
 */
export function fileChanges(tool: string, input: unknown, known: KnownText = () => null): FileChange[] {
  checkView('fileChanges', [tool, input, known])
  return changesOf(tool, input, known).map(({ path, lines, isBlind }) => ({
    path: showHidden(path),
    lines: lines.map(({ kind, text }) => ({ kind, text: showHidden(text, '\t') })),
    isBlind,
  }))
}

function changesOf(tool: string, input: unknown, known: KnownText): FileChange[] {
  if (!isObject(input)) return []
  const of = (key: string) => (typeof input[key] === 'string' ? (input[key] as string) : '')
  const path = of('path')
  switch (tool) {
    case 'write_file': {
      const before = known(path)
      return [{ path, lines: lineDiff(before ?? '', of('content')), isBlind: before === null }]
    }
    case 'edit_file': {
      const before = known(path)
      const after = before === null ? null : edited(before, of('old'), of('new'), input.all === true)
      const lines = after === null ? lineDiff(of('old'), of('new')) : lineDiff(before as string, after)
      return [{ path, lines, isBlind: false }]
    }
    case 'apply_patch':
      return patchedFiles(of('patch')).map((file) => ({ ...file, isBlind: false }))
    default:
      return []
  }
}

export interface KnownFiles {
  follow(event: Event): void
  readonly textOf: KnownText
}

/** What a run knows of files, by what it has read whole and written. */
export function createKnownFiles(): KnownFiles {
  const texts = new Map<string, string>()
  const calls = new Map<string, { name: string; input: Record<string, unknown> }>()
  return {
    textOf: (path) => texts.get(path) ?? null,
    follow(event) {
      if (event.type !== 'tool-start' && event.type !== 'tool-end') return
      const key = `${event.path} ${event.n}`
      if (event.type === 'tool-start') {
        if (FILE_TOOLS.has(event.name) && isObject(event.input))
          calls.set(key, { name: event.name, input: event.input })
        return
      }
      const call = calls.get(key)
      calls.delete(key)
      if (call !== undefined && event.result.ok) learn(texts, call.name, call.input, event.result.value)
    },
  }
}

const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file', 'apply_patch'])

function learn(
  texts: Map<string, string>,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  result: unknown,
): void {
  const path = String(input.path)
  if (tool === 'write_file') texts.set(path, String(input.content))
  else if (tool === 'read_file') {
    if (isObject(result) && result.from === 1 && result.to === result.totalLines)
      texts.set(path, String(result.text))
  } else if (tool === 'edit_file') {
    const before = texts.get(path)
    const after =
      before === undefined ? null : edited(before, String(input.old), String(input.new), input.all === true)
    if (after === null) texts.delete(path)
    else texts.set(path, after)
  } else for (const { path: patched } of patchedFiles(String(input.patch))) texts.delete(patched)
}

/** Null if it can't be done. */
function edited(text: string, old: string, replacement: string, all: boolean): string | null {
  const parts = text.split(old)
  return old === '' || parts.length === 1 || (parts.length > 2 && !all) ? null : parts.join(replacement)
}
