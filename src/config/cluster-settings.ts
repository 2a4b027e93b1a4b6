/**
 * Where the parts of a cluster are: from the configuration, or the environment, or the cluster that `thinkon cluster dev` runs for the
 * folder (before all others with THINKON_CLUSTER=dev). A connection string has a password in it: it is never given as an option, and is in no message.
 */
import { join } from 'node:path'
import { readState, workspaceState } from '../files/state-folder.ts'
import { defined, isObject, parseJson, ThinkonError } from '../protocol/index.ts'
import { WORKER_CLASS } from '../protocol/model.ts'
import type { ClusterConfig, ThinkonConfig } from './config.ts'
import { type Environment, fillVariables } from './fill-variables.ts'

export const HOSTS = ['local', 'cluster', 'restate'] as const
export type HostName = (typeof HOSTS)[number]

const LISTEN = '127.0.0.1:9080'
const DRAIN_MS = 300_000

export interface ClusterSettings {
  /** Addresses of the Restate server. */
  readonly ingress: string
  readonly admin: string
  /** A connection string. */
  readonly postgres: string
  readonly worker: WorkerSettings
}

export interface WorkerSettings {
  /** Where the Restate server finds the workers, without the version; none: this one alone, where it listens. */
  readonly address?: string
  readonly listen: { readonly host: string; readonly port: number }
  /** Of the configuration and its code; '' if it has none. */
  readonly version: string
  /** The class of workers that it is of. */
  readonly workers?: string
  readonly identityKeys: readonly string[]
  /** Files. */
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly drainMs: number
}

interface Given {
  readonly config: ThinkonConfig
  readonly workspace: string
  readonly env?: Environment
}

/** `option` is what --host says. */
export function chooseHost(
  option: string | undefined,
  config: ThinkonConfig,
  env: Environment = process.env,
): HostName {
  const chosen = option ?? config.host ?? (env.THINKON_HOST || undefined) ?? 'local'
  const found = HOSTS.find((name) => name === chosen)
  if (found !== undefined) return found
  const where = option === undefined ? 'THINKON_HOST' : '--host'
  throw new ThinkonError(
    'BAD_INPUT',
    `${where} must be ${HOSTS.slice(0, -1).join(', ')} or ${HOSTS.at(-1)}, not "${chosen}"`,
  )
}

/** Throws BAD_INPUT, with all that is missing. */
export function clusterSettings({ config, workspace, env = process.env }: Given): ClusterSettings {
  const { cluster = {} } = config
  const from =
    env.THINKON_CLUSTER === 'dev'
      ? { ...defined({ version: cluster.version }), ...devCluster(workspace), ...fromEnvironment(env) }
      : { ...fromEnvironment(env), ...defined(cluster) }
  // All or nothing: the parts belong together.
  const isGiven = ADDRESSES.some((key) => from[key] !== undefined)
  const given = { ...(isGiven ? {} : devCluster(workspace)), ...from }
  const missing = ADDRESSES.filter((key) => !given[key])
  if (missing.length > 0) throw missingAddresses(missing)
  return {
    ingress: address('ingress', given.ingress),
    admin: address('admin', given.admin),
    postgres: fillVariables(given.postgres as string, env, 'cluster.postgres'),
    worker: workerSettings(given),
  }
}

const VARIABLES = {
  ingress: 'THINKON_RESTATE_INGRESS',
  admin: 'THINKON_RESTATE_ADMIN',
  postgres: 'THINKON_POSTGRES',
  address: 'THINKON_WORKER_ADDRESS',
  listen: 'THINKON_WORKER_LISTEN',
  version: 'THINKON_WORKER_VERSION',
  workers: 'THINKON_WORKER_CLASS',
} as const
const ADDRESSES = ['ingress', 'admin', 'postgres'] as const

function fromEnvironment(env: Environment): ClusterConfig {
  const texts = Object.entries(VARIABLES).map(([key, variable]) => [key, env[variable] || undefined])
  const keys = env.THINKON_RESTATE_IDENTITY_KEYS?.split(/[\s,]+/).filter(Boolean)
  const { THINKON_WORKER_TLS_CERT: cert, THINKON_WORKER_TLS_KEY: key } = env
  const drainMs = Number(env.THINKON_WORKER_DRAIN_MS || Number.NaN)
  return defined({
    ...Object.fromEntries(texts),
    identityKeys: keys && keys.length > 0 ? keys : undefined,
    tls: cert && key ? { cert, key } : undefined,
    drainMs: drainMs > 0 ? drainMs : undefined,
  })
}

function workerSettings(given: ClusterConfig): WorkerSettings {
  const {
    address: balancer,
    listen = LISTEN,
    version = '',
    workers,
    identityKeys = [],
    tls,
    drainMs = DRAIN_MS,
  } = given
  const [, host = '', port = ''] = /^(?:(.*):)?(\d+)$/.exec(listen.trim()) ?? []
  if (port === '' || Number(port) > 65_535)
    throw bad(`cluster.listen (${VARIABLES.listen}) must be an address such as 0.0.0.0:9080, not "${listen}"`)
  if (!/^[\w.-]*$/.test(version))
    throw bad(
      `cluster.version (${VARIABLES.version}) is a part of an address: letters, digits, "." and "-" only`,
    )
  if (workers !== undefined && !WORKER_CLASS.test(workers))
    throw bad(
      `cluster.workers (${VARIABLES.workers}) is a part of an address: letters, digits, "_" and "-", at most 32`,
    )
  return {
    ...(workers !== undefined && { workers }),
    ...(balancer !== undefined && { address: address('address', balancer) }),
    listen: { host: host.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port) },
    version,
    identityKeys,
    ...(tls && { tls }),
    drainMs,
  }
}

/** Without a slash at the end. */
function address(key: keyof typeof VARIABLES, text = ''): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw bad(`cluster.${key} (${VARIABLES[key]}) must be an address such as http://host:8080`)
  return text.replace(/(?<!\/)\/+$/, '')
}

// --- the cluster of the folder

/** Tells the commands in this folder where the cluster is. */
export type DevCluster = Pick<ClusterSettings, (typeof ADDRESSES)[number]>

/** What `thinkon cluster dev` keeps for a workspace: in the state folder, because a repository could bring addresses of other machines. */
export function devClusterFolder(workspace: string): string {
  return join(workspaceState(workspace), 'cluster')
}

export function devClusterFile(workspace: string): string {
  return join(devClusterFolder(workspace), 'cluster.json')
}

function devCluster(workspace: string): Partial<DevCluster> {
  const read = parseJson(readState(devClusterFile(workspace)) ?? '')
  return isObject(read) ? Object.fromEntries(ADDRESSES.map((key) => [key, read[key]])) : {}
}

function missingAddresses(missing: readonly (keyof typeof VARIABLES)[]): ThinkonError {
  const names = missing.map((key) => `cluster.${key} (${VARIABLES[key]})`)
  return new ThinkonError(
    'BAD_INPUT',
    `the cluster's address is not known: set ${names.join(', ')}, or start one here with thinkon cluster dev`,
    { data: { missing } },
  )
}

function bad(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message)
}
