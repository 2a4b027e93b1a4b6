/**
 * Damages copies of a store at random places, reads all runs, and resumes the one that has not ended. Each damage must be reported, or
 * change nothing: no event, no outcome, no step that is performed again.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '../../src/files/sqlite.ts'
import { createEngine, type Engine, ThinkonError } from '../../src/index.ts'
import { seededRandom } from '../../src/kernel/random.ts'
import type { Strategy } from '../../src/kernel/strategy.ts'
import type { Tool } from '../../src/kernel/tool.ts'

const STEPS = 2_800
/** The open run was stopped when it had performed these. */
const DONE = 2_600
const AT_ONCE = 100
const QUESTIONS = 20
const LONG = 'A text that is long enough to be stored by its hash, and compressed. '.repeat(40)
const RUNS = ['ended', 'other', 'open']

export interface DamageReport {
  readonly reported: number
  readonly harmless: number
  /** Damages that changed something, or were reported by an error that is none of ours. */
  readonly findings: readonly string[]
}

/** What is read of a store, and what its open run does when it is resumed. */
interface Look {
  readonly events: readonly string[]
  readonly outcome: string
  readonly performed: string
  /** Which questions are open, and of which runs somebody is asked something. */
  readonly questions: string
}

export async function damageStore(damages: number, seed: number): Promise<DamageReport> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-damage-'))
  try {
    const whole = join(folder, 'whole.db')
    await fill(whole)
    const expected = await look(whole, join(folder, 'first.db'))
    const random = randomFrom(seed)
    const findings: string[] = []
    const counts = { reported: 0, harmless: 0 }
    for (let i = 0; i < damages; i++) {
      const file = join(folder, `${i}.db`)
      copyFileSync(whole, file)
      const what = damage(file, random)
      const found = await compared(file, expected)
      if (found === 'reported' || found === 'harmless') counts[found]++
      else findings.push(`${what}: ${found}`)
      rmSync(file)
    }
    return { ...counts, findings }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compared(file: string, expected: Look): Promise<string> {
  let found: Look
  try {
    found = await look(file, `${file}.copy`)
  } catch (thrown) {
    return ThinkonError.isInstance(thrown) ? 'reported' : `a foreign error: ${(thrown as Error).stack}`
  } finally {
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  }
  for (const [i, run] of RUNS.entries())
    if (found.events[i] !== expected.events[i]) return `other events of ${run}`
  if (found.questions !== expected.questions) return `other questions: ${found.questions}`
  if (found.outcome !== expected.outcome) return `another outcome: ${found.outcome}`
  return found.performed === expected.performed ? 'harmless' : `other steps: ${found.performed}`
}

/** Reads all, then resumes the open run in a copy. */
async function look(file: string, copy: string): Promise<Look> {
  copyFileSync(file, copy)
  const performed: number[] = []
  const engine = open(copy, performed)
  try {
    const run = await engine.resume('open')
    const { status, result, usage } = await run.outcome
    const events: string[] = []
    for (const id of RUNS) {
      const lines = [...(await engine.events(id))].filter(({ seq }) => id !== 'open' || seq <= DONE)
      events.push(JSON.stringify(lines))
    }
    const outcome = JSON.stringify({ status, result, usage })
    const waiting = (await engine.list({ status: 'waiting' })).map(({ id }) => id)
    const questions = JSON.stringify([await engine.questions(), waiting])
    return { events, outcome, questions, performed: JSON.stringify(performed.sort((a, b) => a - b)) }
  } finally {
    await engine.close()
    for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
  }
}

async function fill(file: string): Promise<void> {
  const engine = open(file, [])
  for (const id of ['ended', 'other'])
    await (await engine.start(`${id} ${LONG}`, { id, strategy: 'steps', options: { steps: 60 } })).outcome
  await engine.start('asking', { id: 'asking', strategy: 'asks' })
  const asked = async () => (await engine.questions({ run: 'asking' })).length
  while ((await asked()) < QUESTIONS) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const { id } of (await engine.questions({ run: 'asking' })).slice(0, QUESTIONS / 2))
    await engine.answer('asking', 'yes', { question: id })
  while ((await asked()) > QUESTIONS / 2) await new Promise((resolve) => setTimeout(resolve, 20))
  await engine.close()
  const performed: number[] = []
  const stopping = open(file, performed, DONE)
  await stopping.start('open', {
    id: 'open',
    strategy: 'steps',
    options: { steps: STEPS },
    budget: { calls: 1e6 },
  })
  while (performed.length < DONE) await new Promise((resolve) => setTimeout(resolve, 20))
  await stopping.signal('open', '1', 'message', 'a message that waits')
  await stopping.close()
}

