/**
 * What one block knows while it is solved: `todo`, `done`, the timeline, the loop guard. All of it is derived from what the
 * block consumed, in the order consumed, so that executing the block again from its records rebuilds it.
 */

import {
  doneText,
  type ErrorCode,
  type Goal,
  goalText,
  isObject,
  type Outcome,
  parentPath,
  type Result,
  type Signal,
  signalText,
  ThinkonError,
  type TimelineEntry,
  type Todo,
} from '../protocol/index.ts'
import type { Conversation } from './brief/conversation.ts'
import { personSays } from './brief/person-says.ts'
import { ASK_USER } from './brief/shown-result.ts'
import { valueText } from './brief/value-text.ts'
import type { BlockSpec, ChildEnd, Emission } from './durable.ts'
import { Lineage, nearestOf } from './lineage.ts'
import { type Loop, LoopGuard } from './loop-guard.ts'
import { Timeline } from './timeline.ts'

interface CalledTool {
  readonly name: string
  readonly input: unknown
}

export class Knowledge {
  readonly block: { goal: Goal; parent: string | null; todo: Todo; done: string[] }
  readonly timeline: Timeline
  private readonly spec: BlockSpec
  private readonly maxRepeats: number | undefined
  // Made on first use, like all that a leaf does without.
  private loopGuard: LoopGuard | null = null
  /** What a conversation is to be told, and how much of it each has been. */
  private readonly news: { readonly text: string; readonly keep: boolean }[] = []
  private told: WeakMap<Conversation, number> | null = null
  private lineage: Lineage | null = null

  constructor(spec: BlockSpec, maxRepeats: number | undefined) {
    this.spec = spec
    this.maxRepeats = maxRepeats
    this.block = {
      goal: spec.goal,
      parent: nearestOf(spec.ancestors)?.path ?? parentPath(spec.path),
      todo: '',
      done: [],
    }
    this.timeline = new Timeline(spec.timeline)
  }

  planned(todo: Todo): void {
    this.block.todo = todo
    this.lineage = null
    this.timeline.add({
      path: this.spec.path,
      kind: 'plan',
      text: typeof todo === 'string' ? todo : todo.join('\n'),
    })
  }

  /** K1: into `done` before the strategy decides anything else. */
  archive(child: BlockSpec, outcome: Outcome): void {
    const text = doneText(outcome)
    this.block.done.push(text)
    const { path, goal, strategy } = child
    const { status } = outcome
    const kind = status === 'completed' ? 'child' : 'error'
    const entry: TimelineEntry = { path, kind, text, about: goalText(goal), ref: path, status }
    this.timeline.add(strategy === this.spec.strategy ? entry : { ...entry, by: strategy })
  }

  childEnded(child: BlockSpec, { outcome, timeline }: ChildEnd): void {
    if (timeline !== undefined) this.timeline.take(timeline)
    this.archive(child, outcome)
  }

  goalEnded(child: BlockSpec, outcome: Outcome): Loop | null {
    return this.guard.goalEnded(goalText(child.goal), outcome.result)
  }

  /** `n` is the number under which its result is recorded. */
  toolEnded({ name, input }: CalledTool, n: number, result: Result): Loop | null {
    if (name === ASK_USER && result.ok) this.personAnswered(input, result.value)
    else this.toolKnown({ name, input }, n, result)
    return this.guard.actionEnded(name, input, result)
  }

  /** The conversation that asked has the answer as the result of its call. */
  private personAnswered(input: unknown, answer: unknown): void {
    const asked = isObject(input) && typeof input.question === 'string' ? `${input.question} → ` : ''
    this.timeline.add({ path: this.spec.path, kind: 'message', text: `${asked}${valueText(answer)}` })
  }

  private toolKnown({ name, input }: CalledTool, n: number, result: Result): void {
    const { path } = this.spec
    const at = { path, about: `${name} ${JSON.stringify(input)}`, ref: this.refOf(n) }
    if (result.ok)
      this.timeline.add({ ...at, kind: 'tool', text: `${name} →`, data: valueText(result.value) })
    else if (KERNEL_CODES.has(result.error.code))
      this.timeline.add({ ...at, kind: 'error', text: `${name} failed: ${result.error.message}` })
    else this.timeline.add({ ...at, kind: 'error', text: `${name} failed:`, data: result.error.message })
  }

  answered(says: (answer: unknown) => string, result: Result): void {
    if (!result.ok || result.value === undefined) return
    const message = says(result.value)
    if (message !== '') this.messageReceived(message)
  }

  signalsTaken(signals: readonly Signal[]): void {
    for (const { name, value } of signals) if (name === 'message') this.messageReceived(signalText(value))
  }

  private messageReceived(message: string): void {
    this.timeline.add({ path: this.spec.path, kind: 'message', text: message })
    this.news.push({ text: personSays(message), keep: true })
  }

  /** Says in a conversation what a person said, and the kernel noticed, since it was last asked. */
  tellNews(conversation: Conversation): void {
    this.told ??= new WeakMap()
    const told = this.told.get(conversation)
    // What came before it began is in its opening.
    if (told !== undefined)
      for (const { text, keep } of this.news.slice(told)) conversation.say(text, { keep })
    this.told.set(conversation, this.news.length)
  }

  /** By which `read_result` reads the result of the operation of this number. */
  refOf(n: number): string {
    return `${this.spec.path}/${n}`
  }

  /** K5: a notice comes first; after that, `refuseTool` and `refuseGoal` refuse. */
  loopFound(loop: Loop): Emission {
    const what =
      loop.kind === 'goal' ? `the sub-goal "${loop.what}"` : `the tool ${loop.what} with the same input`
    const notice = `${what} came to the same ${loop.times} times: go another way, or close.`
    this.timeline.add({ path: this.spec.path, kind: 'notice', text: notice })
    this.news.push({ text: `Notice: ${notice}`, keep: false })
    return { type: 'loop-found', ...loop }
  }

  refuseTool(name: string, input: unknown): void {
    if (this.loopGuard?.refusesAction(name, input))
      throw this.loopError(`the tool ${name} with the same input`)
  }

  refuseGoal(goal: Goal): void {
    if (this.loopGuard?.refusesGoal(goalText(goal))) throw this.loopError(`the sub-goal "${goalText(goal)}"`)
  }

  /** This block and those above it, as a child sees them. */
  ancestorsOfChild(): Lineage {
    const { path, ancestors } = this.spec
    this.lineage ??= new Lineage({ path, goal: this.block.goal, todo: this.block.todo }, ancestors)
    return this.lineage
  }

  private get guard(): LoopGuard {
    this.loopGuard ??= new LoopGuard(this.maxRepeats)
    return this.loopGuard
  }

  private loopError(what: string): ThinkonError {
    const { path } = this.spec
    return new ThinkonError('LOOP', `${path}: ${what} would be the same again without progress`, {
      data: { path },
    })
  }
}

/** Failures in the kernel's own words; all others may be in words from outside (K10). */
const KERNEL_CODES: ReadonlySet<ErrorCode> = new Set([
  'NO_SUCH_TOOL',
  'DENIED',
  'LIMIT',
  'INTERRUPTED',
  'CANCELLED',
  'SKIPPED',
])
