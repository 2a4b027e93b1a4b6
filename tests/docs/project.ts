/** A project of a user's, with Thinkon and the packages that the docs name installed, in which the snippets are compiled and run. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freshProject, manifest } from '../package/packed.ts'
import { root } from './pages.ts'

export interface Project {
  readonly folder: string
  write(folder: string, files: Readonly<Record<string, string>>): void
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Ended>
  remove(): void
}

export interface RunOptions {
  /** Below the project; created if needed. */
  cwd?: string
  env?: NodeJS.ProcessEnv
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

const OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  jsx: 'react-jsx',
  module: 'nodenext',
  moduleDetection: 'force',
  strict: true,
  noEmit: true,
  allowJs: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
}

export function makeProject(): Project {
  const project = freshProject({
    packages: ['zod', 'express', ...Object.keys(manifest.devDependencies)],
    files: { 'tsconfig.json': JSON.stringify({ compilerOptions: OPTIONS, include: ['pages', '*.ts'] }) },
  })
  const { folder, installed } = project
  if (process.env.SNIPPETS_FROM === 'sources') linkSources(installed)
  makeCommands(folder)
  for (const name of ['given.ts', 'run-units.ts'])
    cpSync(join(import.meta.dirname, 'project', name), join(folder, name))
  return {
    folder,
    write(below, files) {
      for (const [name, text] of Object.entries(files)) project.write({ [join(below, name)]: text })
    },
    run: (command, args, options) => runIn(folder, command, args, options),
    remove: () => project.remove(),
  }
}

/** For whoever writes docs: nothing has to be packed after each change. */
function linkSources(installed: string): void {
  rmSync(installed, { recursive: true })
  symlinkSync(root, installed, 'dir')
}

function makeCommands(folder: string): void {
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync('../thinkon/bin/thinkon.js', join(bin, 'thinkon'))
  // `npx thinkon` without npm: what is installed is started.
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
}

/** With no keys, no configuration but the project's, and nothing of the developer's home. */
export function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  { cwd = '.', env }: RunOptions = {},
): Promise<Ended> {
  const place = join(folder, cwd)
  mkdirSync(place, { recursive: true })
  const bin = [join(folder, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const { NODE_COMPILE_CACHE } = process.env
  const clean = { HOME: folder, LANG: 'C.UTF-8', THINKON_PROBE: 'off', XDG_STATE_HOME: join(folder, 'state') }
  const child = spawn(command, args, {
    cwd: place,
    env: { ...clean, NODE_COMPILE_CACHE, PATH: bin, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  return new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
