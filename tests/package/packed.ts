// The package as a user gets it. The checkout is packed once for all tests and workers, and again only when something that goes
// in has changed; each fresh project unpacks that tarball.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const checkout = join(import.meta.dirname, '../..')
export const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))

/** What can be imported: `thinkon`, `thinkon/strategies`, … */
export const parts = Object.entries<string>(manifest.exports)
  .filter(([, target]) => target.endsWith('.ts'))
  .map(([subpath]) => join('thinkon', subpath))

const cache = join(checkout, 'node_modules/.cache/packed')
const KEEP_MS = 24 * 3600 * 1000
const BUILD_MS = 300_000

// What `npm pack` reads, besides the compiler.
const sources = [
  'package.json',
  '.npmrc',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/{pack,line-map}.ts',
  'scripts/build-studio.ts',
  '*.md',
  'LICENSE',
  'bin/**',
  'docs/**',
  'src/**',
  'studio/dist/**',
]

export interface ProjectOptions {
  /** Linked from the checkout's node_modules, besides what Thinkon depends on and @types/node. */
  packages?: string[]
  /** Path to text. A package.json with `"type": "module"` is there unless it is given. */
  files?: Record<string, string>
}

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

export interface NodeOptions {
  env?: Record<string, string>
  /** Another Node. */
  node?: string
}

export interface Project {
  folder: string
  /** Where Thinkon lies in it. */
  installed: string
  write(files: Record<string, string>): void
  node(args: string[], options?: NodeOptions): Ran
  /** What a program prints that must end well and say nothing on stderr. */
  printed(args: string[], options?: NodeOptions): string
  /** What the compiler says: nothing if all is well. The options come from the project's tsconfig.json where no file is named. */
  tsc(args?: string[]): string
  remove(): void
}

/** An empty project that has installed the tarball. It lies outside the checkout: what is not linked is not found. */
export function freshProject({ packages = [], files = {} }: ProjectOptions = {}): Project {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-project-'))
  const installed = join(folder, 'node_modules/thinkon')
  mkdirSync(installed, { recursive: true })
  mustRun('tar', ['-xzf', packedTarball(), '--strip-components', '1', '-C', installed], folder)
  for (const name of new Set(['@types/node', ...Object.keys(manifest.dependencies), ...packages])) link(name)
  const project: Project = {
    folder,
    installed,
    write(given) {
      for (const [file, text] of Object.entries(given)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
    },
    node: (args, { env, node = process.execPath } = {}) =>
      spawnSync(node, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } }),
    printed(args, options) {
      const { status, stdout, stderr } = project.node(args, options)
      if (status !== 0 || stderr !== '')
        throw new Error(`node ${args.join(' ')} ended with ${status}\n${stderr}`)
      return stdout.trim()
    },
    tsc(args = []) {
      const ran = project.node([
        join(checkout, 'node_modules/typescript/bin/tsc'),
        '--pretty',
        'false',
        ...args,
      ])
      return ran.stdout + ran.stderr
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
  project.write({ 'package.json': '{ "type": "module" }\n', ...files })
  return project

  function link(name: string) {
    const target = join(checkout, 'node_modules', name)
    if (!existsSync(target)) throw new Error(`${name} is not installed in the checkout`)
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(target, join(folder, 'node_modules', name), 'dir')
  }
}

/** A tarball is whole once it has its name: it is made elsewhere and moved. */
export function packedTarball(): string {
  mkdirSync(cache, { recursive: true })
  const tarball = join(cache, `${contentHash()}.tgz`)
  if (!existsSync(tarball)) whileLocked(() => existsSync(tarball) || pack(tarball))
  utimesSync(tarball, new Date(), new Date())
  return tarball
}

function contentHash(): string {
  const hash = createHash('sha256')
  const files = globSync(sources, { cwd: checkout }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of [...files.sort(), 'node_modules/typescript/package.json']) {
    if (statSync(join(checkout, file)).isFile())
      hash.update(`${file}\0`).update(readFileSync(join(checkout, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** The lock is a transaction: the system ends it with the process that holds it, however that dies. */
function whileLocked(work: () => void) {
  const lock = new DatabaseSync(join(cache, 'lock'), { timeout: BUILD_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    work()
  } finally {
    lock.close()
  }
}

/** On a copy, because packing rewrites package.json for a moment; not in the cache, because Node strips no types under node_modules. */
function pack(tarball: string) {
  clean()
  const copy = mkdtempSync(join(tmpdir(), 'thinkon-packing-'))
  try {
    for (const file of globSync(sources, { cwd: checkout })) {
      if (statSync(join(checkout, file)).isFile()) cpSync(join(checkout, file), join(copy, file))
    }
    // Pages name files of the others, which are not packed.
    for (const folder of ['node_modules', 'tests', 'examples', 'training', 'bench'])
      symlinkSync(join(checkout, folder), join(copy, folder), 'dir')
    mustRun('npm', ['pack', '--offline'], copy)
    for (const file of globSync('*.{json,md}', { cwd: copy })) {
      if (!readFileSync(join(copy, file)).equals(readFileSync(join(checkout, file))))
        throw new Error(`packing has not put ${file} back as it was`)
    }
    const [made = 'no tarball'] = globSync('*.tgz', { cwd: copy })
    const half = `${tarball}.half`
    cpSync(join(copy, made), half)
    renameSync(half, tarball)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** What a killed process has left half-made, and tarballs that nobody has used for a while. Nobody else makes one now. */
function clean() {
  for (const name of readdirSync(cache)) {
    const isOld = name.endsWith('.tgz') && Date.now() - statSync(join(cache, name)).mtimeMs > KEEP_MS
    if (isOld || name.endsWith('.half')) rmSync(join(cache, name))
  }
}

function mustRun(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${error?.message ?? stdout + stderr}`)
  return stdout
}
