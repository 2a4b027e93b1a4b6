import type { ToolIo } from '../kernel/tool.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { TOOL_IO } from './entrances.ts'

/** What a tool gets, to call its `run` in a test: everything is permitted, unless said otherwise. */
export function toolIo(given: Partial<ToolIo> = {}): ToolIo {
  checkArguments('toolIo', TOOL_IO, [given])
  const { signal } = new AbortController()
  return { run: 'r', path: '1', n: 1, signal, workspace: process.cwd(), permits: () => 'allow', ...given }
}
