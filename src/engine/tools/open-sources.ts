/**
 * Opens the sources of an engine's tools, all at the same time. If one fails, those that were opened are closed again, and its error is
 * the caller's.
 */
import { refused } from '../../protocol/check-arguments.ts'
import { isObject, type KeyPath, keyText } from '../../protocol/index.ts'
import { type Problem, problemAt } from '../../protocol/problem.ts'
import { isTool, toolSources } from './given-tools.ts'
import { openAiSdkTools } from './open-ai-sdk-tools.ts'
import type { OpenedTools, ToolSource, ToolSources } from './tool-source.ts'
import type { UserTool } from './user-tool.ts'

export interface OpenSources {
  readonly tools: readonly UserTool[]
  /** That of the first source that has one. */
  readonly workspace: string | undefined
  /** Closes every one of them, also if one can't be closed; then it rejects. */
  close(): Promise<void>
}

export async function openSources(given: ToolSources): Promise<OpenSources> {
  const opened: OpenedTools[] = []
  // An engine may be closed twice; what a source has closes once.
  const close = async () => void (await allOf(opened.splice(0).map(async (one) => one.close?.())))
  try {
    const tools = await toolsIn(given, ['tools'], opened)
    return { tools, workspace: opened.find((one) => one.workspace !== undefined)?.workspace, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

async function toolsIn(given: ToolSources, place: KeyPath, opened: OpenedTools[]): Promise<UserTool[]> {
  if (!Array.isArray(given)) return toolsOf(given as ToolSource, place, opened)
  const lists = given.map((source: ToolSource, i) => toolsOf(source, [...place, i], opened))
  return (await allOf(lists)).flat()
}

async function toolsOf(source: ToolSource, place: KeyPath, opened: OpenedTools[]): Promise<UserTool[]> {
  if (typeof source === 'function') {
    const open = await source()
    if (!isObject(open)) throw refused('createEngine', [noTools(open, place)])
    opened.push(open)
    const problems = toolSources(open.tools, [...place, 'tools'])
    if (problems.length > 0) throw refused('createEngine', problems)
    return toolsIn(open.tools, [...place, 'tools'], opened)
  }
  return isTool(source) ? [source] : [...(await openAiSdkTools(source))]
}

/** `tools: builtinTools` is easily written for `tools: builtinTools()`. */
function noTools(given: unknown, place: KeyPath): Problem {
  const meant = typeof given === 'function' ? ', not a function: call it, such as builtinTools()' : ''
  return problemAt(place, `${keyText(place)} must return { tools, close }${meant}`)
}

/** Waits for all of them, also if one fails. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
