/** `thinkon serve` as a process of its own, with what a test asks it. */

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Going, Place } from '../e2e/cli-process.ts'

export interface AskedProcess extends Going {
  readonly url: string
  readonly port: number
  readonly token: string
  /** With the token. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  json(path: string): Promise<never>
  post(path: string, body: unknown): Promise<Response>
}

export async function askedProcess(place: Place, args: readonly string[] = []): Promise<AskedProcess> {
  const going = place.start(['serve', '--json', '--port', '0', ...args])
  const lines = createInterface({ input: going.child.stdout as NodeJS.ReadableStream })
  const said = await new Promise<Record<string, unknown>>((resolve, reject) => {
    lines.on('line', (line) => {
      const one = JSON.parse(line)
      if (one.state === 'serving') resolve(one)
    })
    void going.ended.then(({ stdout, stderr }) => reject(new Error(`it has ended: ${stdout}${stderr}`)))
  })
  const { url, port, tokenFile } = said as { url: string; port: number; tokenFile: string }
  const token = readFileSync(tokenFile, 'utf8').trim()
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
  return {
    ...going,
    url,
    port,
    token,
    fetch: ask,
    json: async (path) => (await ask(path)).json() as Promise<never>,
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  }
}
