/**
 * Runs with model and tool objects that return what no object should (poison/). A finding is a crash, a rejection that nothing handles, a
 * hang, an error from the inside of JavaScript, a limit that does not bind, an event with a figure that is no number, and a replay that
 * differs.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { casesOf } from './poison/cases.ts'

/** A run with a value that expands without end takes 11 s of processor time: minutes on a machine with other work. */
const HANG_MS = 300_000
const PROGRAM = join(import.meta.dirname, 'poison/program.ts')

/** `indices`: of the cases; all of them by default. */
export async function poison(indices: readonly number[] = casesOf().map((_, i) => i)): Promise<string[]> {
  const findings: string[] = []
  for (let left = [...indices]; left.length > 0; ) {
    const { done, current, how } = await runIn(left, findings)
    if (current !== null) findings.push(`${caseText(current)}: ${how}`)
    left = left.slice(done + (current === null ? 0 : 1))
  }
  return findings
}

/** Every `count`th case, from a first one that the seed names. */
export function sampleOf(count: number, seed: number): number[] {
  const all = casesOf().length
  const step = Math.max(1, Math.floor(all / count))
  return Array.from({ length: count }, (_, i) => (seed + i * step) % all)
}

interface Ending {
  readonly done: number
  /** The case during which the process ended. */
  readonly current: number | null
  readonly how: string
}

function runIn(indices: readonly number[], findings: string[]): Promise<Ending> {
  // Strategies write logs into the workspace, which is the current folder.
  const cwd = mkdtempSync(join(tmpdir(), 'thinkon-poison-'))
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, JSON.stringify(indices)], { cwd })
  let done = 0
  let current: number | null = null
  let how = ''
  let errors = ''
  const hang = () => {
    how = `nothing happened for ${HANG_MS} ms`
    child.kill('SIGKILL')
  }
  let timer = setTimeout(hang, HANG_MS)
  child.stderr.on('data', (data) => {
    errors = `${errors}${data}`.slice(-2_000)
  })
  createInterface(child.stdout).on('line', (line) => {
    clearTimeout(timer)
    timer = setTimeout(hang, HANG_MS)
    const said = JSON.parse(line) as { index: number; findings?: string[] }
    current = said.findings === undefined ? said.index : null
    if (said.findings === undefined) return
    done++
    findings.push(...said.findings.map((finding) => `${caseText(said.index)}: ${finding}`))
  })
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      rmSync(cwd, { recursive: true, force: true })
      resolve({ done, current, how: how || `the process ended with ${code ?? signal}\n${errors}` })
    }),
  )
}

function caseText(index: number): string {
  const { kind, name, strategy } = casesOf()[index] as ReturnType<typeof casesOf>[number]
  return `${kind} "${name}" with ${strategy}`
}
