/**
 * What `always` covers: calls of the same tool that do the same. Exactly the command in its folder; the host; the files that a rule
 * with a pattern asked for; otherwise the folder of the file. A tool that does not say what it does is covered as a whole. A grant
 * turns `ask` into `allow`, never a denial, and one for a folder or tool not where a rule with a pattern asks.
 *
 * Names are compared to the letter, not as patterns: a file may be called `*`.
 */
import { posix } from 'node:path'
import { type Deed, doesNothing, type FileDeed } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import { type Language, stableJson } from '../../protocol/index.ts'
import { trimCommand } from './command.ts'
import { declaredDeeds } from './declared-deeds.ts'
import { type Grant, LEVELS } from './policy.ts'
import { ratedAs } from './rule-about.ts'
import { nameIn } from './workspace-name.ts'

/** `level`: of the rule that asks. */
export function grantsOf(tool: ToolInfo, input: unknown, level: number, workspace: string): Grant[] {
  const deeds = declaredDeeds(tool, input)
  if (deeds === null) return []
  const given = (covers: Grant['covers']): Grant => ({ tool: tool.name, covers })
  // Of input that is not valid it is not known what would be done.
  if (deeds.length === 0) return tool.deeds === undefined || tool.deeds === doesNothing ? [given('tool')] : []
  const isAboutFolders = level < LEVELS.pattern && deeds.every(isAboutFile)
  const covered = deeds.map((deed) => {
    const named = namedDeed(deed, workspace)
    return given(isAboutFolders && isAboutFile(named) ? folderOf(tool, named) : named)
  })
  return deeds.some((deed) => ratedAs(tool, deed) === tool.access) ? covered : [...covered, given('class')]
}

/** `deed`: null for what the tool is declared to do. */
export function isGranted(
  { tool, covers }: Grant,
  asked: { tool: ToolInfo; deed: Deed | null; level: number },
  workspace: string,
): boolean {
  if (tool !== asked.tool.name) return false
  const isByPattern = asked.level >= LEVELS.pattern
  if (covers === 'tool') return !isByPattern
  if (covers === 'class' || asked.deed === null) return covers === 'class' && asked.deed === null
  const deed = namedDeed(asked.deed, workspace)
  if ('isDeep' in covers) return !isByPattern && isAboutFile(deed) && isInFolder(covers, deed)
  return stableJson(covers) === stableJson(deed)
}

const MAX_NAMED = 3

/** What `always` covers, in words. */
export function grantedText(
  tool: ToolInfo,
  input: unknown,
  level: number,
  workspace: string,
  language: Language = 'en',
): string {
  const words = GRANTED_WORDS[language]
  const covered = grantsOf(tool, input, level, workspace).map(({ covers }) => covers)
  if (covered.length === 0) return words.once
  const command = covered.find((one) => typeof one !== 'string' && one.does === 'execute')
  if (command !== undefined && typeof command !== 'string' && command.does === 'execute')
    return words.command(shownFolder(command.folder ?? '.'))
  const named = [...new Set(covered.flatMap((one) => nameOf(one, words.below)))]
  if (named.length === 0) return words.every(tool.name)
  const more = named.length > MAX_NAMED ? words.more(named.length - MAX_NAMED) : ''
  const areFolders = covered.some((one) => typeof one !== 'string' && 'isDeep' in one)
  const names = `${named.slice(0, MAX_NAMED).join(words.comma)}${more}`
  return areFolders ? words.inFolders(tool.name, names) : words.of(tool.name, names)
}

const GRANTED_WORDS = {
  en: {
    once: 'this call only',
    below: ' and below',
    command: (folder: string) => `exactly this command in ${folder}`,
    every: (tool: string) => `every ${tool}`,
    comma: ', ',
    more: (n: number) => ` and ${n} more`,
    inFolders: (tool: string, names: string) => `${tool} in ${names}`,
    of: (tool: string, names: string) => `${tool} of ${names}`,
  },
  zh: {
    once: '仅此一次调用',
    below: ' 及其下级',
    command: (folder: string) => `在 ${folder} 中执行完全相同的命令`,
    every: (tool: string) => `所有 ${tool}`,
    comma: '、',
    more: (n: number) => `等另外 ${n} 项`,
    inFolders: (tool: string, names: string) => `对 ${names}${names.endsWith('/') ? ' ' : ''}的 ${tool}`,
    of: (tool: string, names: string) => `对 ${names} 的 ${tool}`,
  },
} as const

type Folder = Extract<Grant['covers'], { isDeep: boolean }>

/** Their path is a folder. */
const FOLDER_TOOLS = ['list_files', 'search_files']

function isAboutFile(deed: Deed): deed is FileDeed {
  return deed.does === 'read' || deed.does === 'write'
}

/** With its path, folder and command as they are compared. */
function namedDeed(deed: Deed, workspace: string): Deed {
  if (isAboutFile(deed)) return { does: deed.does, path: nameIn(workspace, deed.path) }
  if (deed.does === 'network') return { does: 'network', host: deed.host }
  const { command, folder = '.' } = deed
  return { does: 'execute', command: trimCommand(command), folder: nameIn(workspace, folder) }
}

/** With all below it; of the workspace itself, what lies directly in it. */
function folderOf(tool: ToolInfo, { does, path }: FileDeed): Folder {
  if (FOLDER_TOOLS.includes(tool.name)) return { does, folder: path, isDeep: true }
  const folder = posix.dirname(path)
  return { does, folder, isDeep: folder !== '.' }
}

function isInFolder({ does, folder, isDeep }: Folder, deed: FileDeed): boolean {
  if (does !== deed.does) return false
  const isFolderItself = does === 'read' && deed.path === folder
  if (isDeep) return folder === '.' || isFolderItself || deed.path.startsWith(`${folder}/`)
  return deed.path !== '.' && posix.dirname(deed.path) === folder
}

function nameOf(covers: Grant['covers'], below: string): string[] {
  if (typeof covers === 'string') return []
  if ('isDeep' in covers) return [`${shownFolder(covers.folder)}${covers.isDeep ? below : ''}`]
  if (covers.does === 'network') return [covers.host]
  return covers.does === 'execute' ? [] : [covers.path]
}

function shownFolder(folder: string): string {
  return folder === '.' ? './' : `${folder}/`
}
