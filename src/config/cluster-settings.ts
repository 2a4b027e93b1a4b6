/**
 * Where the runs of a cluster are, and how a worker works: from the configuration, the environment, or the cluster that `thinkon cluster dev`
 * runs for the folder (before all others with THINKON_CLUSTER=dev). A connection string has a password in it: it is never given as an
 * option, and is in no message.
 */
import { join } from 'node:path'
import { readState, workspaceState } from '../files/state-folder.ts'
import { isObject, parseJson, ThinkonError } from '../protocol/index.ts'
import type { ThinkonConfig } from './config.ts'
import { type Environment, fillVariables } from './fill-variables.ts'

export const HOSTS = ['local', 'cluster'] as const
export type HostName = (typeof HOSTS)[number]

const DRAIN_MS = 60_000

export interface ClusterSettings {
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

/** `option` is the value of --host. */
export function chooseHost(
  option: string | undefined,
  config: ThinkonConfig,
  env: Environment = process.env,
): HostName {
  const chosen = option ?? config.host ?? (env.THINKON_HOST || undefined) ?? 'local'
  const found = HOSTS.find((name) => name === chosen)
  if (found !== undefined) return found
  const where = option === undefined ? 'THINKON_HOST' : '--host'
  const hint = chosen === 'restate' ? ': clusters need no Restate any more, use --host cluster' : ''
  throw new ThinkonError('BAD_INPUT', `${where} must be ${HOSTS.join(' or ')}, not "${chosen}"${hint}`)
}

/** Throws BAD_INPUT if no database is named. */
export function clusterSettings({ config, workspace, env = process.env }: Given): ClusterSettings {
  const { cluster = {} } = config
  const given =
    env.THINKON_CLUSTER === 'dev'
      ? (devPostgres(workspace) ?? env.THINKON_POSTGRES)
      : cluster.postgres || env.THINKON_POSTGRES || devPostgres(workspace)
  if (!given)
    throw new ThinkonError(
      'BAD_INPUT',
      'the database of the cluster is not known: set cluster.postgres (THINKON_POSTGRES), or start one here with thinkon cluster dev',
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

/** What `thinkon cluster dev` keeps for a workspace: in the state folder, because a repository could bring addresses of other machines. */
export function devClusterFolder(workspace: string): string {
  return join(workspaceState(workspace), 'cluster')
}

/** Has the address of the cluster's database, for the commands in this folder. */
export function devClusterFile(workspace: string): string {
  return join(devClusterFolder(workspace), 'cluster.json')
}

function devPostgres(workspace: string): string | undefined {
  const read = parseJson(readState(devClusterFile(workspace)) ?? '')
  return isObject(read) && typeof read.postgres === 'string' ? read.postgres : undefined
}
