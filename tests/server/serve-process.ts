/** `thinkon serve` as users start it, in a process of its own, with what a test asks it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Going, Place } from '../e2e/cli-process.ts'
import { type Asking, asking } from './asking.ts'

export interface ServeProcess extends Going, Asking {
  readonly url: string
  readonly port: number
  readonly token: string
  /** Absent if tokens are configured. */
  readonly tokenFile?: string
}

export interface ServeProcessOptions {
  /** In addition to that of the place. */
  env?: NodeJS.ProcessEnv
  args?: readonly string[]
  /** Its requests send this token; that of the state folder, unless given. */
  token?: string
}

/** For `THINKON_MODEL`. */
export const WORDS_MODEL = `module:${join(import.meta.dirname, 'words-model.ts')}`

/** Resolves when it says where it is. */
export async function startServe(place: Place, options: ServeProcessOptions = {}): Promise<ServeProcess> {
  const { env = {}, args = [] } = options
  const going = place.start(['serve', '--json', '--port', '0', ...args], { ...place.env, ...env })
  const lines = createInterface({ input: going.child.stdout as NodeJS.ReadableStream })
  const said = await new Promise<{ url: string; port: number; tokenFile?: string }>((resolve, reject) => {
    lines.on('line', (line) => {
      const one = JSON.parse(line)
      if (one.state === 'serving') resolve(one)
    })
    void going.ended.then(({ stdout, stderr }) => reject(new Error(`it has ended: ${stdout}${stderr}`)))
  })
  const { url, port, tokenFile } = said
  const token = options.token ?? readFileSync(tokenFile as string, 'utf8').trim()
  return { ...going, ...asking(url, token), url, port, token, ...(tokenFile && { tokenFile }) }
}
