/** The tools that come with Thinkon. */
import type { GuardedTool } from '../define-tool.ts'
import { applyPatchTool } from './apply-patch.ts'
import { askUserTool } from './ask-user.ts'
import { calculateTool } from './calculate.ts'
import { editFileTool } from './edit-file.ts'
import { type HttpFetchOptions, httpFetchTool } from './http-fetch.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { type ReadResultOptions, readResultTool } from './read-result.ts'
import { searchFilesTool } from './search-files.ts'
import { type ShellOptions, shellTool } from './shell.ts'
import { writeFileTool } from './write-file.ts'

export interface BuiltinOptions {
  readonly workspace: string
  /** See hiddenPaths of the approval policy. */
  readonly hidden?: readonly string[]
  readonly shell?: Omit<ShellOptions, 'workspace'>
  /** Without it, or if no host is allowed, there is no http_fetch. */
  readonly http?: HttpFetchOptions
  /** Without it there is no read_result. */
  readonly lookup?: ReadResultOptions['lookup']
}

export function builtinTools({ workspace, hidden = [], shell, http, lookup }: BuiltinOptions): GuardedTool[] {
  const inside = { workspace }
  return [
    readFileTool(inside),
    listFilesTool({ workspace, hidden }),
    searchFilesTool({ workspace, hidden }),
    writeFileTool(inside),
    editFileTool(inside),
    applyPatchTool(inside),
    shellTool({ ...shell, workspace }),
    ...(http !== undefined && http.allow.length > 0 ? [httpFetchTool(http)] : []),
    calculateTool(),
    askUserTool(),
    ...(lookup === undefined ? [] : [readResultTool({ lookup })]),
  ]
}
