/** The tools that come with Thinkon. */
import type { GuardedTool } from '../define-tool.ts'
import { applyPatchTool } from './apply-patch.ts'
import { askUserTool } from './ask-user.ts'
import { calculateTool } from './calculate.ts'
import { type HttpFetchOptions, httpFetchTool } from './http-fetch.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchFilesTool } from './search-files.ts'
import { type ShellOptions, shellTool } from './shell.ts'
import { editFileTool, writeFileTool } from './write-files.ts'

export interface BuiltinOptions {
  /** How `shell` runs commands: in which sandbox, with which network, variables and time. Default: a sandbox if there is one, no network. */
  readonly shell?: ShellOptions
  /** Without it, or if no host is allowed, there is no http_fetch. */
  readonly http?: HttpFetchOptions
}

export function builtinTools({ shell, http }: BuiltinOptions = {}): GuardedTool[] {
  return [
    readFileTool(),
    listFilesTool(),
    searchFilesTool(),
    writeFileTool(),
    editFileTool(),
    applyPatchTool(),
    shellTool(shell),
    ...(http !== undefined && http.allow.length > 0 ? [httpFetchTool(http)] : []),
    calculateTool(),
    askUserTool(),
  ]
}
