/**
 * The Context: all that a strategy can reach, built on the durable port.
 *
 * It owns the block's operations: it makes them, awaits them, and consumes their ends in the order in which the strategy
 * asked for them. What they add to the block's knowledge (knowledge.ts) is in the journal before the strategy continues.
 */
import {
  type Ancestor,
  type Block,
  type Chosen,
  type Goal,
  goalText,
  type KnownTool,
  type Language,
  languageOf,
  type ModelReply,
  type ModelRequest,
  type Outcome,
  QuestionNames,
  type Remaining,
  type Signal,
  type TimelineEntry,
  type Todo,
} from '../protocol/index.ts'
import type { JsonSchema } from '../schema/check-schema.ts'
import type { Checked } from './ask-until-valid.ts'
import { type AskedQuestion, askedQuestion } from './asked-question.ts'
import type { Brief } from './brief/brief.ts'
import { READ_RESULT } from './brief/shown-result.ts'
import { valueText } from './brief/value-text.ts'
import { NOTHING } from './budget.ts'
import { Children } from './children.ts'
import { type Consequences, consequences, giveBack } from './consequences.ts'
import {
  type BlockFrame,
  type BlockSpec,
  type ChildEnd,
  type Durable,
  type Ended,
  type Halted,
  NO_SIGNALS,
  type Op,
} from './durable.ts'
import { Knowledge } from './knowledge.ts'
import { ancestorList } from './lineage.ts'
import { LinkedList } from './linked-list.ts'
import { ModelCalls } from './model-calls.ts'
import { answersRun } from './output/answers-run.ts'
import { type Candidate, CHECK_VALUE } from './output/candidate.ts'
import { SettlingBlock } from './output/settle.ts'
import { seededRandom } from './random.ts'
import { asRecorded, freeze, recordable } from './recorded-value.ts'
import { type Routing, routingOf } from './routing.ts'
import type { KernelServices } from './services.ts'
import type { AnswerTo, AskOptions, CallOptions, Context, ModelOptions, ResultsOf } from './strategy.ts'
import { hiddenOf, NO_TOOLS } from './tool.ts'
import { ToolGate } from './tool-gate.ts'
import {
  type AskWork,
  begun,
  type ChildWork,
  childWork,
  continueWork,
  innerOf,
  type ListenWork,
  type ModelWork,
  outcomeIn,
  redoWhenConsumed,
  repairNote,
  resultOf,
  type ToolWork,
  takeRedo,
  usageNote,
  valueFrom,
  type Work,
} from './work.ts'

export class BlockContext extends SettlingBlock implements Context {
  readonly path: string
  readonly level: number
  readonly options: unknown
  readonly tools: readonly KnownTool[]
  readonly hiddenTools: readonly KnownTool[]
  readonly block: Block

  // What the block's model calls need of it.
  readonly durable: Durable
  readonly services: KernelServices
  readonly frame: BlockFrame
  readonly knows: Knowledge
  readonly names = new QuestionNames()

  private readonly spec: BlockSpec
  private readonly routing: Routing
  /** Every operation that has not been consumed. */
  private readonly open = new LinkedList<Work>()
  // Made on first use, like all that a leaf does without.
  private lazyChildren: Children | null = null
  private lazyGate: ToolGate | null = null
  private lazyCalls: ModelCalls | null = null
  private nextRandom: (() => number) | null = null
  private last: Pick<Ended, 'atMs' | 'left'>

  constructor(
    spec: BlockSpec,
    options: unknown,
    maxRepeats: number | undefined,
    durable: Durable,
    frame: BlockFrame,
    services: KernelServices,
  ) {
    super()
    this.spec = spec
    this.path = spec.path
    this.level = spec.ancestors.length
    this.options = options
    const known = frame.config.tools ?? NO_TOOLS
    this.hiddenTools = hiddenOf(known)
    this.tools = this.hiddenTools.length === 0 ? known : known.filter((tool) => tool.hidden !== true)
    this.knows = new Knowledge(spec, maxRepeats)
    this.block = this.knows.block
    this.durable = durable
    this.services = services
    this.frame = frame
    this.routing = routingOf(frame.config, spec.strategy, this)
    this.last = { atMs: frame.startedAtMs, left: frame.left }
  }

  get ancestors(): readonly Ancestor[] {
    return ancestorList(this.spec.ancestors)
  }

  get withheld(): readonly string[] {
    return this.frame.config.withheld ?? []
  }

  get isAttended(): boolean {
    return this.frame.config.approval?.asks !== 'nobody'
  }

