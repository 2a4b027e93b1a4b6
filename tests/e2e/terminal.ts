/** A command in a terminal that `script` makes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { bin, endOf, type Place } from './cli-process.ts'

// util-linux; the one of macOS and BSD takes other arguments.
export const hasScript =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

export function inTerminal(place: Pick<Place, 'folder' | 'env'>, args: string, env: NodeJS.ProcessEnv = {}) {
  const command = `stty cols 100 rows 30; exec "${process.execPath}" "${bin}" ${args}`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: place.folder,
    env: { ...place.env, ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return { child, ended: endOf(child), seen: (text: string) => seen(child, text) }
}

function seen(child: ChildProcess, text: string): Promise<string> {
  let all = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      all += chunk
      if (stripVTControlCharacters(all).includes(text)) resolve(all)
    })
    child.on('close', () => reject(new Error(`ended without "${text}":\n${all}`)))
  })
}
