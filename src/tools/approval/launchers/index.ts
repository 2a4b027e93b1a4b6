import { BUILD_LAUNCHERS } from './building.ts'
import { FILE_LAUNCHERS } from './files.ts'
import { GIT_LAUNCHERS } from './git.ts'
import type { Launcher, Launchers } from './launcher.ts'
import { NETWORK_LAUNCHERS } from './network.ts'
import { RUNNERS, SETTERS } from './runners.ts'

export type { Launcher } from './launcher.ts'
export { SET_BY_EXPORT } from './runners.ts'

export const LAUNCHERS: Launchers = {
  ...GIT_LAUNCHERS,
  ...RUNNERS,
  ...SETTERS,
  ...FILE_LAUNCHERS,
  ...NETWORK_LAUNCHERS,
  ...BUILD_LAUNCHERS,
}

/** By the word that names it in a command: /usr/bin/python3.12 is python. */
export function launcherOf(word: string): Launcher | undefined {
  return lookUp(BY_NAME, word)
}

/** Whether it runs its arguments, or a script that may. */
export function isRunner(word: string): boolean {
  return lookUp(RUNNERS_BY_NAME, word) !== undefined
}

const BY_NAME = byName(LAUNCHERS)
const RUNNERS_BY_NAME = byName(RUNNERS)

function byName(launchers: Launchers): ReadonlyMap<string, Launcher> {
  const pairs = Object.entries(launchers).flatMap(([names, launcher]) =>
    names.split(' ').map((name): [string, Launcher] => [name, launcher]),
  )
  return new Map(pairs)
}

function lookUp(byName: ReadonlyMap<string, Launcher>, word: string): Launcher | undefined {
  const name = word
    .slice(word.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.exe$/, '')
  return byName.get(name) ?? byName.get(name.replace(/(?<=[^-.\d])[-.\d]+$/, ''))
}
