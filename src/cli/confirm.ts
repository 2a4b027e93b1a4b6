import { createInterface } from 'node:readline/promises'
import { cleanLine, wrapProse } from '../views/text-width.ts'
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
  if (!canAsk()) return 'nobody'
  const answer = await askLine(`${cleanLine(question, Number.POSITIVE_INFINITY)} [y/N]`)
  if (answer === null) return 'left'
  return /^\s*(?:y|yes|是|好)\s*$/i.test(answer) ? 'yes' : 'no'
}

/** Asks until `problemOf` has nothing to say about the answer; null if the person leaves by Ctrl-C or Ctrl-D. */
export async function askText(
  question: string,
  problemOf: (answer: string) => string | undefined,
): Promise<string | null> {
  for (;;) {
    const answer = (await askLine(cleanLine(question)))?.trim()
    const problem = answer === undefined ? undefined : problemOf(answer)
    if (problem === undefined) return answer ?? null
    tell(`  ${problem}`)
  }
}

/** A line before a question. */
export function tell(text: string): void {
  remark(fitted(text))
}

/** A terminal would break it anywhere. */
function fitted(text: string): string {
  return canAsk() ? wrapProse(text, (process.stderr.columns || 80) - 1) : text
}

/** Null if the person leaves. */
async function askLine(prompt: string): Promise<string | null> {
  const { stdin, stderr } = process
  const terminal = createInterface({ input: stdin, output: stderr })
  const left = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)))
  const answer = await Promise.race([terminal.question(`${fitted(prompt)} `), left])
  terminal.close()
  if (answer === null) remark('')
  return answer
}

/** Whether a person is at the terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}
