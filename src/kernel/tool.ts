/** The tool port. */
import type { Event, ExecutorNote, KnownTool, Question, ToolAccess } from '../protocol/index.ts'
import type { Deed, Verdict } from './deed.ts'
import type { Schema } from './schema.ts'

export type { ToolAccess }

export interface ToolInfo {
  /** What models call it by. */
  readonly name: string
  /** What models are told that it does. */
  readonly description: string
  /** What it does to the world; what may be done unasked is decided by this. */
  readonly access: ToolAccess
  /**
   * Doing it twice is as good as once. A tool that only reads, or is idempotent, is run again when the process died in the
   * middle; any other is not: the block is told that it may or may not have happened. Default: false.
   */
  readonly idempotent?: boolean
  readonly input?: Schema
  /** Not offered to models unasked: strategies that know of it call it by name. */
  readonly hidden?: true
  /**
   * Of a tool that looks into Thinkon's own data: whether nobody is paid for a call, so that it does not count. Where somebody may
   * be, it counts if it says what it has spent. Must not throw: the input may be anything.
   */
  isFree?(input: unknown): boolean
  /**
   * All that a call with this input will do, as far as it is known before it is made; the rules of the policy are about this. A tool
   * without it is rated by its access class alone. Must not throw: the input may be anything.
   */
  deeds?(input: unknown): readonly Deed[]
  /**
   * A person is asked before each call, whatever the policy allows in general: only a rule that names the tool spares the question. In
   * a run without a policy, a call is denied. Of a tool that declares no deeds.
   */
  readonly needsApproval?: true
  /** A call is denied in a run without a policy. Set on built-in tools, executors and tools of MCP servers that do more than read. */
  readonly needsPolicy?: true
  /** Set where it is an executor of plans. */
  readonly executor?: ExecutorNote
  /** Of a tool whose call is a question to a person: it is asked in the calling block, and the tool is not run. */
  asks?(input: unknown): Question
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
  /** The folder that the run works in, an absolute path: that of `start({ workspace })`, or the engine's. */
  readonly workspace: string
  /**
   * Whether a further deed that the call comes upon on its way (a file found by a search, the host of a redirect) may be done, by the
   * run's recorded policy. Nobody can be asked while a tool runs: anything but `allow` means that it must not be done.
   */
  permits(deed: Deed): Verdict
  /**
   * What the run's journal has so far, from this `seq` on; for a strategy's own programs, where it can be read. What a program gives back
   * of it is a recorded look: a block that is executed again sees the same. It must be read before anything is done: a program is run
   * again when events have come that were not here yet.
   */
  readonly journal?: ((from: number) => Iterable<Event>) | undefined
  /** Tokens that the call has paid for, of an embedding for example: they are part of what the run has spent. */
  spend?(inputTokens: number): void
}

/**
 * A program of a strategy's own, named `<strategy>/<program>`. No policy is asked about it, no model hears of it, and its
 * result is on record, but not in the timeline.
 */
export function isOwnProgram(name: string): boolean {
  return name.includes('/')
}

export const NO_TOOLS: readonly KnownTool[] = []

/** Those that models don't hear of. */
export function hiddenOf(tools: readonly KnownTool[]): readonly KnownTool[] {
  return tools.some(isHidden) ? tools.filter(isHidden) : NO_TOOLS
}

function isHidden({ hidden }: KnownTool): boolean {
  return hidden === true
}
