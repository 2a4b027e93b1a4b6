/** Operations as the engine knows them: the commands that it is given, and how it reports on them. */
import * as restate from '@restatedev/restate-sdk'
import type { ChildEnd, Effect, Op } from '../../kernel/durable.ts'
import type { RunConfig } from '../../protocol/index.ts'
import { childEndOf, type OpEnd } from '../shared/records.ts'
import type { Operation, OperationRecord } from './operations.ts'
import { BLOCK, type BlockApi, type BlockPlace, bellOf, type EffectsApi, effectsOf, keyOf } from './wire.ts'

const { RestatePromise } = restate
export type Promised<T> = restate.RestatePromise<T>
export type BlockContext = restate.WorkflowContext & restate.internal.ContextInternal

/** How the engine reports an operation. Values are in the store, not here. */
export interface Report {
  failure?: string
  timeout?: true
}

/** An operation that is awaited. */
export interface RestateOp extends Op {
  readonly operation: Operation & { type: 'step' | 'call' | 'wait' }
  /** As the block may see it. */
  end: OpEnd | null
  /** Of a step or a child. */
  call: restate.InvocationPromise<unknown> | null
  report: Promised<Report> | null
  /** Of a wait: the signal's number. */
  listens: number
  timer: Promised<Report> | null
}

/** A wait that was answered when it was made: the engine hears nothing of it. */
export function isAnswered({ operation }: RestateOp, recorded: OperationRecord | null): boolean {
  return operation.type === 'wait' && recorded?.listens == null
}

export function giveCommand(
  context: BlockContext,
  place: BlockPlace,
  op: RestateOp,
  recorded: OperationRecord | null,
  config: RunConfig,
): void {
  const { operation, n } = op
  if (operation.type === 'wait') {
    const { timeoutMs } = operation
    if (timeoutMs !== undefined) op.timer = context.sleep(timeoutMs).map(() => ({ timeout: true }))
    listen(context, op, recorded?.listens as number)
    return
  }
  if (operation.type === 'step') {
    const { run, path } = place
    op.call = context
      .serviceClient<EffectsApi>({ name: effectsOf(workersFor(operation.effect, config)) })
      .perform({ run, path, n })
  } else {
    const key = keyOf({ ...place, path: operation.child.path })
    op.call = context.workflowClient<BlockApi>({ name: BLOCK }, key).run()
  }
  op.report = whenCalled(op.call)
}

/** As the run has recorded it: a block that is executed again gives the same command. */
function workersFor(effect: Effect, { tools }: RunConfig): string | undefined {
  return effect.kind === 'tool' ? tools?.find(({ name }) => name === effect.name)?.workers : undefined
}

export function listen(context: BlockContext, op: RestateOp, number: number): void {
  op.listens = number
  const { name } = op.operation as Operation & { type: 'wait' }
  const rung = context.promise(bellOf(name, number)).get()
  const report: Promised<Report> = rung.map(() => ({}))
  op.report = op.timer === null ? report : RestatePromise.race([report, op.timer])
}

/** Never a rejection: how it failed is in the store, or reported as a value. */
function whenCalled(call: restate.InvocationPromise<unknown>): Promised<Report> {
  return call.map((_value, failure) => (failure === undefined ? {} : { failure: failure.message }))
}

export function endOfChild({ end }: RestateOp): ChildEnd | null {
  return end?.type === 'block-end' ? childEndOf(end) : null
}

export function earliest(ops: readonly RestateOp[]): RestateOp | null {
  let found: RestateOp | null = null
  for (const op of ops) {
    if (op.end !== null && (found?.end == null || op.end.seq < found.end.seq)) found = op
  }
  return found
}
