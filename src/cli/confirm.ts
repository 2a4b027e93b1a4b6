import { createInterface } from 'node:readline/promises'
import { cleanLine } from '../views/text-width.ts'
import { EXIT_STOPPED } from './exit-code.ts'
import type { Output } from './output.ts'

/** Asks a person at the terminal before something is deleted. Null to go ahead: yes, or nobody is there to ask; otherwise the exit code. */
export async function confirm(question: string, out: Output): Promise<number | null> {
  const { stdin, stderr } = process
  if (stdin.isTTY !== true || stderr.isTTY !== true) return null
  const terminal = createInterface({ input: stdin, output: stderr })
  const left = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)))
  const answer = await Promise.race([
    terminal.question(`${cleanLine(question, Number.POSITIVE_INFINITY)} [y/N] `),
    left,
  ])
  terminal.close()
  if (answer === null) return EXIT_STOPPED
  if (/^\s*y(es)?\s*$/i.test(answer)) return null
  out.remark('nothing was deleted')
  return 0
}
