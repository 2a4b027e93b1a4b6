/** How runs are served: as the command line says, or the configuration. A token is never an option: `ps` shows those to everyone. */
import { isIP } from 'node:net'
import { defined, ThinkonError } from '../protocol/index.ts'
import { SERVE_SCOPES, type ServeConfig, type ServeToken } from './config.ts'
import { type Environment, fillVariables } from './fill-variables.ts'

export interface ServeSettings {
  readonly host: string
  readonly port: number
  /** Only this machine can reach it. */
  readonly isLocal: boolean
  readonly tokens: readonly ServeToken[]
  /** Names by which it is reached; `ip` stands for any address. */
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly maxRuns?: number
  readonly limits: Pick<ServeConfig, 'maxStreams' | 'startsPerMinute' | 'maxBodyBytes' | 'maxImportBytes'>
}

interface Given {
  /** --listen and --port. */
  readonly listen?: string | undefined
  readonly port?: number | undefined
  readonly config: ServeConfig
  readonly env?: Environment
}

const LOCAL = '127.0.0.1'
const PORT = 7317
const LEAST_TOKEN = 16

/** Throws BAD_INPUT if others could reach it and nothing says who may. */
export function serveSettings({ listen, port, config, env = process.env }: Given): ServeSettings {
  const host = (listen ?? config.listen ?? LOCAL).replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && host !== 'localhost')
    throw bad(
      `${listen === undefined ? 'serve.listen' : '--listen'} must be an address such as 0.0.0.0, not "${host}"`,
    )
  const isLocal = host === 'localhost' || host === '::1' || /^127\./.test(host)
  const tokens = (config.tokens ?? []).map((given, i) => tokenOf(given, `serve.tokens[${i}]`, env))
  if (!isLocal && tokens.length === 0)
    throw bad(
      `others can reach ${host}: set serve.tokens in the configuration, such as ["\${THINKON_TOKEN}"], to say who may`,
    )
  const { maxRuns, maxStreams, startsPerMinute, maxBodyBytes, maxImportBytes } = config
  return {
    host,
    port: port ?? config.port ?? PORT,
    isLocal,
    tokens,
    hosts: ['localhost', ...(isLocal ? [LOCAL, '[::1]', host] : ['ip']), ...(config.hosts ?? [])],
    origins: config.origins ?? [],
    ...(maxRuns !== undefined && { maxRuns }),
    limits: defined({ maxStreams, startsPerMinute, maxBodyBytes, maxImportBytes }),
  }
}

function tokenOf(given: string | ServeToken, key: string, env: Environment): ServeToken {
  const { token: text, scopes } = typeof given === 'string' ? { token: given, scopes: SERVE_SCOPES } : given
  const token = fillVariables(text, env, key)
  refuseWeakToken(token, key)
  return { token, scopes }
}

/** A token with a space can't be sent as `Bearer <token>`. */
export function refuseWeakToken(token: string, key: string): void {
  if (token.length < LEAST_TOKEN || /\s/.test(token))
    throw bad(
      `${key} must have at least ${LEAST_TOKEN} characters and no spaces: openssl rand -base64 32 makes one`,
    )
}

function bad(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message)
}
