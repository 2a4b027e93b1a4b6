/**
 * Gives every parser inputs that expand, in a process with a small heap. A finding is an input that ends the process, takes longer than
 * MOST_MS, or throws something that is no ThinkonError.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MOST_MS = 10_000
const MAX_HEAP_MB = 512

export interface ExpandReport {
  readonly inputs: number
  readonly findings: readonly string[]
  readonly slowest: string
}

/** `step`: only every n-th input. */
export async function expand(step = 1): Promise<ExpandReport> {
  const findings: string[] = []
  let inputs = 0
  let slowest = { name: '', ms: 0 }
  for (let from: number | null = 0; from !== null; ) {
    const ended: Ended = await readFrom(from, step)
    inputs += ended.read.length
    for (const { name, ms, error } of ended.read) {
      if (ms > slowest.ms) slowest = { name, ms }
      if (error !== undefined) findings.push(`${name}: ${error}`)
      else if (ms > MOST_MS) findings.push(`${name}: it takes ${ms} ms`)
    }
    if (ended.broken !== null) findings.push(`${ended.broken.name}: ${ended.why}`)
    from = ended.broken === null ? null : ended.broken.index + step
  }
  return { inputs, findings, slowest: `${slowest.name}, ${slowest.ms} ms` }
}

interface Ended {
  readonly read: { readonly name: string; readonly ms: number; readonly error?: string }[]
  /** The input during which the process ended. */
  readonly broken: { readonly index: number; readonly name: string } | null
  readonly why: string
}

function readFrom(from: number, step: number): Promise<Ended> {
  const program = join(import.meta.dirname, 'expand/reader.ts')
  const args = [`--max-old-space-size=${MAX_HEAP_MB}`, '--no-warnings', program, `${from}`, `${step}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const read: Ended['read'] = []
  let current: Ended['broken'] = null
  let why = ''
  let timer: NodeJS.Timeout | undefined
  child.stderr.on('data', (text) => {
    why = `${why}${text}`.slice(-500)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { index, name, ms, error } = JSON.parse(line)
    clearTimeout(timer)
    if (name === undefined) {
      read.push({ name: current?.name ?? '', ms, error })
      current = null
      return
    }
    current = { index, name }
    timer = setTimeout(() => {
      why = `it takes longer than ${2 * MOST_MS} ms`
      child.kill('SIGKILL')
    }, 2 * MOST_MS)
  })
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ read, broken: current, why: `it ends the process: ${why}` })
    })
  })
}
