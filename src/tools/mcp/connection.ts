/**
 * One MCP server: started on first use, restarted if it has died, ended by `close`.
 *
 * - A call in progress when the server dies fails; it is never sent twice, unless the server refused it.
 * - Starts are shared: a caller that stops waiting for one does not end it for the others.
 * - Consecutive crashes and failed starts, without a successful call in between, are counted: each start waits longer, and
 *   after `maxRestarts` there are no more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, JsonSchemaValidator, RequestOptions, Transport } from '@modelcontextprotocol/client'
import { fetchWithin } from '../../kernel/fetch-within.ts'
import { optionalPackage } from '../../kernel/optional-package.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { boundedBody } from '../../protocol/bounded-body.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { bytesText, errorText, type McpServerConfig, shorten, ThinkonError } from '../../protocol/index.ts'
import { schemaProblem } from '../../schema/check-schema.ts'
import type { McpOptions } from './api.ts'
import { type Redact, redactor } from './redact.ts'
import type { NamedServer } from './server-config.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface Live {
  readonly client: Client
  readonly transport: Transport
}

const CLIENT = '@modelcontextprotocol/client'
type Sdk = typeof import('@modelcontextprotocol/client')

const PROBE_TIMEOUT_MS = 10_000
const MAX_RESTART_DELAY_MS = 10_000
const END_SESSION_MS = 1_000
const SHOWN_LINES = 5
const OUTPUTS = [
  ['stderr', 'its last output on stderr'],
  ['stray', 'on stdout, which is reserved for MCP messages'],
] as const
const LONGEST = 10
const MAX_WORDS = 2_000

/** The SDK holds results against the server's own schema, whose patterns may take for ever: ours has a time limit. */
const TIMED_VALIDATOR = {
  getValidator:
    <T>(schema: Record<string, unknown>): JsonSchemaValidator<T> =>
    (input) => {
      const problem = schemaProblem(input, schema, 'the result')
      return problem === undefined
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: problem }
    },
}

type Times = Pick<McpOptions, 'startTimeoutMs' | 'timeoutMs' | 'maxRestarts' | 'restartDelayMs'>

interface ConnectionOptions extends Required<Times> {
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void
}

export class Connection {
  readonly name: string
  readonly config: McpServerConfig
  readonly redact: Redact
  private readonly options: ConnectionOptions
  private readonly closing = new AbortController()
  private live: Live | null = null
  private starting: Promise<Live> | null = null
  private legacy: boolean
  private failures = 0
  private lastFailure = ''

  constructor(server: NamedServer, options: ConnectionOptions) {
    this.name = server.name
    this.config = server.config
    this.redact = redactor(server.config)
    this.legacy = server.config.protocol === 'legacy'
    this.options = {
      ...options,
      startTimeoutMs: server.config.startTimeoutMs ?? options.startTimeoutMs,
      timeoutMs: server.config.timeoutMs ?? options.timeoutMs,
    }
  }

