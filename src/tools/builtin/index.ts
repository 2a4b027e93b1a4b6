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
  readonly workspace: string
  /** How `shell` runs commands: in which sandbox, with which network, variables and time. Default: a sandbox if there is one, no network. */
  readonly shell?: Omit<ShellOptions, 'workspace'>
  /** Without it, or if no host is allowed, there is no http_fetch. */
  readonly http?: HttpFetchOptions
}

export function builtinTools({ workspace, shell, http }: BuiltinOptions): GuardedTool[] {
  return [
    readFileTool(workspace),
    listFilesTool(workspace),
    searchFilesTool(workspace),
    writeFileTool(workspace),
    editFileTool(workspace),
    applyPatchTool(workspace),
    shellTool({ ...shell, workspace }),
    ...(http !== undefined && http.allow.length > 0 ? [httpFetchTool(http)] : []),
    calculateTool(),
    askUserTool(),
  ]
}
