/** What no client library would send: bytes on a socket, and what comes back. */
import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 if the connection was closed without an answer. */
  readonly status: number
  readonly text: string
}

export interface RawOptions {
  /** Sent one after the other, with a pause before each but the first. */
  readonly rest?: readonly string[]
  readonly pauseMs?: number
  /** Gives up: the connection is neither answered nor closed. */
  readonly patienceMs?: number
}

/** Resolves when the server has closed the connection, or has answered and nothing more is to be sent. */
export function raw(port: number, head: string | Buffer, options: RawOptions = {}): Promise<RawAnswer> {
  const { rest = [], pauseMs = 0, patienceMs = 60_000 } = options
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const patience = setTimeout(() => {
      socket.destroy()
      reject(new Error(`neither answered nor closed within ${patienceMs} ms: ${String(head).slice(0, 200)}`))
    }, patienceMs)
    const end = () => {
      clearTimeout(patience)
      socket.destroy()
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text })
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (isWhole(text)) end()
    })
    // A server that closes while it is still sent something resets the connection.
    socket.on('error', end)
    socket.on('close', end)
    socket.write(head)
    void (async () => {
      for (const part of rest) {
        await new Promise((next) => setTimeout(next, pauseMs))
        if (socket.destroyed) return
        socket.write(part)
      }
    })()
  })
}

function isWhole(text: string): boolean {
  const at = text.indexOf('\r\n\r\n')
  if (at < 0) return false
  const [head, body] = [text.slice(0, at), text.slice(at + 4)]
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  if (length !== undefined) return body.length >= Number(length)
  return /^HTTP\/1\.1 (?:204|304)/.test(head) || body.endsWith('0\r\n\r\n')
}

export function requestHead(line: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}