  /** Does something with the server. Throws only ThinkonErrors, without secrets. */
  async use<T>(
    what: string,
    signal: AbortSignal,
    work: (live: Live, request: RequestOptions) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const live = await unlessAborted(this.connect(), signal, () => this.cancelled(what))
      const { timeoutMs } = this.options
      const request: RequestOptions = {
        signal,
        timeout: timeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: timeoutMs * LONGEST,
        onprogress: () => {},
      }
      try {
        return await unlessAborted(work(live, request), signal, () => this.cancelled(what))
      } catch (error) {
        if (ThinkonError.isInstance(error)) throw error
        if (signal.aborted) throw this.cancelled(what)
        const again = attempt === 1 && (await this.refused(live, error))
        if (!again) throw await this.failure(what, live, error)
      }
    }
  }

  /** A call succeeded: earlier failures no longer count. */
  proven(): void {
    this.failures = 0
  }

  /** Ends the server. Resolves when its processes are gone. Idempotent. */
  async close(): Promise<void> {
    this.closing.abort()
    await this.starting?.catch(() => {})
    const live = this.live
    this.live = null
    if (live !== null) await end(live)
  }

  private connect(): Promise<Live> {
    if (this.closing.signal.aborted) return Promise.reject(this.error('is closed: the run has ended'))
    if (this.live !== null) return Promise.resolve(this.live)
    this.starting ??= this.start().finally(() => {
      this.starting = null
    })
    return this.starting
  }

  private async start(): Promise<Live> {
    const { maxRestarts, restartDelayMs } = this.options
    const { failures, lastFailure } = this
    if (failures > maxRestarts)
      throw this.error(`is not started again after ${failures} failures in a row, the last: ${lastFailure}`)
    if (failures > 0) {
      const delayMs = Math.min(restartDelayMs * 2 ** (failures - 1), MAX_RESTART_DELAY_MS)
      await sleep(delayMs, undefined, { signal: this.closing.signal }).catch(() => {})
    }
    try {
      return await this.open(await this.sdk())
    } catch (error) {
      if (ThinkonError.isInstance(error)) throw error
      throw this.startFailure(withCause(error))
    }
  }

  private sdk(): Promise<Sdk> {
    const missing = (advice: string) => this.error(advice)
    return optionalPackage(CLIENT, missing)
  }

  private async open(sdk: Sdk): Promise<Live> {
    const transport = await this.transport(sdk)
    const client = this.client(sdk)
    try {
      await this.handshake(client, transport)
    } catch (error) {
      await transport.close().catch(() => {})
      if (this.closing.signal.aborted) throw this.error('is closed: the run has ended')
      const isLate = error instanceof TooLate
      if (!isLate && this.mayBeOld(transport, error)) {
        this.legacy = true
        return this.open(sdk)
      }
      const ending = isLate ? undefined : endingOf(transport)
      const why = startHint(this.config, error) ?? (ending === undefined ? withCause(error) : `it ${ending}`)
      throw this.startFailure(why, transport)
    }
    // A server from before 2026-07-28 need not be probed again.
    this.legacy = client.getProtocolEra() === 'legacy'
    const live: Live = { client, transport }
    this.live = live
    client.onclose = () => {
      if (this.live === live) this.lost(live)
    }
    if (endingOf(transport) !== undefined) this.lost(live)
    return live
  }

  /** Rejects with TooLate, and when this connection is closed, too. */
  private handshake(client: Client, transport: Transport): Promise<void> {
    const { startTimeoutMs } = this.options
    const late = AbortSignal.timeout(startTimeoutMs)
    const stop = AbortSignal.any([this.closing.signal, late])
    const connecting = client.connect(transport, { timeout: startTimeoutMs })
    return unlessAborted(connecting, stop, () =>
      late.aborted ? new TooLate(startTimeoutMs) : new Error('stopped'),
    )
  }

  /** Some servers crash on a request before `initialize`; those get the old handshake right away. */
  private mayBeOld(transport: Transport, error: unknown): boolean {
    if (this.legacy) return false
    if (transport instanceof StdioTransport) return transport.pid !== null
    return codeOf(error) === 'ERA_NEGOTIATION_FAILED' && statusOf(error) !== undefined
  }

  private client(sdk: Sdk): Client {
    const changed = (list: 'tools' | 'resources' | 'prompts') => ({
      autoRefresh: false,
      debounceMs: 0,
      onChanged: () => this.options.onListChanged(list),
    })
    const timeoutMs = Math.min(PROBE_TIMEOUT_MS, this.options.startTimeoutMs / 2)
    const client = new sdk.Client(
      { name: 'thinkon', version: '1' },
      {
        capabilities: {},
        jsonSchemaValidator: TIMED_VALIDATOR,
        versionNegotiation: this.legacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs } },
        listChanged: {
          tools: changed('tools'),
          resources: changed('resources'),
          prompts: changed('prompts'),
        },
      },
    )
    // Only here does the HTTP transport report that it has given up; nobody must keep waiting for it.
    client.onerror = (error) => {
      if (/Maximum reconnection attempts/.test(error.message)) void client.close().catch(() => {})
    }
    return client
  }

  private async transport(sdk: Sdk): Promise<Transport> {
    const { config } = this
    if ('url' in config) {
      return new sdk.StreamableHTTPClientTransport(new URL(config.url), {
        requestInit: { headers: config.headers ?? {} },
        fetch: async (url, init) => boundedBody(await fetchWithin(url, init), this.messageBudget()),
      })
    }
    const { getDefaultEnvironment } = await optionalPackage(`${CLIENT}/stdio`, (advice) => this.error(advice))
    const env = { ...getDefaultEnvironment(), ...config.env }
    return new StdioTransport(config, env, sdk, this.messageBudget())
  }

  private lost(live: Live): void {
    this.live = null
    this.failures++
    this.lastFailure = `it ${endingOf(live.transport) ?? 'ended'}`
    this.options.onListChanged('tools')
  }

  /** The server no longer knows the session and did nothing: a new one is opened, and the request is sent again. */
  private async refused(live: Live, error: unknown): Promise<boolean> {
    const status = statusOf(error)
    if (!('url' in this.config) || (status !== 404 && status !== 400)) return false
    if (this.live === live) this.live = null
    await end(live)
    return true
  }

  private async failure(what: string, live: Live, error: unknown): Promise<ThinkonError> {
    const isRemote = 'url' in this.config
    if (codeOf(error) === 'REQUEST_TIMEOUT')
      return this.error(`did not answer ${what} within ${this.options.timeoutMs} ms`, undefined, 'TIMEOUT')
    // The server's own error: it is alive.
    if (typeof codeOf(error) === 'number') return this.error(`refused ${what}: ${withCause(error)}`)
    const gone = codeOf(error) === 'CONNECTION_CLOSED' || this.live !== live
    if (!gone && !isRemote) return this.error(`failed at ${what}: ${withCause(error)}`)
    if (!gone) {
      this.lost(live)
      await end(live)
    }
    const how = isRemote ? `broke off (${withCause(error)})` : (endingOf(live.transport) ?? 'ended')
    const next = `The next call ${isRemote ? 'connects' : 'starts it'} again`
    const message = `${how} while ${what} was in progress; it may or may not have happened. ${next}`
    return this.error(message, live.transport)
  }

  private startFailure(why: string, transport?: Transport): ThinkonError {
    const error = this.error(`could not be started: ${why}`, transport)
    this.failures++
    this.lastFailure = error.message
    return error
  }

  private error(what: string, from?: Transport, code: 'TOOL_ERROR' | 'TIMEOUT' = 'TOOL_ERROR') {
    const data: Record<string, unknown> = { server: this.name }
    let said = ''
    for (const [name, title] of OUTPUTS) {
      const lines = from instanceof StdioTransport ? from[name].last(SHOWN_LINES).map(this.redact.error) : []
      if (lines.length === 0) continue
      data[name] = lines
      said += `\n${title}:\n  ${lines.join('\n  ')}`
    }
    const message = `MCP server "${this.name}" ${this.redact.error(shorten(what, MAX_WORDS))}${said}`
    return new ThinkonError(code, message, { data })
  }

  resultBudget(): DecodingBudget {
    const error = (limit: number) =>
      this.error(`sent a result of more than ${bytesText(limit)}: ask it for less`)
    return new DecodingBudget('a result', { error })
  }

  private messageBudget(): DecodingBudget {
    const error = (limit: number) =>
      this.error(`sent a message of more than ${bytesText(limit)}: ask it for less`)
    return new DecodingBudget('a message', { error })
  }

  private cancelled(what: string): ThinkonError {
    return new ThinkonError('CANCELLED', `${what} of MCP server "${this.name}" was cancelled`)
  }
}

