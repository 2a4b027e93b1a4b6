/**
 * A cluster of 1,000 workers with 1,000,000 open runs, on paper: what each part of it would have to do, from what its parts cost. Nothing
 * is measured here and nothing is random but by a seed, so that the same table comes out each time.
 */
import type { Figures } from './index.ts'
import { breaks, type Deployment, type Load, SIMPLEST, utilisation } from './simulate-model.ts'
import { simulateOutage } from './simulate-outage.ts'

export const about = 'a cluster of 1,000 workers and 1,000,000 open runs, on paper'

/** What it is computed from: value, unit, and where the value is from. Change one, and see what breaks first then. */
export const PARAMETERS = {
  // The load.
  workers: [1_000, 'processes', 'the question'],
  runs: [1_000_000, 'open runs', 'the question'],
  busyShare: [
    0.02,
    'of the open runs have a call under way; the others wait for a person or a time',
    'assumed',
  ],
  callS: [6, 'seconds a call of a model or a tool takes', 'assumed'],
  followers: [2_000, 'processes that follow a run live', 'assumed'],
  limitedShare: [1, 'of the calls go to one provider with a limit that is shared', 'assumed, the worst case'],
  // What a step costs.
  commitsPerStep: [2, 'transactions: its start with all that was gathered, its end', 'hosts/local'],
  commitCpuMs: [0.85, "of PostgreSQL's CPU for a transaction on a run", 'bench simulate-costs'],
  slotCpuMs: [
    1.4,
    'for a slot, taken and given back, under the lock of its provider',
    'bench simulate-costs',
  ],
  walBytesPerStep: [5_600, 'bytes that are logged, without page images', 'bench simulate-costs'],
  pagesPerStep: [
    5,
    'pages that a step of one run touches and no other run does',
    'tables and indexes of schema.ts',
  ],
  storedBytesPerStep: [5_000, 'bytes of tables and indexes', 'as many as are logged, about'],
  // What is paid without any step.
  poolPerWorker: [10, 'connections of its pool', 'store/postgres/connect.ts'],
  connectionMb: [1.8, 'MB of its own, idle', 'bench simulate-costs; a busy one has up to 10'],
  connectCpuMs: [8.6, 'to make a connection', 'bench simulate-costs'],
  notifyCpuMs: [0.14, 'a notification', 'bench simulate-costs'],
  heardCpuMs: [0.045, 'for each process that listens', 'bench simulate-costs, 0 against 100 listeners'],
  tellsPerWorkerS: [
    100,
    'notifications a second at most: many commits are told at once',
    'store/postgres/watch.ts',
  ],
  pollsPerS: [1, 'a second, of whoever listens', 'store/postgres/watch.ts'],
  pollCpuMs: [
    0.1,
    'a look at the versions of some runs',
    'bench simulate-costs, an empty statement and its rows',
  ],
  // The machines.
  databaseCores: [32, 'cores of a database server', 'assumed'],
  databaseGb: [256, 'GB of memory', 'assumed'],
  databaseConnections: [5_000, 'connections that it serves well', 'assumed'],
  walMbPerS: [400, 'MB a second that its disk logs', 'assumed'],
  databaseTb: [20, 'TB of disk', 'assumed'],
  headroom: [0.7, 'of a part may be used: more, and its queues grow', 'assumed'],
} as const satisfies Record<string, readonly [number, string, string]>

export type Parameters = Readonly<Record<keyof typeof PARAMETERS, number>>

export const parameters = Object.fromEntries(
  Object.entries(PARAMETERS).map(([name, [value]]) => [name, value]),
) as Parameters

export async function run(): Promise<Figures> {
  const load: Load = { workers: parameters.workers, runs: parameters.runs }
  const rounds = [...breaks(load, SIMPLEST, parameters)]
  const last = rounds.at(-1)?.deployment ?? SIMPLEST
  const outage = simulateOutage(load, last, parameters)
  const outageBefore = simulateOutage({ workers: 3, runs: 3_000 }, SIMPLEST, parameters)
  return {
    figures: { rounds, deployment: last, used: utilisation(load, last, parameters), outage },
    lines: [
      ...parameterLines(),
      '',
      ...rounds.map((round, i) => roundLine(round, i)),
      '',
      `then: ${deploymentText(last)}`,
      ...Object.entries(utilisation(load, last, parameters)).map(
        ([part, { used, text }]) => `  ${part.padEnd(22)} ${percent(used).padStart(6)}  ${text}`,
      ),
      '',
      `every database restarted at once, gone for 5 s: ${outage.text}`,
      `the same with 3 workers and 3,000 runs on one database: ${outageBefore.text}`,
    ],
  }
}

function parameterLines(): string[] {
  return Object.entries(PARAMETERS).map(
    ([name, [value, unit, source]]) =>
      `${name.padEnd(20)} ${value.toLocaleString('en').padStart(9)}  ${unit} (${source})`,
  )
}

type Round = ReturnType<typeof breaks> extends Iterable<infer R> ? R : never

function roundLine({ part, used, atWorkers, remedy }: Round, i: number): string {
  return `${i + 1}. ${part}: ${percent(used)}, full at ${atWorkers.toLocaleString('en')} workers → ${remedy}`
}

function deploymentText(now: Deployment): string {
  const texts = [
    `${now.databases} ${now.databases === 1 ? 'database' : 'databases by run'}`,
    now.pooler && 'a pooler for all but lock connections',
    `${now.sessions} lock ${now.sessions === 1 ? 'connection' : 'connections'} of each worker`,
    now.gateways && 'servers that follow runs for others',
    `a channel for ${now.ear === 'all' ? 'all runs' : 'each run'}`,
    now.slotLease > 1 && `slots in leases of ${now.slotLease}`,
    `checkpoints every ${now.checkpointMin} minutes`,
    `runs kept for ${now.retentionDays} days`,
  ]
  return texts.filter(Boolean).join(', ')
}

function percent(share: number): string {
  return `${Math.round(share * 100).toLocaleString('en')} %`
}
