/**
 * The Context: all that a strategy can reach, built on the durable port.
 *
 * It owns the block's operations: it makes them, awaits them, and consumes their ends in the order in which the strategy
 * asked for them. What they add to the block's knowledge (knowledge.ts) is in the journal before the strategy goes on.
 */

import {
  type Ancestor,
  attemptOf,
  attemptPath,
  type Block,
  type Chosen,
  childPath,
  type Goal,
  type KnownTool,
  levelOf,
  type ModelReply,
  type ModelRequest,
  type Outcome,
  placeOf,
  type Question,
  type Remaining,
  type Result,
  type Signal,
  ThinkonError,
  type TimelineEntry,
  type Todo,
} from '../protocol/index.ts'
import type { Approval } from './approval.ts'
import {
  type BlockFrame,
  type BlockSpec,
  type ChildEnd,
  type Durable,
  type Effect,
  type Emission,
  type Ended,
  type Halted,
  NO_SIGNALS,
  type Op,
} from './durable.ts'
import { Knowledge } from './knowledge.ts'
import type { Loop } from './loop-guard.ts'
import type { Model } from './model.ts'
import { cleanRequest, modelReserve, shortReply } from './model-effect.ts'
import { seededRandom } from './random.ts'
import { asRecorded, freeze } from './recorded-value.ts'
import { type Routing, routingOf } from './routing.ts'
import type { AskOptions, CallOptions, Context, ModelOptions } from './strategy.ts'
import { entry } from './timeline.ts'
import { isOwnProgram, type Tool } from './tool.ts'
import { ToolGate } from './tool-gate.ts'
import { changeOf, innerOf, repairNote, resultOf, textOf, Work } from './work.ts'

/** What the blocks of a process share. */
export interface Workshop {
  model(role: ModelRequest['role']): Model
  readonly tools: ReadonlyMap<string, Tool>
  readonly approval: Approval | null
  clean<T>(value: T): T
}

const NO_OP: Op = { n: 0 }
const NO_TOOLS: readonly KnownTool[] = []

export class BlockContext implements Context {
  readonly path: string
  readonly level: number
  readonly options: unknown
  readonly ancestors: readonly Ancestor[]
  readonly tools: readonly KnownTool[]
  readonly hiddenTools: readonly KnownTool[]
  readonly block: Block

  private readonly spec: BlockSpec
  private readonly durable: Durable
  private readonly shop: Workshop
  private readonly frame: BlockFrame
  private readonly knows: Knowledge
  private readonly routing: Routing
  /** Every operation that has not been consumed. */
  private readonly open = new Set<Work>()
  /** The latest attempt at each child, by its place: what a redo calls again. */
  private children: Map<string, BlockSpec> | null = null
  /** How those that were done again ended at last, by their places. */
  private redone: Map<string, Outcome> | null = null
  private toolGate: ToolGate | null = null
  private nextRandom: (() => number) | null = null
  private last: Pick<Ended, 'atMs' | 'left'>

  constructor(spec: BlockSpec, options: unknown, durable: Durable, frame: BlockFrame, shop: Workshop) {
    this.spec = spec
    this.path = spec.path
    this.level = levelOf(spec.path)
    this.options = options
    this.ancestors = spec.ancestors
    const known = frame.config.tools ?? NO_TOOLS
    this.hiddenTools = known.some(isHidden) ? known.filter(isHidden) : NO_TOOLS
    this.tools = this.hiddenTools === NO_TOOLS ? known : known.filter((tool) => !isHidden(tool))
    this.knows = new Knowledge(spec, (options as { maxRepeats?: number } | null)?.maxRepeats)
    this.block = this.knows.block
    this.durable = durable
    this.shop = shop
    this.frame = frame
    this.routing = routingOf(frame.config, spec.strategy, this)
    this.last = { atMs: frame.startedAtMs, left: frame.left }
  }

  model(given: ModelRequest, options?: ModelOptions): Op<ModelReply> {
    const closing = options?.closing === true
    const clean = cleanRequest(given, this.shop.clean)
    const request = closing ? shortReply(clean) : clean
    const reserve = modelReserve(request, this.shop.model(request.role))
    const effect: Effect = { kind: 'model', request, reserve, closing }
    return this.begin(new Work('model', this.durable.step(effect)))
  }

  tool(name: string, given: unknown): Op<unknown> {
    const input = this.shop.clean(asRecorded(given))
    this.knows.refuseTool(name, input)
    const { op, gated } = this.gate.begin(name, input)
    const work = new Work('tool', op)
    work.name = name
    work.input = input
    work.gated = gated
    return this.begin(work)
  }

