/** The question that stands between something from elsewhere and its execution: a folder's configuration, a run. */
import { ThinkonError } from '../../protocol/index.ts'
import { askYesNo, canAsk } from '../confirm.ts'
import { describePowers, type Power } from './powers.ts'

export interface TrustQuestion {
  /** The beginning of the sentence that the powers continue. */
  readonly head: string
  readonly powers: readonly Power[]
  /** Powers of earlier questions; the others are marked as new. */
  readonly known?: readonly Power[]
  readonly question: string
  /** `nothing was executed`. */
  readonly notDone: string
  /** How to trust it if no person can be asked. */
  readonly how: string
  /** Of the error. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface AskingOptions {
  /** This command has `--trust`, which is a yes. */
  readonly isGiven: boolean
  /** The output is for a program, which can't be asked. */
  readonly json: boolean
  /** Prints a line on stderr. */
  remark(text: string): void
}

/** Resolves if a person says yes. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function askTrust(
  asked: TrustQuestion,
  { isGiven, json, remark }: AskingOptions,
): Promise<void> {
  const { head, powers, known, question, notDone, how, data } = asked
  if (isGiven) return
  if (json || !canAsk()) {
    const text = [head, ...describePowers(powers, known), how].join('\n')
    throw new ThinkonError('UNTRUSTED', text, { data: { ...data, does: powers } })
  }
  remark([head, '', ...describePowers(powers, known, process.stderr.columns), ''].join('\n'))
  const answer = await askYesNo(question)
  if (answer === 'left') throw new ThinkonError('INTERRUPTED', `stopped: ${notDone}`)
  if (answer !== 'yes') throw new ThinkonError('UNTRUSTED', `not trusted: ${notDone}`, { data })
}
