/** The question that stands between something from elsewhere and its execution: a folder's configuration, a run. */
import { ThinkonError } from '../../protocol/index.ts'
import { askYesNo, canAsk } from '../confirm.ts'
import { describePowers, type Power } from './powers.ts'

export interface TrustQuestion {
  /** The beginning of the sentence that the powers continue. */
  readonly head: string
  readonly powers: readonly Power[]
  /** Powers of earlier questions; the others are marked as new. */
  readonly known?: readonly Power[] | undefined
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

const HOW = 'If you trust it: --trust with this command; in CI: THINKON_TRUST=1'

/** Resolves if a person says yes. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function askTrust({ head, powers, known, data }: TrustQuestion, options: AskingOptions) {
  if (options.isGiven) return
  if (options.json || !canAsk()) {
    const text = [head, ...describePowers(powers, known), HOW].join('\n')
    throw new ThinkonError('UNTRUSTED', text, { data: { ...data, does: powers } })
  }
  options.remark([head, '', ...describePowers(powers, known, process.stderr.columns), ''].join('\n'))
  const answer = await askYesNo('Do you trust it?')
  if (answer === 'left') throw new ThinkonError('INTERRUPTED', 'stopped: nothing was started')
  if (answer !== 'yes') throw new ThinkonError('UNTRUSTED', 'not trusted: nothing was started', { data })
}