  call(given: Goal, options?: CallOptions): Op<Outcome> {
    const goal = this.shop.clean(given)
    this.knows.refuseGoal(goal)
    const path = childPath(this.path, (this.children?.size ?? 0) + 1)
    const chosen = this.routing.route(path, goal, options) ?? options
    const own = chosen?.strategy === undefined ? chosen?.options : this.routing.optionsOf(chosen as Chosen)
    const child: BlockSpec = {
      path,
      goal,
      strategy: chosen?.strategy ?? this.spec.strategy,
      options: this.shop.clean(own) ?? this.spec.options,
      limits: options?.budget,
      ancestors: this.knows.ancestorsOfChild(),
      timeline: this.knows.timeline.known(),
    }
    return this.begin(this.beginChild(child))
  }

  ask(given: Question, options?: AskOptions): Op<unknown> {
    const question = this.shop.clean(given)
    const work = new Work('ask', this.durable.wait(options?.name ?? 'answer', question, options?.timeoutMs))
    work.question = question
    return this.begin(work)
  }

  listen(name: string): Op<unknown> {
    return this.begin(new Work('listen', this.durable.wait(name)))
  }

  outcomeOf(op: Op<Outcome>): Outcome | null {
    const { child, outcome } = op as unknown as Work
    return (child && this.redone?.get(placeOf(child.path))) ?? outcome
  }

  async one<T>(op: Op<T>): Promise<T> {
    const works = [op as unknown as Work]
    let ends = await this.durable.all(works.map(innerOf))
    while (this.consume(works, ends)) ends = await this.durable.all(works.map(innerOf))
    const signals = this.durable.look()
    if (signals !== NO_SIGNALS) await this.take(await signals)
    const result = resultOf(works[0] as Work, ends[0] as Ended)
    if (result.ok) return result.value as T
    throw ThinkonError.fromJSON(result.error)
  }

  async all<T>(ops: readonly Op<T>[]): Promise<Result<T>[]> {
    const works = ops as unknown as readonly Work[]
    let ends = await this.durable.all(works.map(innerOf))
    while (this.consume(works, ends)) ends = await this.durable.all(works.map(innerOf))
    const signals = this.durable.look()
    if (signals !== NO_SIGNALS) await this.take(await signals)
    return works.map((work, i) => resultOf(work, ends[i] as Ended)) as Result<T>[]
  }

  async first(ops: readonly Op[]): Promise<number> {
    const works = ops as unknown as readonly Work[]
    for (;;) {
      const index = await this.durable.first(works.map(innerOf))
      const winner = works[index] as Work
      const before = winner.inner
      const [ended] = await this.durable.all([before])
      this.consume([winner], [ended as Ended])
      if (winner.inner !== before) continue
      const signals = this.durable.look()
      if (signals !== NO_SIGNALS) await this.take(await signals)
      return index
    }
  }

  cancel(op: Op, reason: string): Promise<void> {
    return this.durable.cancel((op as unknown as Work).inner, this.shop.clean(reason))
  }

  plan(given: Todo): void {
    const todo = this.shop.clean(typeof given === 'string' ? given : [...given])
    this.knows.planned(todo)
    this.durable.emit({ type: 'todo-set', todo })
  }

  emit(name: string, data: unknown): void {
    this.durable.emit({ type: 'note', name, data: this.shop.clean(asRecorded(data)) })
  }

  budget(): Remaining {
    return { depth: Math.max(0, this.frame.maxLevel - this.level), ...this.last.left }
  }

  now(): number {
    return this.last.atMs
  }

  random(): number {
    this.nextRandom ??= seededRandom(`${this.frame.seed}/${this.path}`)
    return this.nextRandom()
  }

  timeline(maxChars: number, kinds?: readonly TimelineEntry['kind'][]): string {
    return this.knows.timeline.text(maxChars, kinds)
  }

  get finished(): boolean {
    return this.open.size === 0
  }

  /** Ends what the strategy left running, and archives what it did not wait for (K1). */
  async finish(): Promise<void> {
    const left = [...this.open]
    for (const work of left) await this.durable.cancel(work.inner, 'its block has ended')
    this.consume(left, await this.durable.all(left.map(innerOf)), false)
  }

  /** What there is to show when the strategy can't say it itself. */
  have(): string {
    return this.block.done.join('\n')
  }

  /** Ended from outside: archives the children that ended and were not consumed, and says what there is (K1, K4). */
  halt(childEnd: (op: Op) => ChildEnd | null): Halted {
    const archived: string[] = []
    for (const work of this.open) {
      const end = work.child === null ? null : childEnd(work.inner)
      if (end === null) continue
      archived.push((work.child as BlockSpec).path)
      this.knows.archive(work.child as BlockSpec, end.outcome)
    }
    return { result: this.have(), archived }
  }

  timelineForParent(): readonly TimelineEntry[] {
    return this.knows.timeline.forParent()
  }

  /** What strategies call for themselves is no action of the block's: it is on record, and not told. */
  private isAside(name: string): boolean {
    return isOwnProgram(name) || this.hiddenTools.some((tool) => tool.name === name)
  }

  private begin<T>(work: Work): Op<T> {
    this.open.add(work)
    return work as unknown as Op<T>
  }