  get output(): JsonSchema | null {
    const { output } = this.frame.config
    return output !== undefined && answersRun(this.spec.goal, this.ancestors) ? output : null
  }

  // --- operations

  model(given: Brief | ModelRequest, options?: ModelOptions): Op<ModelReply> {
    return this.begin(this.modelCalls.begin(given, options?.closing === true))
  }

  tool(name: string, given: unknown): Op<unknown> {
    return this.callTool(name, given, false)
  }

  ownTool(name: string, given: unknown): Op<unknown> {
    return this.callTool(name, given, true)
  }

  call(given: Goal, options?: CallOptions): Op<Outcome> {
    const goal = recordable(this.services, given, 'the goal of a block')
    this.knows.refuseGoal(goal)
    const path = this.children.nextPath()
    const chosen = this.routing.route(path, goal, options) ?? options
    const own = chosen?.strategy === undefined ? chosen?.options : this.routing.optionsOf(chosen as Chosen)
    const child: BlockSpec = {
      path,
      goal,
      strategy: chosen?.strategy ?? this.spec.strategy,
      options: this.services.clean(own) ?? this.spec.options,
      limits: options?.budget,
      ancestors: this.knows.ancestorsOfChild(),
      timeline: this.knows.timeline.known(),
    }
    this.children.called(child)
    return this.begin(childWork(this.durable.call(child), child))
  }

  ask<const Asked extends AskedQuestion, const Options extends AskOptions = AskOptions>(
    given: Asked,
    options?: Options,
  ): Op<AnswerTo<Asked, Options>> {
    const question = recordable(this.services, askedQuestion(given), 'the question')
    const op = this.durable.wait(this.names.next(options?.name ?? 'answer'), question, options?.timeoutMs)
    const says = options?.says ?? ((answer: unknown) => `${question.text} → ${valueText(answer)}`)
    return this.begin(begun<AskWork>('ask', op, says))
  }

  listen(name: string): Op<unknown> {
    this.names.take(name)
    return this.begin(begun<ListenWork>('listen', this.durable.wait(name), null))
  }

  outcomeOf(op: Op<Outcome>): Outcome | null {
    const work = op as Work
    if (work.kind !== 'child') return null
    return this.children.outcomeOfRedone(work.of.spec) ?? work.of.outcome
  }

  pathOf(op: Op<Outcome>): string {
    const work = op as Work
    return work.kind === 'child' ? work.of.spec.path : this.path
  }

  // Not coroutines: each would take as much memory as the rest of a step, as long as the step is open.

  one<T>(op: Op<T>): Promise<T> {
    const work = op as Work
    return this.durable.one(work.inner, (end) => this.oneEnded<T>(work, end))
  }

  private oneEnded<T>(work: Work, end: Ended): T | Promise<T> {
    if (this.consumeOne(work, end)) return this.one(work as Op<T>)
    const signals = this.durable.look()
    if (signals === NO_SIGNALS) return valueFrom(work, end)
    return this.handleSignals(signals).then(() => valueFrom(work, end))
  }

  all<const Ops extends readonly Op[]>(ops: Ops): Promise<ResultsOf<Ops>> {
    const works = ops as readonly Op[] as readonly Work[]
    return this.durable.all(works.map(innerOf), (ends) => {
      if (this.consume(works, ends)) return this.all(ops)
      const results = () => works.map((work, i) => resultOf(work, ends[i] as Ended)) as ResultsOf<Ops>
      const signals = this.durable.look()
      return signals === NO_SIGNALS ? results() : this.handleSignals(signals).then(results)
    })
  }

  async first(ops: readonly Op[]): Promise<number> {
    const works = ops as readonly Work[]
    for (;;) {
      const index = await this.durable.first(works.map(innerOf))
      const winner = works[index] as Work
      if (await this.durable.one(winner.inner, (end) => this.consumeOne(winner, end))) continue
      const signals = this.durable.look()
      if (signals !== NO_SIGNALS) await this.handleSignals(signals)
      return index
    }
  }

  cancel(op: Op, reason: string): Promise<void> {
    return this.durable.cancel((op as Work).inner, this.services.clean(reason))
  }

  // --- the block's plan, notes and surroundings

  plan(given: Todo): void {
    const todo = recordable(this.services, typeof given === 'string' ? given : [...given], 'the plan')
    this.knows.planned(todo)
    this.durable.emit({ type: 'todo-set', todo })
  }