async function end({ client, transport }: Live): Promise<void> {
  client.onclose = () => {}
  const session = transport as { terminateSession?: () => Promise<void> }
  if (session.terminateSession !== undefined) {
    const ended = session.terminateSession().catch(() => {})
    await Promise.race([ended, sleep(END_SESSION_MS)])
  }
  await client.close().catch(() => {})
  await transport.close().catch(() => {})
}

function startHint(config: McpServerConfig, error: unknown): string | undefined {
  if ('url' in config) {
    const { origin, pathname } = new URL(config.url)
    const status = statusOf(error)
    if (status === 401 || status === 403)
      return `${origin} refused the key (HTTP ${status}): check "headers" in its configuration`
    if (/fetch failed|ECONNREFUSED|ENOTFOUND/.test(withCause(error)))
      return `nothing answers at ${origin}${pathname}: is it running, and is the URL right?`
    return undefined
  }
  if (codeOf(error) === 'ENOENT') {
    const where = config.cwd === undefined ? '' : `, or the folder ${config.cwd} does not exist`
    return `there is no command "${config.command}"${where}: install it, or correct "command" in its configuration`
  }
  if (codeOf(error) === 'EACCES') return `"${config.command}" is not executable`
  return undefined
}

class TooLate extends Error {
  constructor(timeoutMs: number) {
    super(`it did not answer within ${timeoutMs} ms`)
  }
}

function endingOf(transport: Transport): string | undefined {
  return transport instanceof StdioTransport && transport.ending !== null ? transport.ending : undefined
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code

function statusOf(error: unknown): number | undefined {
  const { status, data } = (error ?? {}) as { status?: unknown; data?: { status?: unknown } }
  const found = status ?? data?.status
  return typeof found === 'number' ? found : undefined
}

function withCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${errorText(error)}${cause}`
}
