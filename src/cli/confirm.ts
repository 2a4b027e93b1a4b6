import { createInterface } from 'node:readline/promises'
import { cleanLine } from '../views/text-width.ts'
import { EXIT_STOPPED } from './exit-code.ts'
import { type Output, remark } from './output.ts'

/** Asks a person at the terminal before something is deleted. Null to go ahead: yes, or nobody is there to ask; otherwise the exit code. */
export async function confirm(question: string, out: Output): Promise<number | null> {
  const answer = await askYesNo(question)
  if (answer === 'left') return EXIT_STOPPED
  if (answer !== 'no') return null
  out.remark('nothing was deleted')
  return 0
}

/** `left`: by Ctrl-C or Ctrl-D. Anything but yes is no. */
export async function askYesNo(question: string): Promise<'yes' | 'no' | 'left' | 'nobody'> {
  const { stdin, stderr } = process
  if (!canAsk()) return 'nobody'
  const terminal = createInterface({ input: stdin, output: stderr })
  const left = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)))
  const answer = await Promise.race([
    terminal.question(`${cleanLine(question, Number.POSITIVE_INFINITY)} [y/N] `),
    left,
  ])
  terminal.close()
  if (answer === null) {
    remark('')
    return 'left'
  }
  return /^\s*y(es)?\s*$/i.test(answer) ? 'yes' : 'no'
}

/** Whether a person is at the terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}
