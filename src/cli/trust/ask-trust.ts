/** The question that stands between something from elsewhere and its execution: a folder's configuration, a run. */
import { ThinkonError } from '../../protocol/index.ts'
import { askYesNo, canAsk } from '../confirm.ts'
import { type Described, describePowers } from './describe-powers.ts'

export interface TrustQuestion {
  /** What it is about; what it would do continues the sentence. */
  readonly head: string
  readonly described: Described
  readonly question: string
  /** Where nobody can be asked: how it is trusted. */
  readonly how: string
  /** What has not happened yet: `nothing was executed`. */
  readonly notDone: string
  /** Which one, and what it would do, as data. */
  readonly subject: Readonly<Record<string, unknown>>
  readonly details: Readonly<Record<string, unknown>>
}

export interface AskingOptions {
  /** The output is for a program, which can't be asked. */
  readonly json: boolean
  /** A line on stderr. */
  remark(text: string): void
}

/** Resolves if a person says yes. Throws UNTRUSTED, or INTERRUPTED if the person left. */
export async function askTrust(asked: TrustQuestion, { json, remark }: AskingOptions): Promise<void> {
  const { head, described, question, how, notDone, subject, details } = asked
  if (json || !canAsk())
    throw new ThinkonError('UNTRUSTED', [head, ...describePowers(described), how].join('\n'), {
      data: { ...subject, ...details },
    })
  remark([head, '', ...describePowers(described, process.stderr.columns), ''].join('\n'))
  const answer = await askYesNo(question)
  if (answer === 'left') throw new ThinkonError('INTERRUPTED', `stopped: ${notDone}`)
  if (answer !== 'yes')
    throw new ThinkonError('UNTRUSTED', `not trusted: ${notDone}`, { data: { ...subject } })
}
