/**
 * The steps of a block: held against the budget, recorded, performed, settled. A step that was begun but not ended when
 * the process died is performed again if it only reads, and ends as interrupted if not (K2).
 */
import { limitError, NOTHING } from '../../kernel/budget.ts'
import type { Effect, Performed } from '../../kernel/durable.ts'
import {
  accumulate,
  accumulateRole,
  type EventBody,
  type EventOf,
  errorData,
  NO_USAGE,
  type Result,
  type Usage,
} from '../../protocol/index.ts'
import type { LocalBlock } from './block.ts'
import type { Record as OpRecord } from './load.ts'
import type { LocalOp } from './op.ts'
import { INTERRUPTED, stepStart } from './records.ts'
import { StepIo } from './step-io.ts'

export function beginStep(block: LocalBlock, op: LocalOp, effect: Effect): void {
  const { run, ledger } = block
  if (effect.kind === 'model' && effect.closing) ledger.release(block.takeKept())
  const limit = ledger.hold(effect.reserve, run.tick())
  block.ops.add(op)
  block.append(stepStart(op.n, effect, limit === null ? effect.reserve : NOTHING), true)
  run.openSteps++
  if (limit !== null) {
    endStep(block, op, { ok: false, error: limitError(block.path, limit).toJSON() }, NO_USAGE)
    return
  }
  op.reserve = effect.reserve
  run.watchDeadline(ledger.deadlineMs)
  if (effect.kind === 'tool' && effect.access === 'write') {
    // That it was begun must be on disk before anything changes in the world.
    void run.flushed().then(() => run.perform(() => perform(block, op, effect, null)))
  } else if (run.catchingUp) run.perform(() => perform(block, op, effect, null))
  else perform(block, op, effect, null)
}

/** Answers a step from its record, or goes on with it. */
export function resumeStep(block: LocalBlock, op: LocalOp, effect: Effect, record: OpRecord): void {
  if (effect.kind === 'model' && effect.closing) block.takeKept()
  if (record.end !== null) {
    op.restore(record.end as EventOf<'model-end'>)
    return
  }
  const { run, ledger } = block
  block.ops.add(op)
  op.reserve = record.parts.length > 0 ? NOTHING : (record.start as EventOf<'model-start'>).reserve
  // A fork can cut between a refusal's start and its end: it held nothing, so it is weighed again.
  const refused = record.parts.length === 0 && op.reserve.calls < effect.reserve.calls
  const limit = refused ? ledger.hold(effect.reserve, run.tick()) : null
  if (refused && limit === null) op.reserve = effect.reserve
  run.watchDeadline(ledger.deadlineMs)
  run.perform(() => {
    if (limit !== null) {
      endStep(block, op, { ok: false, error: limitError(block.path, limit).toJSON() }, NO_USAGE)
    } else if (effect.kind === 'tool' && effect.access === 'write') endStep(block, op, INTERRUPTED, ONE_CALL)
    else perform(block, op, effect, record)
  })
}

function perform(block: LocalBlock, op: LocalOp, effect: Effect, record: OpRecord | null): void {
  if (op.closed) return
  block.run.kernel.perform(effect, new StepIo(block.run, op, record, effect.reserve)).then(
    (done) => endStep(block, op, { ok: true, value: done.value }, usageOf(done.usage, op.paidParts)),
    (thrown) => {
      const error = errorData(thrown, effect.kind === 'model' ? 'MODEL_ERROR' : 'TOOL_ERROR')
      endStep(block, op, { ok: false, error }, unpaid(op))
    },
  )
}

/** The first end wins; what comes later is dropped. */
export function endStep(block: LocalBlock, op: LocalOp, result: Result, usage: Usage): void {
  const { run, ledger } = block
  if (op.closed || run.over) return
  op.closed = true
  ledger.settle(op.reserve, usage)
  accumulate(block.usage, usage)
  accumulateRole(run.roles, op.role, usage)
  const left = ledger.left(run.tick())
  const type = op.kind === 'model' ? 'model-end' : 'tool-end'
  const atMs = block.append({ type, n: op.n, result, usage, left } as EventBody, true)
  run.openSteps--
  run.afterCommit(() => block.opEnded(op, { result, atMs, left }))
}

/** What a step that came to nothing has cost beyond its paid parts: the call that it held, if it held one. */
export function unpaid(op: LocalOp): Usage {
  return op.reserve.calls > 0 ? ONE_CALL : NO_USAGE
}

export const ONE_CALL: Usage = { calls: 1, inputTokens: 0, outputTokens: 0 }

function usageOf(usage: Performed['usage'], paidParts: number): Usage {
  return { calls: paidParts > 0 ? 0 : 1, ...usage }
}
