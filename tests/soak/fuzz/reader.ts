/**
 * A process that reads the inputs it is told to, one after the other: `reader.ts <seed> <from> <to> <place>`. The number of the input that
 * is being read stands in the file `place`, so that whoever watches knows which one hangs or has ended the process. Findings are lines of
 * JSON on stdout.
 */
import { openSync, writeSync } from 'node:fs'
import { errorText, ThinkonError } from '../../../src/protocol/index.ts'
import { FAMILIES } from './families.ts'
import type { Family } from './family.ts'
import { inputOf, pickOf } from './mutate.ts'

const [seed = 0, from = 0, to = 0] = process.argv.slice(2, 5).map(Number)
const place = openSync(String(process.argv[5]), 'w')
const shares = FAMILIES.flatMap((family) => Array<Family>(family.share).fill(family))
// Shared as a deck is: whichever part of the inputs is read has all families in it.
const order = pickOf(0, 'order', 0)
for (let i = shares.length - 1; i > 0; i--) {
  const j = order(i + 1)
  ;[shares[i], shares[j]] = [shares[j] as Family, shares[i] as Family]
}

process.removeAllListeners('warning')
for (let index = from; index < to; index++) {
  const family = shares[index % shares.length] as Family
  writeSync(place, `${index} ${family.name}\n`.padEnd(40), 0)
  await readOne(family, index)
}
say({ maxRssMb: Math.round(process.resourceUsage().maxRSS / 1024) })
process.exit(0)

async function readOne(family: Family, index: number): Promise<void> {
  const pick = pickOf(seed, family.name, index)
  const input = inputOf(family, pick)
  try {
    await family.read(input, pick)
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown)) return
    const stack = thrown instanceof Error ? (thrown.stack ?? '').split('\n').slice(1, 4).join('\n') : ''
    say({ family: family.name, index, error: `${errorText(thrown)}\n${stack}`, input })
  }
}

function say(what: object): void {
  writeSync(1, `${JSON.stringify(what)}\n`)
}
