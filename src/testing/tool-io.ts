import type { ToolIo } from '../kernel/tool.ts'

/** What a tool gets, to call its `run` in a test: everything is permitted, unless said otherwise. */
export function toolIo(given: Partial<ToolIo> = {}): ToolIo {
  const { signal } = new AbortController()
  return { run: 'r', path: '1', n: 1, signal, permits: () => 'allow', ...given }
}
