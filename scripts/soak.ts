// `npm run soak [-- kills restate-rounds]`: what takes too long for the gate. 300 kills at random instants, kill -9 of a Restate
// server in the middle of runs, and the tests that repeat themselves, many times more often (THINKON_THOROUGH).

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { crashAndResume, undisturbed, violations } from '../tests/crash/crash.ts'

const [kills = 300, restateRounds = 10] = process.argv.slice(2).map(Number)
const AT_ONCE = 3
let failed = 0

await soak(`${kills} kills at random instants`, async () => {
  const whole = await undisturbed()
  let next = 0
  let midway = 0
  const worker = async () => {
    while (next++ < kills) {
      const afterMs = Math.random() * 80
      const crash = await crashAndResume({ afterMs })
      if (crash.eventsBefore < whole.events.length) midway++
      const found = violations(crash, whole)
      if (found.length > 0) throw new Error(`killed ${afterMs} ms after it began: ${found.join('; ')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return `${midway} fell into the run; every outcome the same, no finished step run twice`
})

await soak(`${restateRounds} rounds of kill -9 of a Restate server`, async () => {
  const { restateServerKill } = await import('../tests/soak/restate-server-kill.ts')
  return restateServerKill(restateRounds)
})

await soak('the tests with all their repetitions, at a seed of their own', async () => {
  const seed = String(Math.floor(Math.random() * 1e6))
  const env = { ...process.env, THINKON_THOROUGH: '1', THINKON_PROPERTY_SEED: seed }
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--testTimeout=3600000'], { env, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`THINKON_PROPERTY_SEED=${seed} finds something`)
  return `nothing found at seed ${seed}`
})

process.stdout.write(`${3 - failed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function soak(name: string, work: () => Promise<string>): Promise<void> {
  const start = Date.now()
  try {
    const report = await work()
    process.stdout.write(`ok    ${name}: ${report} (${seconds(start)})\n`)
  } catch (error) {
    failed++
    process.stdout.write(
      `FAIL  ${name}: ${error instanceof Error ? error.message : error} (${seconds(start)})\n`,
    )
  }
}

function seconds(start: number): string {
  return `${((Date.now() - start) / 1000).toFixed(0)} s`
}
