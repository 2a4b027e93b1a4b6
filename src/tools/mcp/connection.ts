/**
 * One MCP server: started when first used, started again when it has died, ended by `close`.
 *
 * - A call that is under way when the server dies fails; it is never sent twice, except when the server refused it.
 * - Starts are shared: who gives up waiting for one does not end it for the others.
 * - Ends and failed starts in a row, without a call that worked in between, are counted: each start waits longer, and
 *   after `maxRestarts` there are no more.
 */
import type { Client, RequestOptions, Transport } from '@modelcontextprotocol/client'
import { type McpServerConfig, ThinkonError } from '../../protocol/index.ts'
import { type Redact, redactor } from './redact.ts'
import type { NamedServer } from './server-config.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface ConnectionOptions {
  startTimeoutMs: number
  timeoutMs: number
  maxRestarts: number
  restartDelayMs: number
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void
}

export interface Live {
  readonly client: Client
  readonly transport: Transport
}

type Sdk = typeof import('@modelcontextprotocol/client')

const PROBE_TIMEOUT_MS = 10_000
const MAX_RESTART_DELAY_MS = 10_000
const END_SESSION_MS = 1_000
const SHOWN_LINES = 5
const LONGEST = 10

export class Connection {
  readonly name: string
  readonly config: McpServerConfig
  readonly redact: Redact
  private readonly options: ConnectionOptions
  private readonly closing = new AbortController()
  private live: Live | null = null
  private starting: Promise<Live> | null = null
  private legacy: boolean
  private troubles = 0
  private lastTrouble = ''

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

  /** Does something with the server. What it throws is a ThinkonError without secrets. */
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

  /** A call worked: troubles before it count no more. */
  proven(): void {
    this.troubles = 0
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
    if (this.troubles > maxRestarts) {
      throw this.error(
        `is not started again after ${this.troubles} troubles in a row, the last: ${this.lastTrouble}`,
      )
    }
    if (this.troubles > 0) {
      const delayMs = Math.min(restartDelayMs * 2 ** (this.troubles - 1), MAX_RESTART_DELAY_MS)
      await sleep(delayMs, this.closing.signal)
    }
    try {
      const sdk = await import('@modelcontextprotocol/client')
      return await this.open(sdk)
    } catch (error) {
      if (ThinkonError.isInstance(error)) throw error
      throw this.trouble(`could not be started: ${textOf(error)}`)
    }
  }

