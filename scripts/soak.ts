// `npm run soak [-- kills restate-rounds] [--inputs n] [--seed n] [--only name]`: what takes too long for the gate. Every parser of
// outside text on 200,000 inputs, 300 kills at random instants, kill -9 of a Restate server in the middle of runs, and the tests that
// repeat themselves, many times more often (THINKON_THOROUGH). `--only` takes fuzz, kills, restate or tests.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crashAndResume, undisturbed, violations } from '../tests/crash/crash.ts'
import { findingText, fuzz } from '../tests/soak/fuzz.ts'

const text = { type: 'string' } as const
const options = { inputs: text, seed: text, only: text }
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const [kills = 300, restateRounds = 10] = positionals.map(Number)
const inputs = Number(values.inputs ?? 200_000)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
const AT_ONCE = 3
let passed = 0
let failed = 0

await soak('fuzz', `${inputs} inputs of seed ${seed} for the parsers of outside text`, async () => {
  const { findings, maxRssMb } = await fuzz({ inputs, seed })
  const found = findings.map((finding) => findingText(finding, seed))
  if (found.length > 0) throw new Error(`${found.length} findings\n${found.join('\n')}`)
  return `no crash, no hang, at most ${maxRssMb} MiB`
})

await soak('kills', `${kills} kills at random instants`, async () => {
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

await soak('restate', `${restateRounds} rounds of kill -9 of a Restate server`, async () => {
  const { restateServerKill } = await import('../tests/soak/restate-server-kill.ts')
  return restateServerKill(restateRounds)
})

await soak('tests', 'the tests with all their repetitions, at a seed of their own', async () => {
  const env = { ...process.env, THINKON_THOROUGH: '1', THINKON_PROPERTY_SEED: String(seed) }
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--testTimeout=3600000'], { env, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`THINKON_PROPERTY_SEED=${seed} finds something`)
  return `nothing found at seed ${seed}`
})

process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function soak(id: string, name: string, work: () => Promise<string>): Promise<void> {
  if (values.only !== undefined && values.only !== id) return
  const start = Date.now()
  try {
    const report = await work()
    passed++
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
