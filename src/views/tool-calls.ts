/** The tool calls of a run, so that the line of an end can say what was called and with what. */
import { type Event, type EventOf, toolCallText } from '../protocol/index.ts'

export interface ToolCalls {
  follow(event: Event): void
  /** `read_file src/a.ts`; null for what a strategy calls for its own bookkeeping. */
  textOf(event: EventOf<'tool-end'>): string | null
}

export function createToolCalls(): ToolCalls {
  /** By path, then by number. */
  const calls = new Map<string, Map<number, string>>()
  return {
    follow(event) {
      const { path } = event
      if (event.type === 'block-end') calls.delete(path)
      if (event.type !== 'tool-start' || isBookkeeping(event.name)) return
      const own = calls.get(path) ?? new Map<number, string>()
      calls.set(path, own.set(event.n, toolCallText(event.name, event.input)))
    },
    textOf: ({ path, n }) => calls.get(path)?.get(n) ?? null,
  }
}

/** Programs of a strategy, its memory and its blueprints, and what the kernel reads for a model. */
export function isBookkeeping(tool: string): boolean {
  return BOOKKEEPING.test(tool)
}

const BOOKKEEPING = /\/|^(?:memory|blueprint)__|^(?:read_result|executor__observe)$/
