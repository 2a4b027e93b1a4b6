// The packed package in bundles of esbuild with its default settings. The soak has webpack, Rollup and Next.js.

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshProject, type Project } from './packed.ts'

let project: Project
const folders: string[] = []
beforeAll(() => {
  project = freshProject()
})
afterAll(() => {
  project?.remove()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Of the bundle `out/main.*`: what went in. */
async function bundle(inside: Project, source: string, options: BuildOptions): Promise<Metafile> {
  inside.write({ 'main.mjs': source })
  const { metafile, warnings } = await build({
    absWorkingDir: inside.folder,
    entryPoints: ['main.mjs'],
    bundle: true,
    outdir: 'out',
    metafile: true,
    logLevel: 'silent',
    ...options,
  })
  expect(warnings.map(({ text }) => text)).toEqual([])
  if (metafile === undefined) throw new Error('no metafile')
  return metafile
}

const imported = ({ inputs, outputs }: Metafile) => ({
  files: Object.keys(inputs),
  external: Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  ),
})

describe('a bundle of thinkon/client for a browser', () => {
  it('has no Node module, no optional package, no model and no tool in its graph', async () => {
    const source = `import { createClient } from 'thinkon/client'
      globalThis.client = createClient({ url: 'http://127.0.0.1:1' })`
    const metafile = await bundle(project, source, { platform: 'browser', format: 'esm', splitting: true })
    const { files, external } = imported(metafile)
    expect(external).toEqual([])
    expect(
      files.filter((file) =>
        /thinkon\/dist\/(?:models|tools|store|hosts|schema\/(?!standard)|server)\//.test(file),
      ),
    ).toEqual([])
    const [main] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint === 'main.mjs')
    expect(main?.bytes).toBeLessThan(100_000)
    const script = `await import('./out/main.js')
      await globalThis.client.list().catch(({ code, message }) => console.log(code, message.includes('127.0.0.1:1')))`
    expect(project.printed(['--input-type=module', '-e', script])).toBe('INTERRUPTED true')
  })
})

const SERVER = `import { builtinTools, createEngine, solve } from 'thinkon'
import { createService, serviceApp } from 'thinkon/server'
async function main() {
  const store = process.env.STORE ?? 'runs.db'
  if (typeof createEngine !== 'function' || typeof createService !== 'function' || typeof serviceApp !== 'function') throw new Error('not there')
  const { result } = await solve('3 + 4', { store, model: 'embedded:abacus' })
  const fails = (promise) => promise.then((value) => JSON.stringify(value), ({ message }) => message)
  const mini = await fails(solve('3 + 4', { model: 'embedded:mini' }))
  const model = { id: 'own', call: async () => { throw new Error('not called') } }
  const ask = { name: 'ask', version: 1, options: (given) => given, solve: async (context) => {
    const found = await context.one(context.tool('search_files', { pattern: 'needle' }))
    return JSON.stringify(found) } }
  const search = await fails(solve('go', { model, strategies: [ask], strategy: 'ask', tools: builtinTools({ workspace: '.' }) }))
  const postgres = await fails(solve('3 + 4', { model, store: 'postgres://127.0.0.1:1/none' }))
  const openai = await fails(solve('say hi', { model: 'openai:gpt-5' }))
  console.log(JSON.stringify({ result, mini, search, postgres, openai }))
}
main()
`

it.each(['protocol', 'views', 'client'])('thinkon/%s is bundled for a browser as one file', async (part) => {
  const source = `import * as part from 'thinkon/${part}'\nglobalThis.part = part`
  const { external } = imported(await bundle(project, source, { platform: 'browser' }))
  expect(external).toEqual([])
})

describe('a bundle of thinkon and thinkon/server for Node', () => {
  const ran = (inside: Project, args: string[]) => {
    const env = { OPENAI_API_KEY: '', THINKON_MODEL: '' }
    return JSON.parse(inside.printed(args, { env }))
  }

  it('builds without optional packages, runs, and names the ones that are missing', async () => {
    await bundle(project, SERVER, { platform: 'node', outExtension: { '.js': '.cjs' } })
    project.write({ 'notes.txt': 'a needle in the hay\n' })
    const printed = ran(project, ['out/main.cjs'])
    expect(printed).toMatchObject({ result: '3 + 4 = 7', mini: expect.stringContaining('7') })
    expect(printed.search).toContain('notes.txt')
    expect(printed.postgres).toBe('a store in PostgreSQL needs the package pg: npm install pg')
    expect(printed.openai).toBe('openai:gpt-5 needs the package @ai-sdk/openai: npm install @ai-sdk/openai')
  })

  it('names the file and the remedy if it is copied to where the package is not installed', async () => {
    const alone = mkdtempSync(join(tmpdir(), 'thinkon-bundle-'))
    folders.push(alone)
    cpSync(join(project.folder, 'out/main.cjs'), join(alone, 'main.cjs'))
    const printed = ran(project, [join(alone, 'main.cjs')])
    expect(printed.result).toBe('3 + 4 = 7')
    expect(printed.mini).toMatch(/mini\.gguf of the package thinkon was not found: .*serverExternalPackages/)
    expect(printed.search).toMatch(/search-worker\.ts of the package thinkon was not found/)
  })

  it('contains the optional packages that are installed', async () => {
    const packages = [
      'pg',
      'js-tiktoken',
      '@ai-sdk/openai',
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/client',
    ]
    const full = freshProject({ packages })
    try {
      await bundle(full, SERVER, { platform: 'node', outExtension: { '.js': '.cjs' } })
      const alone = mkdtempSync(join(tmpdir(), 'thinkon-bundle-'))
      folders.push(alone)
      cpSync(join(full.folder, 'out/main.cjs'), join(alone, 'main.cjs'))
      const printed = ran(full, [join(alone, 'main.cjs')])
      expect(printed.postgres).toContain('127.0.0.1:1')
      expect(printed.openai).toContain('needs a key')
    } finally {
      full.remove()
    }
  })
})