function open(store: string, performed: number[], end = Number.POSITIVE_INFINITY): Engine {
  const work: Tool = {
    name: 'work',
    description: 'Works.',
    access: 'read',
    async run(input) {
      const { at } = input as { at: number }
      if (at >= end) await new Promise(() => {})
      performed.push(at)
      return at % 10 === 0 ? `${at} ${LONG}${at}` : at
    },
  }
  return createEngine({
    store,
    model: { id: 'none', call: () => Promise.reject(new Error('unused')) },
    tools: [work],
    strategies: [steps, asks],
  })
}

const steps: Strategy<{ steps: number }> = {
  name: 'steps',
  version: 1,
  options: (given) => given as { steps: number },
  async solve(context) {
    let sum = 0
    for (let at = 0; at < context.options.steps; at += AT_ONCE) {
      const ops = Array.from({ length: Math.min(AT_ONCE, context.options.steps - at) }, (_, i) =>
        context.tool('work', { at: at + i }),
      )
      for (const result of await context.all(ops)) if (result.ok) sum += String(result.value).length
    }
    return { status: 'completed', result: `${sum}` }
  },
}

const asks: Strategy = {
  name: 'asks',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const ops = Array.from({ length: QUESTIONS }, (_, i) =>
      context.ask({ text: `question ${i}?`, choices: ['yes', 'no'] }, { name: `asked-${i}` }),
    )
    const answers = await context.all(ops)
    return { status: 'completed', result: answers.join(' ') }
  },
}

/** Changes a byte or a bit. Every third one is in a question, an outline or a compressed row, which are a small part of the file. */
function damage(file: string, random: (below: number) => number): string {
  const bytes = readFileSync(file)
  const kind = random(3)
  const at = kind === 0 ? placeIn(file, bytes, random) : random(bytes.length)
  const before = bytes[at] as number
  bytes[at] = random(2) === 0 ? before ^ (1 << random(8)) : (before + 1 + random(255)) & 0xff
  writeFileSync(file, bytes)
  return `byte ${at} of ${statSync(file).size}: ${before} became ${bytes[at]}`
}

function placeIn(file: string, bytes: Buffer, random: (below: number) => number): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const tables = [
    'SELECT outline AS it FROM outlines',
    `SELECT body AS it FROM events WHERE typeof(body) = 'blob' ORDER BY id`,
    'SELECT name || answerer AS it FROM questions',
  ].map((sql) => database.prepare(sql).all())
  database.close()
  const which = random(3)
  const rows = tables[which] ?? []
  if (rows.length === 0) throw new Error('the store has no outline, no compressed row or no question')
  const { it } = rows[random(rows.length)] as { it: string | Uint8Array }
  const part = Buffer.from(it as string).subarray(0, 200)
  const from = bytes.indexOf(part)
  // Of a question, also the numbers before and behind the texts.
  if (which === 2 && from !== -1) return from - 16 + random(part.length + 32)
  return from === -1 ? random(bytes.length) : from + random(part.length)
}

function randomFrom(seed: number): (below: number) => number {
  const random = seededRandom(String(seed))
  return (below) => Math.floor(random() * below)
}
