/** The waits of a block: asked, answered by the oldest signal of their name, or ended by time. */
import type { EventOf, Question, Result } from '../../protocol/index.ts'
import type { LocalBlock } from './block.ts'
import type { Record as OpRecord } from './load.ts'
import type { LocalOp } from './op.ts'
import { askOf } from './records.ts'

/** Asks, or goes on waiting for what was asked before the process died. */
export function beginWait(
  block: LocalBlock,
  op: LocalOp,
  record: OpRecord | null,
  question: Question | undefined,
  timeoutMs: number | undefined,
): void {
  if (record?.end) {
    op.restore(record.end as EventOf<'signal-answered'>)
    return
  }
  const { run } = block
  block.ops.add(op)
  op.asks = question !== undefined
  let waitMs = timeoutMs
  if (record === null) {
    block.append(askOf(op.n, op.name, question, timeoutMs))
    if (question !== undefined) run.openQuestions++
  } else if (timeoutMs !== undefined) {
    waitMs = timeoutMs - (run.clock.nowMs() - Date.parse(record.start.ts))
  }
  run.addWait(op)
  if (answerWait(op) || waitMs === undefined) return
  // A signal that came while the run was down goes before a time-out that passed meanwhile.
  const timedOut = () =>
    run.perform(() => answerWait(op) || endWait(op, { ok: true, value: question?.fallback }, 0))
  if (timeoutMs === 0) timedOut()
  else op.stopTimer = run.clock.after(waitMs, timedOut)
}

/** Ends the wait with the oldest signal of its name, if there is one. */
export function answerWait(op: LocalOp): boolean {
  const { run, path: here } = op.block
  if (op.closed || run.catchingUp) return false
  const signal = run.takeSignal(({ path, name }) => path === here && name === op.name)
  if (signal === null) return false
  endWait(op, { ok: true, value: signal.value }, signal.number)
  return true
}

export function endWait(op: LocalOp, result: Result, number: number): void {
  const { block } = op
  const { run, ledger } = block
  if (op.closed || run.over) return
  op.closed = true
  op.stopTimer?.()
  run.removeWait(op)
  const left = ledger.left(run.tick())
  const atMs = block.append({ type: 'signal-answered', n: op.n, name: op.name, number, result, left }, true)
  if (op.asks) run.openQuestions--
  run.afterCommit(() => block.opEnded(op, { result, atMs, left }))
}
