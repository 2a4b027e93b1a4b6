/**
 * `node training/make-data.ts --seed <text> --count <n> -o <file>`: training pairs, a prompt and its answer on each line. The same seed
 * and count give the same file, however many processors there are. A name that ends with .gz is compressed. With --held-out they are
 * of the goals that training must not have.
 */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { availableParallelism } from 'node:os'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { createGzip } from 'node:zlib'
import { seededRandom } from '../src/kernel/random.ts'
import { turnNumbers } from '../src/models/embedded/mini/compact.ts'
import { type Split, traces } from './traces.ts'

interface Part {
  readonly seed: string
  readonly count: number
  readonly split?: Split
}

/** Pairs made at once. */
const PART = 20_000

export function linesOf({ seed, count, split }: Part): string {
  return traces(seededRandom(seed), count, split)
    .map(({ prompt, answer }) => `${turnNumbers(prompt + answer)}\n`)
    .join('')
}

async function main(): Promise<void> {
  const options = {
    seed: { type: 'string' },
    count: { type: 'string' },
    output: { type: 'string', short: 'o' },
    'held-out': { type: 'boolean' },
  } as const
  const given = parseArgs({ options }).values
  const { seed = '1', count = '3000000', output } = given
  if (output === undefined || !/^[1-9]\d*$/.test(count)) {
    throw new Error('usage: node training/make-data.ts --seed <text> --count <n> -o <file> [--held-out]')
  }
  const text = new PassThrough()
  const file = createWriteStream(output)
  const written = output.endsWith('.gz') ? pipeline(text, createGzip(), file) : pipeline(text, file)
  await Promise.all([
    written,
    writeParts(partsOf(seed, Number(count), given['held-out'] ? 'held-out' : 'training'), text),
  ])
}

function partsOf(seed: string, count: number, split: Split): Part[] {
  return Array.from({ length: Math.ceil(count / PART) }, (_, i) => ({
    split,
    seed: `${seed}/${i}`,
    count: Math.min(PART, count - i * PART),
  }))
}

/** One part for each worker at a time, written in the order of the parts. */
async function writeParts(parts: readonly Part[], text: PassThrough): Promise<void> {
  const workers = Array.from(
    { length: Math.min(availableParallelism(), parts.length) },
    () => new Worker(import.meta.filename),
  )
  for (let at = 0; at < parts.length; at += workers.length) {
    const made = parts.slice(at, at + workers.length).map((part, i) => linesFrom(workers[i] as Worker, part))
    for (const lines of await Promise.all(made)) if (!text.write(lines)) await once(text, 'drain')
  }
  text.end()
  await Promise.all(workers.map((worker) => worker.terminate()))
}

async function linesFrom(worker: Worker, part: Part): Promise<string> {
  const answered = once(worker, 'message')
  worker.postMessage(part)
  const [lines] = await answered
  return lines
}

if (!isMainThread) parentPort?.on('message', (part: Part) => parentPort?.postMessage(linesOf(part)))
else if (import.meta.main) await main()
