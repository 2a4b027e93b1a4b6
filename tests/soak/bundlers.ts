// The packed package in bundles of webpack, Rollup and Next.js, which are installed once. No optional package is installed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkout, manifest, packedTarball } from '../package/packed.ts'

const folder = join(checkout, 'node_modules/.cache/bundlers')
const BUNDLERS = {
  next: '16',
  react: '19',
  'react-dom': '19',
  webpack: '5',
  rollup: '4',
  '@rollup/plugin-node-resolve': '16',
  '@rollup/plugin-commonjs': '29',
  '@rollup/plugin-json': '6',
}
const NEXT_START_MS = 30_000

export async function bundlers(): Promise<string> {
  install()
  write(SOURCES)
  const done: string[] = []
  for (const tool of ['webpack', 'rollup']) {
    run([`${tool}.mjs`])
    const printed = run([`out/${tool}-server/main.${tool === 'webpack' ? 'cjs' : 'mjs'}`])
    if (!printed.includes('3 + 4 = 7')) throw new Error(`${tool}: the bundle printed ${printed}`)
    done.push(tool)
  }
  run(['node_modules/next/dist/bin/next', 'build', 'next-app'])
  const address = await startNext()
  try {
    const answer = await (await fetch(`${address}/api/run`)).text()
    if (answer !== '3 + 4 = 7') throw new Error(`next: the route answered ${answer}`)
    const page = await (await fetch(address)).text()
    if (!page.includes('createClient: function')) throw new Error(`next: the page is ${page}`)
  } finally {
    next?.kill()
  }
  return [...done, 'next'].join(', ')
}

function install() {
  const dependencies = { ...BUNDLERS, ...manifest.dependencies }
  const wanted = `${JSON.stringify({ private: true, dependencies, allowScripts: { sharp: false } }, null, 2)}\n`
  const file = join(folder, 'package.json')
  if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'wanted.json'), wanted)
    writeFileSync(file, wanted)
    try {
      execFileSync('npm', ['install', '--no-package-lock', '--loglevel=error'], {
        cwd: folder,
        stdio: 'inherit',
      })
    } catch (error) {
      rmSync(file)
      throw error
    }
  }
  const installed = join(folder, 'node_modules/thinkon')
  rmSync(installed, { recursive: true, force: true })
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', packedTarball(), '--strip-components', '1', '-C', installed])
}

function run(args: string[]): string {
  try {
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
    return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', env })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`node ${args.join(' ')} failed\n${stdout}${stderr}`.slice(0, 8000))
  }
}

let next: ChildProcess | null = null

function startNext(): Promise<string> {
  const args = [
    'node_modules/next/dist/bin/next',
    'start',
    'next-app',
    '--port',
    '0',
    '--hostname',
    '127.0.0.1',
  ]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  next = child
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(new Error(`next did not start\n${text}`)), NEXT_START_MS)
    child.stdout.on('data', (chunk) => {
      text += chunk
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? []
      if (address === undefined || !text.includes('Ready')) return
      clearTimeout(timer)
      resolve(address)
    })
    child.on('exit', (code) => reject(new Error(`next ended with ${code}\n${text}`)))
  })
}

function write(files: Record<string, string>) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

const SERVER = `import { builtinTools, solve } from 'thinkon'
import { createService } from 'thinkon/server'
import { mcpTools } from 'thinkon/mcp'
if (typeof createService !== 'function' || typeof mcpTools !== 'function') throw new Error('not there')
export const answer = async () =>
  (await solve('3 + 4', { model: 'embedded:mini', store: 'file', tools: builtinTools({ workspace: '.' }) })).result
`

const SOURCES: Record<string, string> = {
  'web.mjs': `import { createClient } from 'thinkon/client'
document.title = createClient({ url: location.href }).solve.name\n`,
  'server.mjs': `import { answer } from './answer.mjs'\nanswer().then(console.log)\n`,
  'answer.mjs': SERVER,
  'webpack.mjs': `import webpack from 'webpack'
const context = import.meta.dirname
const web = { mode: 'production', context, target: 'web', entry: './web.mjs', output: { path: context + '/out/webpack-web' } }
const output = { path: context + '/out/webpack-server', filename: '[name].cjs', chunkFilename: '[name].cjs' }
const server = { mode: 'production', context, target: 'node', entry: './server.mjs', output }
webpack([web, server], (error, stats) => {
  if (error !== null) throw error
  const { errors, children: [{ warnings }] } = stats.toJson()
  if (errors.length > 0 || warnings.length > 0) throw new Error(JSON.stringify([...errors, ...warnings], null, 1))
})\n`,
  'rollup.mjs': `import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import nodeResolve from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
for (const [input, dir, browser] of [['web.mjs', 'out/rollup-web', true], ['server.mjs', 'out/rollup-server', false]]) {
  const warnings = []
  const plugins = [nodeResolve({ browser, preferBuiltins: !browser }), commonjs(), json()]
  const bundle = await rollup({ input, plugins, onwarn: (warning) => warnings.push(warning.message) })
  await bundle.write({ dir, format: 'es', entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' })
  if (browser && warnings.length > 0) throw new Error(warnings.join('\\n'))
}\n`,
  'next-app/package.json': '{ "private": true }\n',
  'next-app/next.config.mjs': `import { join } from 'node:path'
// The packages lie in the folder above.
export default { turbopack: { root: join(import.meta.dirname, '..') } }\n`,
  'next-app/app/layout.jsx':
    'export default function Layout({ children }) { return <html><body>{children}</body></html> }\n',
  'next-app/app/page.jsx': `'use client'
import { createClient } from 'thinkon/client'
export default function Page() { return <p>{'createClient: ' + typeof createClient}</p> }\n`,
  'next-app/app/api/run/answer.mjs': SERVER,
  'next-app/app/api/run/route.js': `import { answer } from './answer.mjs'
export const dynamic = 'force-dynamic'
export async function GET() { return new Response(await answer()) }\n`,
}
