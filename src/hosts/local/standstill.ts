import type { OutageStep } from '../../protocol/index.ts'
import type { RunningBlock } from './running-block.ts'

/** The run, as it is asked whether it can go on. */
export interface StandingRun {
  readonly blocks: Iterable<RunningBlock>
  readonly admission: { readonly isEmpty: boolean; unblock(): void }
  readonly openQuestions: number
  /** Events are being committed, or blocks executed from their records: some block will go on. */
  readonly isBusy: boolean
  /** Stops the run: these steps wait for their models. */
  stopToWait(steps: readonly OutageStep[]): void
}

/**
 * Notices that no block of a run can go on. If a model is out, the run stops; otherwise nothing will be given back to the budget, and
 * operations that wait for room are admitted or refused.
 */
export class Standstill {
  private readonly run: StandingRun
  /** A model was out since this process works on the run. */
  private isModelOut = false

  constructor(run: StandingRun) {
    this.run = run
  }

  /** A step waits for its model. */
  modelOut(): void {
    this.isModelOut = true
  }

  /** Called whenever a block may have come to a halt. */
  check(): void {
    const { run, isModelOut } = this
    if ((!isModelOut && run.admission.isEmpty) || run.isBusy) return
    const steps: OutageStep[] = []
    for (const block of run.blocks) {
      if (!block.idle) return
      steps.push(...block.outages())
    }
    if (isModelOut && steps.length > 0) {
      this.isModelOut = false
      run.stopToWait(steps)
    } else if (steps.length === 0 && run.openQuestions === 0) {
      // With an open question an answer may still come, and something be given back after it.
      run.admission.unblock()
    }
  }
}
