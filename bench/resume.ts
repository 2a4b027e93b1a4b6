/** What a large run costs whoever resumes it, sends a message to it or looks at it. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figures } from './index.ts'
import { median, rounded } from './measure.ts'

export const about =
  'runs of 50,000 blocks that were killed near their end: resumed, sent a message, looked at'

const BLOCKS = 50_000
/** About 1,000 events. */
const FEW_BLOCKS = 220
const ROUNDS = 3
const child = join(import.meta.dirname, 'resume-child.ts')
const bin = join(import.meta.dirname, '../bin/thinkon.js')

interface Taken {
  readonly ms: number
  readonly cpuMs: number
  readonly rssKb: number
}

export async function run(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-resume-'))
  try {
    const wide = resumed(folder, 'wide')
    const deep = resumed(folder, 'deep')
    const few = join(folder, 'few')
    built(few, 'deep', FEW_BLOCKS)
    const many = join(folder, 'deep')
    const message = { few: inCopies(few, 'message').ms, many: inCopies(many, 'message').ms }
    const first = { events: await firstLines(few, many, 'events'), show: await firstLines(few, many, 'show') }
    return {
      figures: { resume: { wide, deep }, message: ofBoth(message), events: first.events, show: first.show },
      lines: [
        resumeLine('children of one root', wide),
        resumeLine('a tree', deep),
        `message: ${bothText(message)}`,
        `events, first line: ${bothText(first.events)}`,
        `show, first line: ${bothText(first.show)}`,
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function resumed(
  folder: string,
  shape: string,
): { ms: number; cpuMs: number; rssRatio: number; runCpuMs: number } {
  const run = built(join(folder, shape), shape, BLOCKS)
  const { ms, cpuMs, rssKb } = inCopies(join(folder, shape), 'resume')
  return {
    ms: rounded(ms, 0),
    cpuMs: rounded(cpuMs, 0),
    rssRatio: rounded(rssKb / run.rssKb),
    runCpuMs: rounded(run.cpuMs, 0),
  }
}

function resumeLine(shape: string, { ms, cpuMs, rssRatio, runCpuMs }: ReturnType<typeof resumed>): string {
  return `resume, ${shape}: ${ms} ms (${cpuMs} ms of CPU; the run took ${runCpuMs}), memory ${rssRatio} × the run's`
}

/** A store with one run that was killed near its end. */
function built(folder: string, shape: string, blocks: number): Taken {
  mkdirSync(folder)
  return measured('build', folder, shape, String(blocks))
}

/** In a fresh process and a fresh copy each time: a run can be resumed only once. */
function inCopies(folder: string, act: 'resume' | 'message'): Taken {
  const all: Taken[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const copy = `${folder}-copy`
    cpSync(folder, copy, { recursive: true })
    all.push(measured(act, copy))
    rmSync(copy, { recursive: true })
  }
  const of = (key: keyof Taken) => median(all.map((taken) => taken[key]))
  return { ms: of('ms'), cpuMs: of('cpuMs'), rssKb: of('rssKb') }
}

function measured(act: string, folder: string, ...more: string[]): Taken {
  const words = [child, act, join(folder, 'runs.db'), ...more]
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (stdout === '') throw new Error(`${act} failed: ${stderr}`)
  return JSON.parse(stdout)
}

interface Both {
  readonly few: number
  readonly many: number
}

async function firstLines(few: string, many: string, command: string): Promise<Both & { ratio: number }> {
  const both: Record<keyof Both, number[]> = { few: [], many: [] }
  for (let round = 0; round < ROUNDS; round++) {
    both.few.push(await firstLine(few, command))
    both.many.push(await firstLine(many, command))
  }
  return ofBoth({ few: median(both.few), many: median(both.many) })
}

/** Milliseconds from the start of the command to its first output, after which nobody reads on. */
function firstLine(folder: string, command: string): Promise<number> {
  const startedMs = performance.now()
  const words = [bin, command, 'large', '--store', join(folder, 'runs.db')]
  const started = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let ms = 0
  started.stdout.once('data', () => {
    ms = performance.now() - startedMs
    started.stdout.destroy()
  })
  return new Promise((resolve) => started.once('close', () => resolve(ms)))
}

function ofBoth({ few, many }: Both): Both & { ratio: number } {
  return { few: rounded(few), many: rounded(many), ratio: rounded(many / few) }
}

function bothText(both: Both): string {
  const { few, many, ratio } = ofBoth(both)
  return `${few} ms at about 1,000 events, ${many} ms at over 200,000: ${ratio} ×`
}
