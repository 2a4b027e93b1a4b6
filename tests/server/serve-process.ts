/** `thinkon serve` as users start it, in a process of its own. */
import { once } from 'node:events'
import { join } from 'node:path'
import type { Going, Place } from '../e2e/cli-process.ts'

export interface ServeProcess extends Going {
  readonly url: string
  readonly token: string
}

export const WORDS_MODEL = `module:${join(import.meta.dirname, 'words-model.ts')}`

/** Resolves when it says where it is. */
export async function startServe(
  place: Place,
  env: NodeJS.ProcessEnv = {},
  more: readonly string[] = [],
): Promise<ServeProcess> {
  const given = { ...place.env, THINKON_MODEL: WORDS_MODEL, ...env }
  const going = place.start(['serve', '--port', '0', ...more], given)
  const said = await Promise.race([
    once(going.child.stdout as NodeJS.ReadableStream, 'data').then(([text]) => String(text)),
    going.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ])
  const [, url = '', token = ''] = /(http:\/\/[\d.:]+)\/\?token=([\w-]+)/.exec(said) ?? []
  return { ...going, url, token }
}
