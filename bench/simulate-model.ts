/** How much of each part of a cluster a load uses, what breaks first, and what to change then. */
import type { Parameters } from './simulate.ts'

export interface Load {
  readonly workers: number
  readonly runs: number
}

/** What can be changed without a change of the runs. */
export interface Deployment {
  /** Each run is in one of them, by its id. */
  readonly databases: number
  /** A pooler (pgbouncer, transactions) in front of each database, for all connections but those with locks or LISTEN. */
  readonly pooler: boolean
  /** Connections of each worker with locks or LISTEN: three, or one for all of it. */
  readonly sessions: number
  /** Whoever follows a run live asks one of a few servers, which follow for all. */
  readonly gateways: boolean
  /** What a process hears: every run's changes, or those of the runs that it watches. */
  readonly ear: 'all' | 'own'
  /** How many slots of a provider a worker takes at a time. */
  readonly slotLease: number
  readonly checkpointMin: number
  readonly retentionDays: number
}

/** As `thinkon cluster dev` has it, on a large machine. */
export const SIMPLEST: Deployment = {
  databases: 1,
  pooler: false,
  sessions: 3,
  gateways: false,
  ear: 'all',
  slotLease: 1,
  checkpointMin: 5,
  retentionDays: 365,
}

export type Part =
  | 'notifications'
  | 'connections'
  | "a provider's lock"
  | 'the log (WAL)'
  | 'the processors'
  | 'memory'
  | 'disk'

export interface Use {
  /** Of what it can do; above the headroom its queue grows. */
  readonly used: number
  readonly text: string
}

export function stepsPerS({ runs }: Load, { busyShare, callS }: Parameters): number {
  return (runs * busyShare) / callS
}

/** Of one database, where there are several: each has its share of the runs, and connections to all workers. */
export function utilisation(load: Load, deployment: Deployment, given: Parameters): Record<Part, Use> {
  const p = given
  const { databases, pooler, sessions, gateways, ear, slotLease, checkpointMin, retentionDays } = deployment
  const steps = stepsPerS(load, p)
  const share = steps / databases
  const followers = gateways ? FOLLOWING_SERVERS : scaled(p.followers, load, p)
  const listeners = load.workers + followers

  const tells = Math.min(share * p.commitsPerStep, load.workers * p.tellsPerWorkerS)
  const heard = ear === 'all' ? listeners : 1 + scaled(p.followers, load, p) / load.runs
  const tellMs = tells * p.notifyCpuMs
  const hearMs = tells * heard * p.heardCpuMs

  const pooled = load.workers * p.poolPerWorker + followers
  const connections =
    load.workers * sessions + followers + (pooler ? Math.min(pooled, 4 * p.databaseCores) : pooled)

  const slotMs = (steps * p.limitedShare * p.slotCpuMs) / slotLease
  const pollMs = (listeners * p.pollsPerS * p.pollCpuMs) / databases
  const stepMs = share * p.commitsPerStep * p.commitCpuMs + slotMs / databases
  const cpuMs = stepMs + pollMs + tellMs
  const images = imagesPerS(load, deployment, p)
  const logMb = (share * p.walBytesPerStep + images * PAGE) / 1e6
  const storedTb = (share * p.storedBytesPerStep * 86_400 * retentionDays) / 1e12
  const hotGb = ((load.runs / databases) * p.pagesPerStep * PAGE) / 1e9
  const memoryGb = (connections * p.connectionMb) / 1e3 + hotGb

  const use = (used: number, text: string): Use => ({ used, text })
  return {
    // Commits that notify are made one after the other; those who hear do so on all cores.
    notifications: use(
      Math.max(tellMs / 1e3, hearMs / 1e3 / p.databaseCores),
      `${whole(tells)} a second, each heard by ${whole(heard)} processes`,
    ),
    connections: use(connections / p.databaseConnections, `${whole(connections)} at one database`),
    "a provider's lock": use(slotMs / 1e3, `${whole(steps * p.limitedShare)} calls a second`),
    'the log (WAL)': use(
      logMb / p.walMbPerS,
      `${whole(logMb)} MB a second, ${whole((100 * images * PAGE) / (logMb * 1e6))} % of it page images (checkpoints every ${checkpointMin} min)`,
    ),
    'the processors': use(cpuMs / 1e3 / p.databaseCores, `${whole(cpuMs / 1e3)} of ${p.databaseCores} cores`),
    memory: use(
      memoryGb / p.databaseGb,
      `${whole(memoryGb)} GB, ${whole(hotGb)} of them the last pages of open runs`,
    ),
    disk: use(storedTb / p.databaseTb, `${storedTb.toFixed(1)} TB after ${retentionDays} days`),
  }
}

const PAGE = 8_192
const FOLLOWING_SERVERS = 20

