import type { Schema } from '../kernel/schema.ts'
import type { Tool, ToolInfo, ToolIo } from '../kernel/tool.ts'
import { ThinkonError } from '../protocol/index.ts'

/** What a call touches: what the patterns of the approval policy are matched against. */
export interface Subjects {
  readonly commands?: readonly string[]
  /** As given: relative to the workspace, or absolute. */
  readonly paths?: readonly string[]
  readonly hosts?: readonly string[]
}

/** A tool that reports what a call touches. Must not throw: the input may be anything. */
export interface GuardedInfo extends ToolInfo {
  subjects?(input: unknown): Subjects
}

export type GuardedTool = Tool & GuardedInfo

interface Definition<T> extends Omit<GuardedInfo, 'input' | 'subjects'> {
  readonly input: Schema<T>
  subjects?(input: T): Subjects
  run(input: T, io: ToolIo): Promise<unknown>
}

/** A tool whose function receives checked and typed input. */
export function defineTool<T>(definition: Definition<T>): GuardedTool {
  const { subjects, input, run, ...info } = definition
  return {
    ...info,
    input,
    ...(subjects === undefined ? {} : { subjects: (given) => subjectsOf(input, subjects, given) }),
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

/** Invalid input touches nothing: the check will refuse it. */
function subjectsOf<T>(input: Schema<T>, subjects: (input: T) => Subjects, given: unknown): Subjects {
  try {
    return subjects(input.check(given))
  } catch {
    return {}
  }
}
