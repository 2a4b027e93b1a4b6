import type { Lang } from '../views/words.ts'
import type { Output } from './output.ts'
import { runWords } from './run-words.ts'

/** Asks a person at the terminal whether to try again: Enter does, Ctrl-C leaves the run waiting. False if nobody is there. */
export async function triesAgain(out: Output, lang: Lang): Promise<boolean> {
  const { stdin } = process
  // If the goal was read from stdin, stdin has ended.
  if (stdin.isTTY !== true || stdin.readableEnded) return false
  out.remark(runWords(lang).tryAgain)
  return new Promise((resolve) => {
    const end = (again: boolean) => {
      stdin.off('data', onData).off('end', onLeave).pause()
      for (const signal of SIGNALS) process.off(signal, onLeave)
      resolve(again)
    }
    const onData = (data: Buffer | string) => {
      if (String(data).includes('\u0003')) end(false)
      else if (/[\r\n]/.test(String(data))) end(true)
    }
    const onLeave = () => end(false)
    for (const signal of SIGNALS) process.on(signal, onLeave)
    // The live view lets go of the keyboard when it is closed.
    stdin.ref()
    stdin.on('data', onData).on('end', onLeave).resume()
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
