/**
 * The stdio transport. The SDK's own starts the server in our process group, so that processes of the server can't be ended
 * with it, and ignores output that is not MCP; this one owns a group, and remembers stderr and such output.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import type { DecodingBudget } from '../../protocol/decoding-budget.ts'
import {
  bytesText,
  isObject,
  isTooDeep,
  MAX_DEPTH,
  type StdioServerConfig,
  tooDeep,
} from '../../protocol/index.ts'
import { dropGroup, ownGroup, signalChild } from '../process-group.ts'

type Sdk = typeof import('@modelcontextprotocol/client')

const MAX_STRAY_LINES = 1_000
const KEPT_LINES = 20
const KEPT_LINE_CHARS = 400
const AFTER_INPUT_END_MS = 500
const AFTER_SIGTERM_MS = 1_000
const AFTER_EXIT_MS = 200

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  /** The name of this field tells the SDK that this is a local process. */
  readonly stderr = new LastLines()
  /** Lines on stdout that are not messages. */
  readonly stray = new LastLines()
  /** How the process ended, once it has, unless `close` ended it. */
  ending: string | null = null
  private readonly config: StdioServerConfig
  private readonly env: Record<string, string>
  private readonly sdk: Sdk
  /** Of each line. */
  private readonly budget: DecodingBudget
  private child: ChildProcess | null = null
  private ended: Promise<void> = Promise.resolve()
  private readonly pending = new Pending()
  private strayLines = 0
  private closing = false
  private hasGivenUp = false

  constructor(config: StdioServerConfig, env: Record<string, string>, sdk: Sdk, budget: DecodingBudget) {
    this.config = config
    this.env = env
    this.sdk = sdk
    this.budget = budget
  }

  get pid(): number | null {
    return this.child?.pid ?? null
  }

  start(): Promise<void> {
    const { command, args = [], cwd } = this.config
    const child = spawn(command, args, {
      cwd,
      env: this.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.child = child
    ownGroup(child)
    child.stdin?.on('error', (error) => this.onerror?.(error))
    child.stdout?.on('data', (chunk: Buffer) => this.receive(chunk))
    child.stderr?.on('data', (chunk: Buffer) => this.stderr.add(chunk.toString('utf8')))
    this.ended = new Promise((resolve) => {
      const end = () => {
        dropGroup(child)
        resolve()
        this.onclose?.()
      }
      child.on('exit', (code, signal) => {
        if (!this.closing) this.ending ??= signal === null ? `ended (exit code ${code})` : `ended (${signal})`
        // Its last output may still be in the pipe; a process it started may hold the pipe open forever.
        const timer = setTimeout(end, AFTER_EXIT_MS)
        child.once('close', () => {
          clearTimeout(timer)
          end()
        })
      })
    })
    return new Promise((resolve, reject) => {
      child.once('spawn', () => resolve())
      child.once('error', reject)
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin
    return new Promise((resolve, reject) => {
      if (!stdin?.writable) reject(new Error('the server has ended'))
      else stdin.write(this.sdk.serializeMessage(message), (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Asks it to end by closing its input, then with SIGTERM, then kills it. Resolves when the group is gone. */
  async close(): Promise<void> {
    const child = this.child
    if (child === null || child.pid === undefined) return
    this.closing = true
    child.stdin?.end()
    if (await within(this.ended, AFTER_INPUT_END_MS)) return
    signalChild(child, 'SIGTERM')
    if (await within(this.ended, AFTER_SIGTERM_MS)) return
    signalChild(child, 'SIGKILL')
    await this.ended
  }

  private receive(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.pending.add(chunk.subarray(from, end))
      from = end + 1
      if (this.isTooLong()) return
      this.line(this.pending.take().trim())
      if (this.hasGivenUp) return
    }
    this.pending.add(chunk.subarray(from))
    this.isTooLong()
  }

  private isTooLong(): boolean {
    if (this.pending.length <= this.budget.left) return false
    this.giveUp(`sent a line longer than ${bytesText(this.budget.limit)}`)
    return true
  }

  private line(line: string): void {
    if (line === '') return
    let message: JSONRPCMessage
    try {
      message = flatEnough(JSON.parse(line)) ?? this.sdk.deserializeMessage(line)
    } catch {
      this.stray.add(`${line}\n`)
      if (++this.strayLines >= MAX_STRAY_LINES)
        this.giveUp(`printed ${MAX_STRAY_LINES} lines that are not MCP`)
      return
    }
    this.strayLines = 0
    this.onmessage?.(message)
  }

  private giveUp(why: string): void {
    const child = this.child
    if (child === null || this.closing || this.ending !== null) return
    this.ending = `${why} and was ended`
    this.hasGivenUp = true
    this.pending.take()
    child.stdout?.removeAllListeners('data')
    child.stdout?.resume()
    this.onerror?.(new Error(why))
    signalChild(child, 'SIGKILL')
  }
}

/** What stands in the place of an answer that is nested too deeply: an error of the server's. Undefined for all others. */
function flatEnough(message: unknown): JSONRPCMessage | undefined {
  if (!isTooDeep(message, MAX_DEPTH + MESSAGE_LEVELS)) return undefined
  const id = isObject(message) ? message.id : undefined
  if (typeof id !== 'number' && typeof id !== 'string') throw new Error('nested too deeply')
  const error = { code: INTERNAL_ERROR, message: tooDeep('its answer').message }
  return { jsonrpc: '2.0', id, error }
}

/** Around a value, those of the message. */
const MESSAGE_LEVELS = 10
const INTERNAL_ERROR = -32603

/** The line that has begun. It grows by doubling: a server may send it byte by byte. */
class Pending {
  length = 0
  private bytes = Buffer.alloc(0)

  add(chunk: Buffer): void {
    const length = this.length + chunk.length
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.bytes.length * 2))
      this.bytes.copy(larger, 0, 0, this.length)
      this.bytes = larger
    }
    chunk.copy(this.bytes, this.length)
    this.length = length
  }

  take(): string {
    const text = this.bytes.toString('utf8', 0, this.length)
    this.length = 0
    if (this.bytes.length > KEPT_BYTES) this.bytes = Buffer.alloc(0)
    return text
  }
}

const KEPT_BYTES = 1024 * 1024

/** The last lines of a text that arrives in pieces. */
class LastLines {
  private readonly lines: string[] = []
  private open = ''

  add(text: string): void {
    const parts = (this.open + text).split('\n')
    this.open = (parts.pop() ?? '').slice(-KEPT_LINE_CHARS)
    for (const part of parts) {
      const line = part.trim()
      if (line !== '') this.lines.push(line.slice(0, KEPT_LINE_CHARS))
    }
    if (this.lines.length > KEPT_LINES) this.lines.splice(0, this.lines.length - KEPT_LINES)
  }

  last(count: number): string[] {
    const all = this.open.trim() === '' ? this.lines : [...this.lines, this.open.trim()]
    return all.slice(-count)
  }
}

function within(promise: Promise<void>, ms: number): Promise<boolean> {
  return unlessAborted(promise, AbortSignal.timeout(ms)).then(
    () => true,
    () => false,
  )
}