  private async open(sdk: Sdk): Promise<Live> {
    const transport = await this.transport(sdk)
    const { startTimeoutMs } = this.options
    const client = this.client(sdk)
    const live: Live = { client, transport }
    let late = false
    let stop = () => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new Error('stopped'))
    })
    stopped.catch(() => {})
    const timer = setTimeout(() => {
      late = true
      stop()
    }, startTimeoutMs)
    this.closing.signal.addEventListener('abort', stop)
    const connecting = client.connect(transport, { timeout: startTimeoutMs })
    connecting.catch(() => {})
    try {
      await Promise.race([connecting, stopped])
      if (this.closing.signal.aborted) throw new Error('stopped')
    } catch (error) {
      await transport.close().catch(() => {})
      if (this.closing.signal.aborted) throw this.error('is closed: the run has ended')
      const ending = late ? undefined : endingOf(transport)
      const why = late
        ? `it did not answer within ${startTimeoutMs} ms`
        : ending
          ? `it ${ending}`
          : textOf(error)
      if (!late && this.mayBeOld(transport, error)) {
        this.legacy = true
        return this.open(sdk)
      }
      throw this.trouble(`could not be started: ${startHint(this.config, error) ?? why}`, transport)
    } finally {
      clearTimeout(timer)
      this.closing.signal.removeEventListener('abort', stop)
    }
    // A server of before 2026-07-28 need not be asked again.
    this.legacy = client.getProtocolEra() === 'legacy'
    this.live = live
    client.onclose = () => {
      if (this.live === live) this.lost(live)
    }
    if (transport instanceof StdioTransport && transport.ending !== null) this.lost(live)
    return live
  }

  /** Some servers die of a question that is asked before `initialize`; those are asked the old way at once. */
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
        versionNegotiation: this.legacy ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs } },
        listChanged: {
          tools: changed('tools'),
          resources: changed('resources'),
          prompts: changed('prompts'),
        },
      },
    )
    // The HTTP transport tells only here that it has given up; what waits for it must not wait on.
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
      })
    }
    const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio')
    return new StdioTransport(config, { ...getDefaultEnvironment(), ...config.env }, sdk)
  }

  private lost(live: Live): void {
    this.live = null
    this.troubles++
    this.lastTrouble = `it ${endingOf(live.transport) ?? 'ended'}`
    this.options.onListChanged('tools')
  }

  /** The server knows the session no more and did nothing: a new one is opened, and the request sent again. */
  private async refused(live: Live, error: unknown): Promise<boolean> {
    const status = statusOf(error)
    if (!('url' in this.config) || (status !== 404 && status !== 400)) return false
    if (this.live === live) this.live = null
    await end(live)
    return true
  }

  private async failure(what: string, live: Live, error: unknown): Promise<ThinkonError> {
    const { timeoutMs } = this.options
    if (codeOf(error) === 'REQUEST_TIMEOUT')
      return this.error(`did not answer ${what} within ${timeoutMs} ms`, {}, 'TIMEOUT')
    // The server's own words: it lives.
    if (typeof (error as { code?: unknown }).code === 'number')
      return this.error(`refused ${what}: ${textOf(error)}`)
    const gone = codeOf(error) === 'CONNECTION_CLOSED' || this.live !== live
    if (!gone && 'url' in this.config) {
      this.lost(live)
      await end(live)
    }
    if (!gone && !('url' in this.config)) return this.error(`failed at ${what}: ${textOf(error)}`)
    const how = 'url' in this.config ? `broke off (${textOf(error)})` : (endingOf(live.transport) ?? 'ended')
    return this.error(
      `${how} while ${what} was under way; it may or may not have happened. The next call ${
        'url' in this.config ? 'connects' : 'starts it'
      } again`,
      live.transport,
    )
  }

  private trouble(what: string, transport?: Transport): ThinkonError {
    const error = this.error(what, transport)
    this.troubles++
    this.lastTrouble = error.message
    return error
  }

  private error(what: string, from?: Transport | object, code: 'TOOL_ERROR' | 'TIMEOUT' = 'TOOL_ERROR') {
    const data: Record<string, unknown> = { server: this.name }
    let said = ''
    if (from instanceof StdioTransport) {
      const stderr = from.stderr.last(SHOWN_LINES).map(this.redact.error)
      const stray = from.stray.last(SHOWN_LINES).map(this.redact.error)
      if (stderr.length > 0) {
        data.stderr = stderr
        said += `\nits last words (stderr):\n  ${stderr.join('\n  ')}`
      }
      if (stray.length > 0) {
        data.stray = stray
        said += `\non stdout, where only MCP messages may be:\n  ${stray.join('\n  ')}`
      }
    }
    const message = `MCP server "${this.name}" ${this.redact.error(what)}${said}`
    return new ThinkonError(code, message, { data })
  }

  private cancelled(what: string): ThinkonError {
    return new ThinkonError('CANCELLED', `${what} of MCP server "${this.name}" was cancelled`)
  }
}

async function end({ client, transport }: Live): Promise<void> {
  client.onclose = undefined as never
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
    if (/fetch failed|ECONNREFUSED|ENOTFOUND/.test(textOf(error)))
      return `nothing answers at ${origin}${pathname}: is it running, and is the URL right?`
    return undefined
  }
  if ((error as { code?: unknown }).code === 'ENOENT') {
    const where = config.cwd === undefined ? '' : `, or the folder ${config.cwd} does not exist`
    return `there is no command "${config.command}"${where}: install it, or correct "command" in its configuration`
  }
  if ((error as { code?: unknown }).code === 'EACCES') return `"${config.command}" may not be executed`
  return undefined
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

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`
}

/** Rejects as soon as the signal is aborted; the promise goes on without a listener. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, reason: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}
