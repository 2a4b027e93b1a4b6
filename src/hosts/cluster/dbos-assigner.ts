/**
 * DBOS Transact assigns due runs to workers: https://docs.dbos.dev. Its tables are in the schema `thinkon_dbos` of the same database.
 *
 * 1. Workers of one kind take from one queue. An offer is a workflow that ends as soon as the run is owned, so that a worker takes a few runs
 *    at a time and nothing while it is busy: DBOS itself would fill a worker up to its limit at once.
 * 2. Offers of one run are one: its id is the workflow's deduplication id.
 * 3. A process can be one worker only: DBOS has one instance in a process.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { orMissing } from '../../kernel/optional-package.ts'
import { ThinkonError } from '../../protocol/index.ts'
import type { Assigner, AssignerOptions } from './assigner.ts'

const SCHEMA = 'thinkon_dbos'
const WORKFLOW = 'takeRun'
/** Runs that a worker takes at once. */
const TAKES = 2
const POLL_MS = 200
const CONNECTIONS = 3
/** The same problem is reported once in this time. */
const SAY_AGAIN_MS = 60_000
const MAX_SAID = 100
/** DBOS keeps a row of each offer: those that are done are deleted. */
const CLEAN_MS = 30_000
const CLEAN_ROWS = 1_000

type Package = typeof import('@dbos-inc/dbos-sdk')

export async function dbosAssigner(options: AssignerOptions): Promise<Assigner> {
  const { worker, kind, take, alone } = options
  const { DBOS, Error: errors } = await openPackage()
  if (DBOS.isInitialized())
    throw new ThinkonError(
      'BAD_INPUT',
      'this process is a worker, or uses DBOS, already: one worker a process',
    )
  const pool = await openPool(options)
  let isReady = false
  const launch = async (runMigrations: boolean) => {
    DBOS.setConfig({
      name: 'thinkon',
      systemDatabasePool: pool,
      systemDatabaseSchemaName: SCHEMA,
      executorID: worker,
      applicationVersion: kind,
      listenQueues: [queueOf(kind)],
      useListenNotify: false,
      runMigrations,
      logger: loggerOf(options, () => isReady || runMigrations),
    })
    await DBOS.launch()
  }
  // A run outlives the workflow that took it, and must not be part of it.
  const outside = AsyncLocalStorage.snapshot()
  DBOS.registerWorkflow((run: string) => outside(() => take(run)), { name: WORKFLOW })
  // Its migrations must not run twice at once.
  await launch(false).catch(() => alone(() => launch(true)))
  await DBOS.registerQueue(queueOf(kind), {
    workerConcurrency: TAKES,
    minPollingIntervalMs: POLL_MS,
    onConflict: 'always_update',
  })
  isReady = true
  const cleaning = setInterval(() => void clean().catch(() => {}), CLEAN_MS).unref()

  async function clean(): Promise<void> {
    const ended = { executorId: worker, status: ['SUCCESS' as const, 'ERROR' as const] }
    const done = await DBOS.listWorkflows({ ...ended, limit: CLEAN_ROWS, loadInput: false })
    if (done.length > 0) await DBOS.deleteWorkflows(done.map(({ workflowID }) => workflowID))
  }

  return {
    async offer(run, toKind) {
      try {
        const queued = { queueName: queueOf(toKind), appVersion: toKind, deduplicationID: run }
        await DBOS.enqueueWorkflowWithOptions(
          { workflowName: WORKFLOW, workflowID: randomUUID(), ...queued },
          run,
        )
      } catch (thrown) {
        if (!(thrown instanceof errors.DBOSQueueDuplicatedError)) throw thrown
      }
    },
    async recover(workers) {
      for (const executorId of workers) {
        const begun = await DBOS.listWorkflows({ executorId, status: 'PENDING' })
        for (const { workflowID, queueName } of begun)
          await DBOS.resumeWorkflow(workflowID, queueName === undefined ? {} : { queueName })
      }
    },
    async close() {
      clearInterval(cleaning)
      await DBOS.shutdown({ workflowCompletionTimeoutMS: 10_000, deregister: true })
      await pool.end()
    },
  }
}

function queueOf(kind: string): string {
  return `runs-${kind}`
}

async function openPackage(): Promise<Package> {
  return orMissing(
    '@dbos-inc/dbos-sdk',
    () => import('@dbos-inc/dbos-sdk'),
    (advice, data) => new ThinkonError('BAD_INPUT', `a worker ${advice}`, { data }),
  )
}

/** A separate pool, because DBOS sets options of new sessions in a way that `pg` warns of. */
async function openPool({ postgres }: AssignerOptions): Promise<Pool> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: postgres,
    max: CONNECTIONS,
    keepAlive: true,
    application_name: 'thinkon worker',
    options: '-c idle_in_transaction_session_timeout=5000',
  })
  // An idle connection that breaks is replaced when it is needed.
  pool.on('error', () => {})
  return pool
}

/** DBOS warns while the database is away, and goes on when it is back. */
function loggerOf({ warn }: AssignerOptions, isReady: () => boolean) {
  const saidMs = new Map<string, number>()
  const say = (entry: unknown) => {
    const problem = entry instanceof Error ? entry.message : String(entry)
    const now = performance.now()
    if (!isReady() || now - (saidMs.get(problem) ?? -SAY_AGAIN_MS) < SAY_AGAIN_MS) return
    if (saidMs.size > MAX_SAID) saidMs.clear()
    saidMs.set(problem, now)
    warn(problem)
  }
  return { debug() {}, info() {}, warn: say, error: say }
}
