/**
 * A cluster on this machine, in one folder: a Restate server, PostgreSQL, and workers behind a balancer. Whatever ends is started again;
 * all of it ends with this process, however that happens, and goes on from the same state at the next start.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type DevCluster, devClusterFile, devClusterFolder } from '../config/cluster-settings.ts'
import { makeFolders, replaceFile } from '../files/private-files.ts'
import { openState } from '../files/state-folder.ts'
import { ThinkonError } from '../protocol/errors.ts'
import { type Balancer, openBalancer } from './balancer.ts'
import { holdFolder, holdPorts, MOST_WORKERS, postgresFolder } from './dev-folder.ts'
import { endLeftover, type Guarded, startGuarded } from './guarded.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { type RestateServer, startRestateServer } from './restate-server.ts'
import { type Supervised, supervise } from './supervise.ts'

/** Of what a worker has begun, when all of it ends. */
const LAST_DRAIN_MS = 3_000
const DRAIN_MS = 60_000
const LOOK_MS = 50
/** The exit code of wrong usage, which no restart mends. */
const USAGE = 2

export interface DevOptions {
  readonly workspace: string
  readonly workers?: number
  /** How a worker is started, such as `['node', 'thinkon.js', 'worker']`. */
  readonly worker: readonly [string, ...string[]]
  readonly env?: NodeJS.ProcessEnv
  /** Settings of PostgreSQL. */
  readonly postgres?: Readonly<Record<string, string>>
  /** Gets what the parts say, a line each. */
  readonly say?: (part: string, line: string) => void
}

export interface RunningCluster extends DevCluster {
  readonly folder: string
  /** Where the workers are registered, without their version. */
  readonly address: string
  readonly workers: readonly DevWorker[]
  readonly servers: { readonly restate: RestateServer; readonly postgres: PostgresServer }
  /** Resolves when all workers are given work, and the server knows where they are. */
  served(): Promise<void>
  /** One after another, each drained before it ends. */
  restartWorkers(): Promise<void>
  end(): Promise<void>
}

export interface DevWorker {
  readonly name: string
  pid(): number | undefined
}

export async function startDevCluster(options: DevOptions): Promise<RunningCluster> {
  const { workspace, workers: count = 3, say = () => {} } = options
  const folder = openState(devClusterFolder(workspace))
  const release = holdFolder(folder)
  const ends: (() => unknown)[] = [release]
  const end = async () => {
    for (const one of ends.splice(0).reverse()) await one()
  }
  try {
    say('cluster', `starts in ${folder}`)
    const folders = [
      postgresFolder(folder),
      join(folder, 'restate'),
      ...range(MOST_WORKERS).map((at) => workerFolder(folder, at)),
    ]
    for (const of of folders) await endLeftover(of)
    const { ports, release: releasePorts } = await holdPorts(folder, count)
    ends.push(releasePorts)
    const postgres = await keep(ends, 'postgres', say, () =>
      startPostgresServer({
        folder: postgresFolder(folder),
        port: ports.postgres,
        ...(options.postgres && { settings: options.postgres }),
      }),
    )
    const restate = await keep(ends, 'restate', say, () =>
      startRestateServer({ folder: join(folder, 'restate'), ports }),
    )
    const balancer = await openBalancer({ port: ports.balancer, workers: ports.workers })
    ends.push(() => balancer.close())
    const addresses = { ingress: restate.ingress, admin: restate.admin, postgres: postgres.url }
    replaceFile(devClusterFile(workspace), `${JSON.stringify(addresses, null, 2)}\n`)
    const address = `http://127.0.0.1:${balancer.port}`
    const workers = ports.workers.map(
      (port, at) => new WorkerProcess(`worker ${at + 1}`, port, workerFolder(folder, at), options, address),
    )
    ends.push(() => Promise.all(workers.map((worker) => worker.end())))
    await Promise.all(workers.map((worker) => worker.begin()))
    const served = () => untilServed(workers, balancer, restate.admin, address)
    await served()
    return {
      ...addresses,
      folder,
      address,
      workers,
      servers: { restate, postgres },
      served,
      async restartWorkers() {
        for (const worker of workers) {
          await worker.restart()
          await until(() => balancer.healthy().includes(worker.port))
        }
      },
      end,
    }
  } catch (thrown) {
    await end()
    throw thrown
  }
}

function workerFolder(folder: string, at: number): string {
  return join(folder, `worker-${at + 1}`)
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

/** Starts a server and restarts it whenever it ends. */
async function keep<Server extends PostgresServer | RestateServer>(
  ends: (() => unknown)[],
  name: string,
  say: (part: string, line: string) => void,
  open: () => Promise<Server>,
): Promise<Server> {
  const server = await open()
  ends.push(() => server.end())
  let isNew = true
  const supervised = await supervise({
    say: (line) => say(name, line),
    async start() {
      if (!isNew) await server.restart()
      isNew = false
      return { ended: server.ended() }
    },
  })
  ends.push(() => supervised.release())
  return server
}

class WorkerProcess implements DevWorker {
  readonly name: string
  readonly port: number
  private readonly folder: string
  private readonly options: DevOptions
  private readonly address: string
  private process: Guarded | undefined
  private supervised: Supervised | undefined
  /** What it said last, for one that does not start. */
  private said: string[] = []

  constructor(name: string, port: number, folder: string, options: DevOptions, address: string) {
    this.name = name
    this.port = port
    this.folder = folder
    this.options = options
    this.address = address
  }

  pid(): number | undefined {
    return this.process?.pid()
  }

  async begin(): Promise<void> {
    makeFolders(this.folder)
    this.supervised = await supervise({
      say: (line) => this.options.say?.(this.name, line),
      start: () => this.start(),
    })
  }

  private async start(): Promise<Guarded> {
    const { env = process.env, worker } = this.options
    let open = ''
    this.process = await startGuarded({
      command: worker,
      folder: this.folder,
      env: {
        ...env,
        THINKON_CLUSTER: 'dev',
        THINKON_WORKER_ADDRESS: this.address,
        THINKON_WORKER_LISTEN: `127.0.0.1:${this.port}`,
        THINKON_WORKER_DRAIN_MS: String(DRAIN_MS),
      },
      onOutput: (text) => {
        const lines = `${open}${text}`.split('\n')
        open = lines.pop() ?? ''
        for (const line of lines) this.options.say?.(this.name, line)
        this.said = [...this.said, ...lines].slice(-5)
      },
    })
    return this.process
  }

  /** Throws if it has ended because it can't be used. */
  async check(): Promise<void> {
    if (!this.process?.hasEnded() || (await this.process.ended) !== USAGE) return
    throw new ThinkonError('BAD_INPUT', `a worker does not start:\n${this.said.join('\n')}`)
  }

  /** It is drained, ends, and is started again by its supervisor. */
  async restart(): Promise<void> {
    await this.process?.end('TERM', DRAIN_MS)
  }

  async end(): Promise<void> {
    await this.supervised?.release()
    await this.process?.end('TERM', LAST_DRAIN_MS)
  }
}

async function untilServed(
  workers: readonly WorkerProcess[],
  balancer: Balancer,
  admin: string,
  address: string,
): Promise<void> {
  await until(async () => {
    for (const worker of workers) await worker.check()
    return balancer.healthy().length === workers.length && (await isRegistered(admin, address))
  })
}

async function isRegistered(admin: string, address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${admin}/deployments`)
    return (await answer.text()).includes(`${address}/`)
  } catch {
    return false
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(LOOK_MS)
}