  emit(name: string, data: unknown): void {
    this.durable.emit({ type: 'note', name, data: recordable(this.services, asRecorded(data), 'a note') })
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

  roomFor(brief: Brief): number | null {
    return this.modelCalls.roomFor(brief)
  }

  known(): readonly TimelineEntry[] {
    return this.knows.timeline.known()
  }

  timeline(maxChars: number, kinds?: readonly TimelineEntry['kind'][]): string {
    return this.knows.timeline.text(maxChars, kinds)
  }

  get language(): Language {
    return languageOf(goalText(this.spec.goal))
  }

  callsLeft(): number {
    return this.last.left.calls - (this.last.left.held?.calls ?? 0)
  }

  tokensLeft(): number {
    return this.last.left.tokens - (this.last.left.held?.tokens ?? 0)
  }

  readResult(input: unknown): Op {
    return this.gate.begin(READ_RESULT, asRecorded(input)).op
  }

  checkValue(candidate: Candidate): Op<Checked<unknown>> {
    const input = this.services.clean(asRecorded(candidate))
    const op = this.durable.step({ kind: 'tool', name: CHECK_VALUE, input, access: 'read', reserve: NOTHING })
    const called = { name: CHECK_VALUE, input, needsPermission: false, own: true, byCaller: undefined }
    return this.begin(begun<ToolWork>('tool', op, called))
  }

  // --- the block's end

  get finished(): boolean {
    return this.open.isEmpty
  }

  /** Ends what the strategy did not wait for, and archives it (K1). */
  async finish(): Promise<void> {
    const open = [...this.open]
    for (const work of open) await this.durable.cancel(work.inner, 'its block has ended')
    await this.durable.all(open.map(innerOf), (ends) => this.consume(open, ends, false))
  }

  /** What there is to show when the strategy can't say it itself. */
  resultSoFar(): string {
    return this.block.done.join('\n')
  }

  /** Ended from outside: archives the children that ended and were not consumed, and returns what there is (K1, K4). */
  halt(childEnd: (op: Op) => ChildEnd | null): Halted {
    const archived: string[] = []
    for (const work of this.open) {
      const end = work.kind === 'child' ? childEnd(work.inner) : null
      if (work.kind !== 'child' || end === null) continue
      archived.push(work.of.spec.path)
      this.knows.archive(work.of.spec, end.outcome)
    }
    return { result: this.resultSoFar(), archived }
  }

  timelineForParent(): readonly TimelineEntry[] {
    return this.knows.timeline.forParent()
  }

  // --- beginning and awaiting

  private begin<T>(work: Work): Op<T> {
    this.open.add(work)
    return work as Op<T>
  }

  private callTool(name: string, given: unknown, own: boolean): Op<unknown> {
    const input = recordable(this.services, asRecorded(given), `the input of "${name}"`)
    this.knows.refuseTool(name, input)
    const { op, needsPermission, byCaller } = this.gate.begin(name, input, own)
    return this.begin(begun<ToolWork>('tool', op, { name, input, needsPermission, own, byCaller }))
  }

  private startAgain(child: BlockSpec): Op<ChildEnd> {
    this.children.calledAgain(child)
    return this.durable.call(child)
  }

  private get children(): Children {
    this.lazyChildren ??= new Children(this.path, this.knows, this.routing)
    return this.lazyChildren
  }

  private get modelCalls(): ModelCalls {
    this.lazyCalls ??= new ModelCalls(this)
    return this.lazyCalls
  }

  private get gate(): ToolGate {
    const { durable, services, frame, path, language } = this
    this.lazyGate ??= new ToolGate(durable, services, frame, path, language, this.names)
    return this.lazyGate
  }

  /** Control signals that came: messages, and redos of children that have ended. */
  private async handleSignals(looked: readonly Signal[] | Promise<readonly Signal[]>): Promise<void> {
    const signals = await looked
    this.knows.signalsTaken(signals)
    for (const [child, message] of this.children.toRedo(signals)) {
      // A child that has ended and was not consumed is redone when it is.
      if (redoWhenConsumed(this.open, child, message)) continue
      const next = this.children.nextAttempt(child, message)
      await this.all([this.begin(childWork(this.startAgain(next), next))])
    }
  }

  // --- consuming

  /** Takes ends in, in the order given. True when one of the operations continues and must be awaited again. */
  private consume(works: readonly Work[], ends: readonly Ended[], mayRedo = true): boolean {
    const then = consequences()
    for (let i = 0; i < works.length; i++) this.take(works[i] as Work, ends[i] as Ended, then, mayRedo)
    return this.follow(then)
  }

  private consumeOne(work: Work, end: Ended): boolean {
    const then = consequences()
    this.take(work, end, then, true)
    return this.follow(then)
  }

  private take(work: Work, ended: Ended, then: Consequences, mayRedo: boolean): void {
    if (work.consumed) return
    work.consumed = true
    this.open.remove(work)
    // Consumed in the strategy's order: it may have ended before one that was consumed already.
    this.last = ended.atMs >= this.last.atMs ? ended : { atMs: this.last.atMs, left: ended.left }
    if (ended.result.ok) freeze(work.kind === 'child' ? outcomeIn(ended.result.value) : ended.result.value)
    then.add('repairs', usageNote(work.n, ended))
    this.workEnded(work, ended, then, mayRedo)
  }

  /** Does what follows from ends. True when one of the operations continues and must be awaited again. */
  private follow(then: Consequences): boolean {
    if (then.isEmpty) {
      giveBack(then)
      return false
    }
    if (then.archived.length > 0) this.durable.emit({ type: 'done-add', from: then.archived })
    for (const note of then.repairs) this.durable.emit(note)
    for (const loop of then.loops) this.durable.emit(this.knows.loopFound(loop))
    for (const begin of [...then.attempts, ...then.continued]) begin()
    return then.attempts.length + then.continued.length > 0
  }

  private workEnded(work: Work, ended: Ended, then: Consequences, mayRedo: boolean): void {
    if (work.kind === 'model') this.modelEnded(work, ended, then, mayRedo)
    else if (work.kind === 'tool') this.toolEnded(work, ended, then)
    else if (work.kind === 'child') this.childEnded(work, ended, then, mayRedo)
    else if (work.kind === 'ask') this.knows.answered(work.of, ended.result)
  }

  /** A reply that the kernel answers itself continues behind the same operation. */
  private modelEnded(work: ModelWork, { result }: Ended, then: Consequences, mayContinue: boolean): void {
    if (!this.modelCalls.asksPerson(work)) then.add('repairs', repairNote(work.n, result))
    const next = mayContinue ? this.modelCalls.next(work, result) : null
    if (next !== null) then.add('continued', this.continuing(work, next))
  }

  /** A function of its own: one with a closure in it takes memory for what that refers to, also where none is made. */
  private continuing(work: Work, next: () => Op): () => void {
    return () => this.continueWith(work, next())
  }

  /** After a person's answer the call, or its refusal, continues behind the same operation. */
  private toolEnded(work: ToolWork, ended: Ended, then: Consequences): void {
    const result = resultOf(work, ended)
    const { of: called } = work
    if (called.needsPermission) {
      then.add('continued', () => {
        called.needsPermission = false
        this.continueWith(work, this.gate.answered(called.name, called.input, result))
      })
    } else if (!called.own) then.add('loops', this.knows.toolEnded(called, work.n, result))
  }

  private childEnded(work: ChildWork, { result, left }: Ended, then: Consequences, mayRedo: boolean): void {
    if (!result.ok) return
    const { of: child } = work
    const { spec } = child
    const end = result.value as ChildEnd
    const { outcome } = end
    const redo = takeRedo(child, end)
    child.outcome = outcome
    then.add('archived', spec.path)
    this.knows.childEnded(spec, end)
    this.children.ended(spec, outcome)
    const other = mayRedo && redo === undefined ? this.routing.fallback(child, outcome, left) : null
    if (mayRedo && redo !== undefined) then.add('attempts', () => this.callAgain(work, redo.message, null))
    else if (other !== null) then.add('attempts', () => this.changeStrategy(work, other, outcome))
    else then.add('loops', this.knows.goalEnded(spec, outcome))
  }

  private changeStrategy(work: ChildWork, other: Chosen, { reason }: Outcome): void {
    const { path, strategy: from } = work.of.spec
    work.of.fallback = other
    this.emit('strategy-changed', { path, from, to: other.strategy, ...(reason !== undefined && { reason }) })
    this.callAgain(work, '', other)
  }

  /** Calls the next attempt at a child's place, behind the same operation. */
  private callAgain(work: ChildWork, message: string, other: Chosen | null): void {
    work.of.spec = this.children.nextAttempt(work.of.spec, message, other)
    this.continueWith(work, this.startAgain(work.of.spec))
  }

  private continueWith(work: Work, inner: Op): void {
    continueWork(work, inner)
    this.open.add(work)
  }
}
