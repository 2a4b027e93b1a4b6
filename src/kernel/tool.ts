/** The tool port. */
import type { Schema } from './strategy.ts'

export interface ToolInfo {
  readonly name: string
  readonly description: string
  /**
   * `read` changes nothing and is run again when the process died in the middle. `write` is everything else: it is never
   * run twice by itself; the block is told that it may or may not have happened. Call a tool that may safely be repeated
   * `read`.
   */
  readonly access: 'read' | 'write'
  readonly input?: Schema
}

export interface Tool extends ToolInfo {
  /** Must heed `io.signal`. The value must be JSON. What it throws becomes the step's failure, not the run's. */
  run(input: unknown, io: ToolIo): Promise<unknown>
}

export interface ToolIo {
  readonly run: string
  readonly path: string
  /** The operation's number in its block: with run and path, a key that is the same when the call is made again. */
  readonly n: number
  readonly signal: AbortSignal
}
