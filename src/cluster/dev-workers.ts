/**
 * A cluster on this machine, in one folder: PostgreSQL, and workers that take whole runs. Whatever ends is started again; all of it ends with
 * this process, however that happens, and continues from the same state at the next start.
 */
import { join } from 'node:path'
import { devClusterFile, devClusterFolder } from '../config/cluster-settings.ts'
import { makeFolders, replaceFile } from '../files/private-files.ts'
import { openState } from '../files/state-folder.ts'
import { ThinkonError } from '../protocol/errors.ts'
import { holdFolder, MOST_WORKERS, postgresFolder } from './dev-folder.ts'
import { endLeftover, type Guarded, startGuarded } from './guarded.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { type Supervised, supervise } from './supervise.ts'

const DRAIN_MS = 60_000
/** Of calls under way, when all of it ends. */
const LAST_DRAIN_MS = 3_000
/** The exit code of wrong usage, which a restart does not fix. */
const USAGE = 2

export interface DevWorkersOptions {
  readonly workspace: string
  /** Default: 3. */
  readonly workers?: number
  /** How a worker is started, such as `['node', 'thinkon.js', 'cluster', 'worker']`. */
  readonly worker: readonly [string, ...string[]]
  readonly env?: NodeJS.ProcessEnv
  /** Gets what the parts print, a line each. */
  readonly say?: (part: string, line: string) => void
}

export interface RunningWorkers {
  readonly folder: string
  readonly postgres: string
  readonly server: PostgresServer
  readonly workers: readonly DevWorker[]
  /** One after another, each drained before it ends. */
  restartWorkers(): Promise<void>
  end(): Promise<void>
}

export async function startDevWorkers(options: DevWorkersOptions): Promise<RunningWorkers> {
  const { workspace, workers: count = 3, say = () => {} } = options
  const folder = openState(devClusterFolder(workspace))
  const ends: (() => unknown)[] = [holdFolder(folder)]
  const end = async () => {
    for (const one of ends.splice(0).reverse()) await one()
  }
  try {
    say('cluster', `starts in ${folder}`)
    const data = postgresFolder(folder)
    await endLeftover(data)
    for (let at = 1; at <= MOST_WORKERS; at++) await endLeftover(workerFolder(folder, at))
    const server = await startPostgresServer({ folder: data })
    ends.push(() => server.end())
    const supervised = await supervise(postgresPart(server, say))
    ends.push(() => supervised.release())
    replaceFile(devClusterFile(workspace), `${JSON.stringify({ postgres: server.url })}\n`)
    const workers = Array.from({ length: count }, (_, at) => new DevWorker(at + 1, folder, options))
    ends.push(() => Promise.all(workers.map((worker) => worker.end())))
    await Promise.all(workers.map((worker) => worker.begin()))
    return {
      ...{ folder, postgres: server.url, server, workers, end },
      async restartWorkers() {
        for (const worker of workers) await worker.restart()
      },
    }
  } catch (thrown) {
    await end()
    throw thrown
  }
}

function workerFolder(folder: string, number: number): string {
  return join(folder, `worker-${number}`)
}

function postgresPart(server: PostgresServer, say: (part: string, line: string) => void) {
  let isNew = true
  return {
    say: (line: string) => say('postgres', line),
    async start() {
      if (!isNew) await server.restart()
      isNew = false
      return { ended: server.ended() }
    },
  }
}

export class DevWorker {
  readonly name: string
  private readonly folder: string
  private readonly options: DevWorkersOptions
  private process: Guarded | undefined
  private supervised: Supervised | undefined
  /** Its last lines, for one that does not start. */
  private lines: string[] = []
  private serving = Promise.withResolvers<void>()

  constructor(number: number, folder: string, options: DevWorkersOptions) {
    this.name = `worker ${number}`
    this.folder = workerFolder(folder, number)
    this.options = options
  }

  pid(): number | undefined {
    return this.process?.pid()
  }

  /** Resolves when runs are assigned to it. Throws if it can't be used. */
  async begin(): Promise<void> {
    makeFolders(this.folder)
    this.supervised = await supervise({
      say: (line) => this.options.say?.(this.name, line),
      start: () => this.start(),
    })
    await this.serving.promise
  }

  /** It is drained, ends, and is started again by its supervisor. Resolves when runs are assigned to it again. */
  async restart(): Promise<void> {
    this.serving = Promise.withResolvers()
    await this.process?.end('TERM', DRAIN_MS)
    await this.serving.promise
  }

  async end(): Promise<void> {
    await this.supervised?.release()
    await this.process?.end('TERM', LAST_DRAIN_MS)
  }

  private async start(): Promise<Guarded> {
    const { env = process.env, worker } = this.options
    let open = ''
    const started = await startGuarded({
      command: [...worker, '--json'],
      folder: this.folder,
      env: { ...env, THINKON_CLUSTER: 'dev', THINKON_WORKER_DRAIN_MS: String(DRAIN_MS) },
      onOutput: (text) => {
        const lines = `${open}${text}`.split('\n')
        open = lines.pop() ?? ''
        for (const line of lines) this.hear(line)
      },
    })
    this.process = started
    void started.ended.then((code) => {
      if (code === USAGE) this.serving.reject(notStarted(this.lines))
    })
    return started
  }

  private hear(line: string): void {
    this.lines = [...this.lines, line].slice(-5)
    const { state, text = line } = stateOf(line)
    this.options.say?.(this.name, text)
    if (state === 'serving') this.serving.resolve()
  }
}

/** A line that a worker prints with `--json`. */
function stateOf(line: string): { state?: string; text?: string } {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

function notStarted(lines: readonly string[]): ThinkonError {
  return new ThinkonError('BAD_INPUT', `a worker does not start:\n${lines.join('\n')}`)
}
