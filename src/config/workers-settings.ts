/**
 * Where the runs are that workers take as a whole (`--host cluster`), and how a worker works: from the configuration, the environment, or the
 * cluster that `thinkon cluster dev --host cluster` runs for the folder.
 */
import { join } from 'node:path'
import { readState } from '../files/state-folder.ts'
import { isObject, parseJson, ThinkonError } from '../protocol/index.ts'
import { devClusterFolder } from './cluster-settings.ts'
import type { ThinkonConfig } from './config.ts'
import { type Environment, fillVariables } from './fill-variables.ts'

const DRAIN_MS = 60_000

export interface WorkersSettings {
  /** A connection string. */
  readonly postgres: string
  /** Of the configuration and its code; '' if it has none. */
  readonly version: string
  /** Runs that a worker executes at once; undefined: the default. */
  readonly runs?: number
  readonly drainMs: number
}

interface Given {
  readonly config: ThinkonConfig
  readonly workspace: string
  readonly env?: Environment
}

/** Throws BAD_INPUT if no database is named. */
export function workersSettings({ config, workspace, env = process.env }: Given): WorkersSettings {
  const { cluster = {} } = config
  const given =
    env.THINKON_CLUSTER === 'dev'
      ? (devPostgres(workspace) ?? env.THINKON_POSTGRES)
      : cluster.postgres || env.THINKON_POSTGRES || devPostgres(workspace)
  if (!given)
    throw new ThinkonError(
      'BAD_INPUT',
      'the database of the cluster is not known: set cluster.postgres (THINKON_POSTGRES), or start one here with thinkon cluster dev --host cluster',
      { data: { missing: ['postgres'] } },
    )
  const runs = cluster.runs ?? positive(env.THINKON_WORKER_RUNS)
  return {
    postgres: fillVariables(given, env, 'cluster.postgres'),
    version: cluster.version ?? env.THINKON_WORKER_VERSION ?? '',
    ...(runs !== undefined && { runs }),
    drainMs: cluster.drainMs ?? positive(env.THINKON_WORKER_DRAIN_MS) ?? DRAIN_MS,
  }
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text || Number.NaN)
  return value > 0 ? value : undefined
}

/** Tells the commands in this folder where the database of its cluster is. */
export function devWorkersFile(workspace: string): string {
  return join(devClusterFolder(workspace), 'workers.json')
}

function devPostgres(workspace: string): string | undefined {
  const read = parseJson(readState(devWorkersFile(workspace)) ?? '')
  return isObject(read) && typeof read.postgres === 'string' ? read.postgres : undefined
}
