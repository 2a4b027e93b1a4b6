/**
 * Fuzzes every parser of outside text: so many inputs, made from real samples by a seed. A finding is whatever is thrown and is no
 * ThinkonError, an input that takes longer than HANG_MS, and one that ends its process, for example because it needs more than
 * MAX_HEAP_MB.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Finding {
  readonly family: string
  readonly index: number
  readonly error: string
  readonly input?: string
}

export interface FuzzReport {
  readonly inputs: number
  readonly seed: number
  readonly findings: readonly Finding[]
  /** The most memory that a reading process had, in MiB. */
  readonly maxRssMb: number
}

export interface FuzzOptions {
  inputs: number
  seed: number
  /** The number of the first one. */
  from?: number
}

const HANG_MS = 30_000
const MAX_HEAP_MB = 512
const LOOK_MS = 500
const MAX_FINDINGS = 50

export async function fuzz({ inputs, seed, from = 0 }: FuzzOptions): Promise<FuzzReport> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-fuzz-place-'))
  const findings: Finding[] = []
  let maxRssMb = 0
  let next = from
  try {
    while (next < from + inputs && findings.length < MAX_FINDINGS) {
      const reader = new Reader({ seed, from: next, to: from + inputs, place: join(folder, 'place') })
      const ending = await reader.ended
      findings.push(...reader.findings)
      maxRssMb = Math.max(maxRssMb, reader.maxRssMb)
      if (ending !== null) findings.push(ending)
      next = ending === null ? from + inputs : ending.index + 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { inputs: next - from, seed, findings, maxRssMb }
}

interface Reading {
  readonly seed: number
  readonly from: number
  readonly to: number
  readonly place: string
}

/** One process that reads, until all inputs are read or one of them ends it. */
class Reader {
  readonly findings: Finding[] = []
  maxRssMb = 0
  /** Why it has ended before all were read, if it has. */
  readonly ended: Promise<Finding | null>

  constructor({ seed, from, to, place }: Reading) {
    const program = join(import.meta.dirname, 'fuzz/reader.ts')
    const args = [`--max-old-space-size=${MAX_HEAP_MB}`, '--no-warnings', program, seed, from, to, place]
    const child = spawn(process.execPath, args.map(String), { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.on('data', (text) => {
      said = `${said}${text}`.slice(-2_000)
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { maxRssMb, ...finding } = JSON.parse(line)
      if (maxRssMb === undefined) this.findings.push(finding)
      else this.maxRssMb = maxRssMb
    })
    let why = ''
    let [last, sinceMs] = ['', Date.now()]
    const timer = setInterval(() => {
      const now = placeIn(place)
      if (now !== last) [last, sinceMs] = [now, Date.now()]
      else if (Date.now() - sinceMs > HANG_MS) {
        why = `it takes longer than ${HANG_MS} ms`
        child.kill('SIGKILL')
      }
    }, LOOK_MS)
    this.ended = new Promise((resolve) => {
      child.on('close', (code) => {
        clearInterval(timer)
        if (code === 0) return resolve(null)
        const [, index = from, family = ''] = /^(\d+) (.*)/.exec(placeIn(place)) ?? []
        resolve({ index: Number(index), family, error: why || `it ends the process: ${said}` })
      })
    })
  }
}

function placeIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

export function findingText({ family, index, error, input }: Finding, seed: number): string {
  const shown = input === undefined ? '' : `\n  ${JSON.stringify(input.slice(0, 500))} (${input.length})`
  return `input ${index} of seed ${seed} (${family}): ${error}${shown}`
}