/** Pages are logged whole when they are first changed after a checkpoint. With many open runs almost each change is the first. */
function imagesPerS(load: Load, { databases, checkpointMin }: Deployment, p: Parameters): number {
  const pages = (load.runs / databases) * p.pagesPerStep
  const changes = (stepsPerS(load, p) / databases) * p.pagesPerStep * checkpointMin * 60
  return (pages * (1 - Math.exp(-changes / pages))) / (checkpointMin * 60)
}

interface Remedy {
  readonly text: string
  /** Null if it has been applied already. */
  change(now: Deployment): Deployment | null
}

const MORE_DATABASES: Remedy = {
  text: 'several databases, each with a share of the runs',
  change: (now) => ({ ...now, databases: now.databases * 2 }),
}

/** In the order in which they are applied. */
const REMEDIES: Record<Part, readonly Remedy[]> = {
  notifications: [
    {
      text: 'a channel for each run, so that a process hears only what it watches',
      change: (now) => (now.ear === 'all' ? { ...now, ear: 'own' } : null),
    },
    MORE_DATABASES,
  ],
  connections: [
    {
      text: 'a pooler (pgbouncer) for everything but locks and LISTEN',
      change: (now) => (now.pooler ? null : { ...now, pooler: true }),
    },
    {
      text: 'one connection of each worker for lock, ear and slots',
      change: (now) => (now.sessions > 1 ? { ...now, sessions: 1 } : null),
    },
    {
      text: 'servers that follow runs for all who look',
      change: (now) => (now.gateways ? null : { ...now, gateways: true }),
    },
  ],
  "a provider's lock": [
    {
      text: 'workers take slots by the dozen and give them out themselves',
      change: (now) => ({ ...now, slotLease: now.slotLease === 1 ? 12 : now.slotLease * 2 }),
    },
  ],
  'the log (WAL)': [
    {
      text: 'checkpoints every 30 minutes',
      change: (now) => (now.checkpointMin < 30 ? { ...now, checkpointMin: 30 } : null),
    },
    MORE_DATABASES,
  ],
  'the processors': [MORE_DATABASES],
  memory: [MORE_DATABASES],
  disk: [
    {
      text: 'runs that have ended are deleted earlier (thinkon prune), after an export where they are needed',
      change: (now) => ({ ...now, retentionDays: Math.ceil(now.retentionDays / 2) }),
    },
  ],
}

export interface Break {
  readonly part: Part
  readonly used: number
  /** With how many workers, and as many runs of each, it is full. */
  readonly atWorkers: number
  readonly remedy: string
  /** With the remedy. */
  readonly deployment: Deployment
}

/** What breaks first, with what is to be changed, and so on until the load is carried. */
export function* breaks(load: Load, deployment: Deployment, p: Parameters): Generator<Break> {
  let now = deployment
  for (let first = firstToBreak(load, now, p); first !== null; first = firstToBreak(load, now, p)) {
    const { part } = first
    const remedy = REMEDIES[part].find(({ change }) => change(now) !== null)
    if (remedy === undefined) throw new Error(`nothing is known that helps ${part}`)
    const isFull = () => utilisation(load, now, p)[part].used > p.headroom
    for (let next = remedy.change(now); next !== null && isFull(); next = remedy.change(now)) now = next
    yield { ...first, remedy: remedy.text, deployment: now }
  }
}

/** The one that is full with the fewest workers. */
function firstToBreak(
  load: Load,
  deployment: Deployment,
  p: Parameters,
): Pick<Break, 'part' | 'used' | 'atWorkers'> | null {
  const parts = Object.keys(utilisation(load, deployment, p)) as Part[]
  const found = parts
    .map((part) => ({
      part,
      used: utilisation(load, deployment, p)[part].used,
      atWorkers: fullAt(part, load, deployment, p),
    }))
    .filter(({ used }) => used > p.headroom)
    .sort((a, b) => a.atWorkers - b.atWorkers)
  return found[0] ?? null
}

function fullAt(part: Part, load: Load, deployment: Deployment, p: Parameters): number {
  const perWorker = load.runs / load.workers
  let [fits, breaks] = [0, load.workers]
  while (breaks - fits > 1) {
    const workers = Math.floor((fits + breaks) / 2)
    const { used } = utilisation({ workers, runs: workers * perWorker }, deployment, p)[part]
    if (used > p.headroom) breaks = workers
    else fits = workers
  }
  return breaks
}

/** What goes with the number of runs. */
function scaled(value: number, { runs }: Load, p: Parameters): number {
  return (value * runs) / p.runs
}

function whole(value: number): string {
  return (value < 10 ? Number(value.toFixed(1)) : Math.round(value)).toLocaleString('en')
}
