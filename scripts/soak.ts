// `npm run soak`: what takes too long for the gate, or installs more than a checkout should have. `--help` lists it.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crashAndResume, undisturbed, violations } from '../tests/crash/crash.ts'
import { findingText, fuzz } from '../tests/soak/fuzz.ts'
import { lockRounds } from '../tests/soak/locks.ts'
import { poison } from '../tests/soak/poison.ts'

const HELP = `Usage: npm run soak [-- [kills] [options]]

  fuzz      every parser of outside text on 200,000 inputs
  poison    model and tool objects that return, throw and report anything, with every strategy
  kills     kills at random instants, 300 unless given
  locks     60 rounds of file tools that reach the store of their own runs, with several processes and kill -9
  damage    300 random damages of a store: each is reported or changes nothing
  cluster   kill -9 of a worker and of PostgreSQL, SIGSTOP, ends of lock sessions, in the middle of runs, 20 of each
  gguf      local model files with the real llama.cpp; installs node-llama-cpp (85 MB) into the user's cache, once
  package   the packed package under the oldest and the newest Node of each supported line; installs them (1.2 GB) into node_modules/.cache, once
  bundlers  bundles of the packed package by webpack, Rollup and Next.js; installs them (450 MB) into node_modules/.cache, once
  inspector the MCP inspector's command line against thinkon mcp; installs it (110 MB) into node_modules/.cache, once
  expand    300 inputs that expand, for every parser, in processes with a small heap
  patterns  every regular expression of the code on texts that repeat pieces of its alphabet
  serve     10,000 broken requests for the service, by fetch and on sockets
  tests     the tests that repeat themselves, many times more often

  --only <names>   some of these, separated by commas
  --inputs <n>     of the fuzzer
  --seed <n>       of the fuzzer and the tests; random unless given
  --help
`
const NAMES = [
  'fuzz',
  'poison',
  'kills',
  'locks',
  'damage',
  'cluster',
  'gguf',
  'package',
  'bundlers',
  'inspector',
  'expand',
  'patterns',
  'serve',
  'tests',
]
const text = { type: 'string' } as const
const options = { inputs: text, seed: text, only: text, help: { type: 'boolean' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
if (values.help) {
  process.stdout.write(HELP)
  process.exit()
}
const only = values.only?.split(',') ?? NAMES
const unknown = only.filter((name) => !NAMES.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`--only takes ${NAMES.join(', ')}, not "${unknown.join(',')}"\n`)
  process.exit(2)
}
const [kills = 300] = positionals.map(Number)
const inputs = Number(values.inputs ?? 200_000)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
const AT_ONCE = 3
const CLUSTER_KILLS = 20
const LOCK_ROUNDS = 60
const DAMAGES = 300
const SERVE_REQUESTS = 10_000
let passed = 0
let failed = 0

await soak('fuzz', `${inputs} inputs of seed ${seed} for the parsers of outside text`, async () => {
  const { findings, maxRssMb } = await fuzz({ inputs, seed })
  const found = findings.map((finding) => findingText(finding, seed))
  if (found.length > 0) throw new Error(`${found.length} findings\n${found.join('\n')}`)
  return `no crash, no hang, at most ${maxRssMb} MiB`
})

await soak('poison', 'model and tool objects that return anything, with every strategy', async () => {
  const findings = await poison()
  if (findings.length > 0) throw new Error(`${findings.length} findings\n${findings.join('\n')}`)
  return 'no crash, no hang, limits bind, replays are equal'
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

await soak('locks', `${LOCK_ROUNDS} rounds of file tools that reach the store of their own runs`, () =>
  lockRounds(LOCK_ROUNDS, Math.random),
)

await soak('damage', `${DAMAGES} random damages of a store, seed ${seed}`, async () => {
  const { damageStore } = await import('../tests/store/damage.ts')
  const { reported, harmless, findings } = await damageStore(DAMAGES, seed)
  if (findings.length > 0) throw new Error(`${findings.length} findings\n${findings.join('\n')}`)
  return `${reported} reported, ${harmless} harmless, none silent`
})

await soak(
  'cluster',
  `${CLUSTER_KILLS} accidents of each kind in the middle of runs of a cluster`,
  async () => {
    const { ACCIDENTS, survive } = await import('../tests/cluster-host/chaos.ts')
    let interrupted = 0
    for (const accident of Object.values(ACCIDENTS)) interrupted += await survive(accident, CLUSTER_KILLS)
    return `every run ended as without it, nothing was done twice; ${interrupted} writes were interrupted`
  },
)

await soak('gguf', 'local model files with the real llama.cpp', async () => {
  const { installLlama } = await import('../tests/soak/gguf/install-llama.ts')
  const folder = installLlama()
  await vitest(['tests/soak/gguf'], { THINKON_LLAMA: folder })
  return `all tests passed with ${folder}`
})

await soak(
  'package',
  'the packed package under the oldest and the newest Node of each supported line',
  async () => {
    const { packageUnderOtherNodes } = await import('../tests/soak/package-under-nodes.ts')
    return packageUnderOtherNodes(['22.18.0', '22', '24.0.0', '24', '26.0.0', '26'])
  },
)

await soak('bundlers', 'the packed package in bundles of webpack, Rollup and Next.js', async () => {
  const { bundlers } = await import('../tests/soak/bundlers.ts')
  return bundlers()
})

await soak('inspector', "the MCP inspector's command line", async () => {
  const { mcpInspector } = await import('../tests/soak/mcp-inspector.ts')
  return mcpInspector()
})

await soak('expand', 'inputs that expand, for every parser, in processes with a small heap', async () => {
  const { expand } = await import('../tests/soak/expand.ts')
  const { findings, inputs, slowest } = await expand()
  if (findings.length > 0) throw new Error(`${findings.length} findings\n${findings.join('\n')}`)
  return `${inputs} inputs, the slowest ${slowest}`
})

await soak('patterns', 'every regular expression of the code on texts of its alphabet', async () => {
  const { scanPatterns } = await import('../tests/soak/patterns.ts')
  const { findings, count } = await scanPatterns()
  if (findings.length > 0) throw new Error(`${findings.length} findings\n${findings.join('\n')}`)
  return `${count} expressions`
})

await soak('serve', `${SERVE_REQUESTS} requests of seed ${seed} for the service`, async () => {
  const { serveToFuzz } = await import('../tests/server/fuzz-service.ts')
  const { endAll } = await import('../tests/server/serve-here.ts')
  const { findings, statuses } = await serveToFuzz(SERVE_REQUESTS, String(seed)).finally(endAll)
  if (findings.length > 0) throw new Error(`${findings.length} findings\n${findings.join('\n')}`)
  return `none answered with 500, none left without an answer: ${JSON.stringify(statuses)}`
})

await soak('tests', 'the tests with all their repetitions, at a seed of their own', async () => {
  await vitest([], { THINKON_THOROUGH: '1', THINKON_PROPERTY_SEED: String(seed) })
  return `nothing found at seed ${seed}`
})

process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function soak(id: string, name: string, work: () => Promise<string>): Promise<void> {
  if (!only.includes(id)) return
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

async function vitest(files: string[], env: Record<string, string>): Promise<void> {
  const program = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [program, 'run', '--testTimeout=3600000', ...files], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  if (code !== 0) throw new Error(`${set.join(' ')} npx vitest run ${files.join(' ')} finds something`)
}

function seconds(start: number): string {
  return `${((Date.now() - start) / 1000).toFixed(0)} s`
}