  /** Made on first use, like all that a leaf does without. */
  private get gate(): ToolGate {
    const { durable, shop, frame } = this
    this.toolGate ??= new ToolGate(durable, shop.tools, shop.approval, frame.config)
    return this.toolGate
  }

  /** A person has said whether the tool may be called: the call, or its refusal, goes on behind the same operation. */
  private passGate(work: Work, { result }: Ended): void {
    work.gated = false
    work.consumed = false
    work.inner = this.gate.pass(work.name, work.input, result)
    this.open.add(work)
  }

  private beginChild(child: BlockSpec): Work {
    this.children ??= new Map()
    this.children.set(placeOf(child.path), child)
    const work = new Work('call', this.durable.call(child))
    work.child = child
    return work
  }

  /** Takes ends in, in the order given. True when a redo put another attempt in the place of one. */
  private consume(works: readonly Work[], ends: readonly Ended[], mayRedo = true): boolean {
    let archived: string[] | null = null
    let again: Work[] | null = null
    let gated: Work[] | null = null
    let loops: Loop[] | null = null
    let mended: Emission[] | null = null
    for (let i = 0; i < works.length; i++) {
      const work = works[i] as Work
      const ended = ends[i] as Ended
      if (work.consumed) continue
      work.consumed = true
      this.open.delete(work)
      this.last = ended
      if (ended.result.ok) freeze(ended.result.value)
      let loop: Loop | null = null
      if (work.gated) {
        gated ??= []
        gated.push(work)
      } else if (work.kind === 'call' && ended.result.ok) {
        const end = ended.result.value as ChildEnd
        const child = work.child as BlockSpec
        archived ??= []
        archived.push(child.path)
        this.knows.childEnded(child, end)
        work.outcome = end.outcome
        if (attemptOf(child.path) > 1) this.noteRedone(child, end.outcome)
        const other =
          mayRedo && end.redo === undefined ? this.routing.fallback(work, end.outcome, ended.left) : null
        if ((end.redo !== undefined && mayRedo) || other !== null) {
          again ??= []
          again.push(work)
          work.fallback ??= other
        } else loop = this.knows.goalEnded(child, end.outcome)
      } else if (work.kind === 'tool' && !this.isAside(work.name))
        loop = this.knows.toolEnded(work, ended.result)
      else if (work.kind === 'ask') this.knows.answered(work.question, ended.result)
      else if (work.kind === 'model') {
        const note = repairNote(work.inner.n, ended.result)
        if (note !== null) {
          mended ??= []
          mended.push(note)
        }
      }
      if (loop === null) continue
      loops ??= []
      loops.push(loop)
    }
    if (archived !== null) this.durable.emit({ type: 'done-add', from: archived })
    for (const note of mended ?? []) this.durable.emit(note)
    for (const loop of loops ?? []) this.durable.emit(this.knows.loopFound(loop))
    if (again !== null) {
      for (const work of again) {
        const { result } = ends[works.indexOf(work)] as Ended<ChildEnd>
        const redo = result.ok ? result.value.redo : undefined
        const other = redo === undefined ? work.fallback : null
        if (other !== null) this.emit('strategy-changed', changeOf(work))
        this.callAgain(work, redo?.message ?? '', other)
      }
    }
    for (const work of gated ?? []) this.passGate(work, ends[works.indexOf(work)] as Ended)
    return again !== null || gated !== null
  }

  private noteRedone(child: BlockSpec, outcome: Outcome): void {
    this.redone ??= new Map()
    this.redone.set(placeOf(child.path), outcome)
  }

  /** Calls the next attempt at a child's place, behind the same operation; with another strategy, where one is given. */
  private callAgain(work: Work, message: string, other: Chosen | null = null): void {
    const last = this.children?.get(placeOf((work.child as BlockSpec).path)) as BlockSpec
    const path = attemptPath(last.path, attemptOf(last.path) + 1)
    const told = message === '' ? [] : [entry(path, 'message', message)]
    const timeline = [...this.knows.timeline.known(), ...told]
    const changed = other && { strategy: other.strategy, options: this.routing.optionsOf(other) }
    const next = this.beginChild({ ...last, ...changed, path, timeline })
    work.inner = next.inner
    work.child = next.child as BlockSpec
    work.consumed = false
    this.open.add(work)
  }

  /** Control signals that came: messages, and redos of children that have ended. */
  private async take(signals: readonly Signal[]): Promise<void> {
    for (const { name, path, value } of signals) {
      const child = this.children?.get(placeOf(path))
      if (name === 'message') this.knows.told(textOf(value))
      else if (name === 'redo' && child !== undefined) {
        const work = new Work('call', NO_OP)
        work.child = child
        this.callAgain(work, textOf(value))
        await this.all([work as unknown as Op])
      }
    }
  }
}

function isHidden({ hidden }: KnownTool): boolean {
  return hidden === true
}
