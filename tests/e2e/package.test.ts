// The published package, as a user gets it: packed, unpacked under a node_modules and used from there.
// Everything happens on a copy, because packing rewrites package.json for a moment.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const checkout = join(import.meta.dirname, '../..')
const pkg = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
const subpaths = ['thinkon', 'thinkon/protocol', 'thinkon/strategies', 'thinkon/testing', 'thinkon/views']

const temp = mkdtempSync(join(tmpdir(), 'thinkon-package-'))
const copy = join(temp, 'copy')
const user = join(temp, 'user')
const installed = join(user, 'node_modules/thinkon')

beforeAll(() => {
  pack()
  install()
}, 120_000)
afterAll(() => rmSync(temp, { recursive: true, force: true }))

function pack() {
  mkdirSync(copy)
  const needed = ['package.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json', 'LICENSE', 'README.md']
  for (const name of [...needed, 'CHANGELOG.md', 'bin', 'src', 'scripts/pack.ts']) {
    if (existsSync(join(checkout, name))) cpSync(join(checkout, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'), 'dir')
  run('npm', ['pack', '--offline', '--pack-destination', temp], copy)
}

function install() {
  const tarball = readdirSync(temp).find((name) => name.endsWith('.tgz')) ?? 'no tarball'
  mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', join(temp, tarball), '--strip-components', '1', '-C', installed], temp)
  for (const name of ['@types/node', ...Object.keys({ ...pkg.dependencies, ...pkg.peerDependencies })]) {
    mkdirSync(dirname(join(user, 'node_modules', name)), { recursive: true })
    symlinkSync(join(checkout, 'node_modules', name), join(user, 'node_modules', name), 'dir')
  }
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }\n')
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${error?.message ?? stdout + stderr}`)
  return stdout
}

describe('the packed package', () => {
  it('holds the built files and no sources, tests or scripts', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    expect(files).toContain(join('dist', 'index.d.ts'))
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\.|^(src|tests|scripts)/.test(file))).toEqual([])
  })

  it('holds the blueprints that come with it, where they are looked for', () => {
    const load = join(installed, 'dist/tools/blueprints/blueprint-tools.js')
    const script = `const { loadBlueprints } = await import(${JSON.stringify(load)})
      const { blueprints } = await loadBlueprints('.')
      console.log(blueprints.map(({ name }) => name).join())`
    const names = run(process.execPath, ['--input-type=module', '-e', script], user)
    expect(names.trim()).toBe('code-audit,documentation,migration,security-review')
  })

  it('restores package.json after packing', () => {
    expect(JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))).toEqual(pkg)
    expect(existsSync(join(copy, '.package.json.orig'))).toBe(false)
  })

  it.each(subpaths)('can be imported: %s', (name) => {
    const script = `console.log(Object.keys(await import('${name}')).length)`
    const count = run(process.execPath, ['--input-type=module', '-e', script], user)
    expect(Number(count)).toBeGreaterThan(0)
  })

  it('brings types that a strict user can compile against', () => {
    const text = subpaths.map((name, n) => `export * as module${n} from '${name}'\n`)
    writeFileSync(join(user, 'user.ts'), text.join(''))
    const tsc = join(checkout, 'node_modules/typescript/bin/tsc')
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    run(process.execPath, [tsc, ...options, 'user.ts'], user)
  })

  it('has a command that says its version', () => {
    const said = run(process.execPath, [join(installed, 'bin/thinkon.js'), '--version'], user)
    expect(said).toContain(pkg.version)
  })
})
