import { type Deed, doesNothing, NOTHING_DONE } from '../kernel/deed.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Tool, ToolInfo, ToolIo } from '../kernel/tool.ts'
import { ThinkonError } from '../protocol/index.ts'

/** A tool that declares what a call does. All of Thinkon's own do. */
export type GuardedTool = Tool & Required<Pick<Tool, 'deeds'>>

interface Definition<T> extends Omit<ToolInfo, 'input' | 'deeds'> {
  readonly input: Schema<T>
  deeds(input: T): readonly Deed[]
  run(input: T, io: ToolIo): Promise<unknown>
}

/** A tool whose function receives checked and typed input. */
export function defineTool<T>(definition: Definition<T>): GuardedTool {
  const { deeds, input, run, ...info } = definition
  return {
    ...info,
    input,
    deeds: deeds === doesNothing ? doesNothing : (given) => deedsOf(input, deeds, given),
    // The kernel has checked it already; a caller that runs the tool directly gets the same answer.
    run: async (given, io) => run(input.check(given), io),
  }
}

/** A failure that is returned to the model as data. */
export function toolError(message: string, data: Record<string, unknown> = {}): ThinkonError {
  return new ThinkonError('TOOL_ERROR', message, { data })
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted(signal)
}

export function aborted(signal: AbortSignal): ThinkonError {
  return new ThinkonError('CANCELLED', 'stopped', { cause: signal.reason })
}

/** Invalid input does nothing: the check will refuse it. */
function deedsOf<T>(input: Schema<T>, deeds: (input: T) => readonly Deed[], given: unknown): readonly Deed[] {
  try {
    return deeds(input.check(given))
  } catch {
    return NOTHING_DONE
  }
}
