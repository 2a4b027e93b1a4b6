/** A check by a program of the user's: it gets the task and the answer as JSON on stdin. */
import { isObject, parseJson } from '../../protocol/index.ts'
import { runProcess } from '../../tools/run-process.ts'
import type { Verdict } from './check-answer.ts'
import type { Checker } from './checker.ts'

type ProgramChecker = Extract<Checker, { program: unknown }>

const TIMEOUT_MS = 30_000
const MAX_OUTPUT_BYTES = 64 * 1024
const PASSED = ['PATH', 'HOME', 'LANG', 'TMPDIR']
/** What a shell gives for a program that is not there or can't be run. */
const NOT_RUN = [126, 127]

/** 0 is right, anything else wrong; a line `{"score": 0.5, "why": "…"}` on stdout says more. Throws if it can't be run. */
export async function checkByProgram(
  answer: string,
  task: { readonly id: string; readonly goal: string },
  { program, folder = '.', timeoutMs = TIMEOUT_MS }: ProgramChecker,
  signal: AbortSignal,
): Promise<Verdict> {
  const env = Object.fromEntries(PASSED.map((name) => [name, process.env[name] ?? '']))
  const { exitCode, timedOut, stdout, stderr } = await runProcess({
    argv: program,
    cwd: folder,
    env,
    timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    stdin: JSON.stringify({ task: task.id, goal: task.goal, answer }),
  })
  if (exitCode !== null && NOT_RUN.includes(exitCode))
    throw new Error(`the checker ${program.join(' ')} can't be run: ${stderr.trim()}`)
  const solved = exitCode === 0
  const said = parseJson(stdout.trim().split('\n').at(-1) ?? '')
  const { score, why } = isObject(said) ? said : {}
  const otherwise = timedOut ? 'the checker took too long' : stderr.trim().slice(0, 500)
  const reason = typeof why === 'string' ? why : solved ? '' : otherwise
  return {
    solved,
    score: typeof score === 'number' ? Math.min(1, Math.max(0, score)) : Number(solved),
    ...(reason !== '' && { why: reason }),
  }
}
