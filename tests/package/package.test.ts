// The published package, used from projects that have installed it and nothing else.

import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkout, freshProject, manifest, type Project, packedTarball, parts } from './packed.ts'

/** Half of what an install was before heavy packages became optional, 49 MB, and the weights. Beyond it, look for what is avoidable. */
const MOST_MEGABYTES = 24.5 + 5
/** How far docs/library.md, which says whole megabytes, may be from what an install is: file systems and versions differ. */
const NEAR_MEGABYTES = 1
/** Its types are those of the AI SDK, whose packages are optional. */
const AI_SDK = 'thinkon/ai-sdk'
const RESOLUTIONS: [string, object, string][] = [
  ['strict, as Node resolves', { module: 'nodenext', types: ['node'] }, 'user.ts'],
  ['as bundlers resolve', { module: 'esnext', moduleResolution: 'bundler', types: ['node'] }, 'user.ts'],
  ['in CommonJS', { module: 'nodenext', types: ['node'] }, 'user.cts'],
]

let project: Project
beforeAll(() => {
  project = freshProject()
})
afterAll(() => project?.remove())

describe('the tarball', () => {
  const filesOf = () => readdirSync(project.installed, { recursive: true, encoding: 'utf8' })

  it('holds code, types and docs, and no sources, tests or scripts', () => {
    const files = filesOf()
    for (const file of ['dist/index.js', 'dist/index.d.ts', 'docs/library.md', 'README.md', 'LICENSE'])
      expect(files).toContain(file)
    expect(
      files.filter((file) => /\.test\.|^(src|tests|scripts|bench|examples|node_modules)\b/.test(file)),
    ).toEqual([])
  })

  it('maps every file of code to its source, which is in the map', () => {
    const scripts = globSync('dist/**/*.js', { cwd: project.installed })
    expect(scripts.length).toBeGreaterThan(500)
    const differing = scripts.filter((file) => {
      const map = JSON.parse(readFileSync(join(project.installed, `${file}.map`), 'utf8'))
      const source = join(checkout, dirname(file), map.sources[0])
      return map.sourcesContent[0] !== readFileSync(source, 'utf8')
    })
    expect(differing).toEqual([])
  })

  it('names the source in the trace of an error', () => {
    const script = `import { ThinkonError } from 'thinkon'
      try { ThinkonError.fromJSON(null) } catch (error) { console.log(error.stack) }`
    const trace = project.printed(['--enable-source-maps', '--input-type=module', '-e', script])
    expect(trace).toMatch(/thinkon\/src\/protocol\/errors\.ts:\d+/)
  })

  it('holds the blueprints that come with it, where they are looked for', () => {
    const load = join(project.installed, 'dist/tools/blueprints/blueprint-tools.js')
    const script = `const { loadBlueprints } = await import(${JSON.stringify(load)})
      const { blueprints } = await loadBlueprints('.')
      console.log(blueprints.map(({ name }) => name).join())`
    const names = project.printed(['--input-type=module', '-e', script])
    expect(names).toBe('code-audit,documentation,migration,security-review')
  })

  it('holds a language model, and what computes it', () => {
    const mini = join(project.installed, 'dist/models/embedded/mini')
    const script = `const { openTextModel } = await import(${JSON.stringify(join(mini, 'text-model.js'))})
      const model = await openTextModel(${JSON.stringify(join(mini, 'mini.gguf'))})
      console.log((await model.complete({ prompt: 'T|(3+4)>' })).text)`
    expect(project.printed(['--input-type=module', '-e', script])).toBe('R7')
  })

  it('has a manifest that names nothing of the checkout', () => {
    const packed = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8'))
    expect(Object.keys(packed)).toEqual(
      expect.arrayContaining(['repository', 'homepage', 'bugs', 'keywords']),
    )
    for (const key of ['devDependencies', 'overrides']) expect(packed).not.toHaveProperty(key)
    expect(Object.keys(packed.scripts)).toEqual(['prepack', 'postpack']) // they put an interrupted pack right
    expect(JSON.stringify(packed.exports)).not.toContain('./src/')
  })

  it('has pages whose links lead to something in it, or to an address', () => {
    const broken = globSync('**/*.md', { cwd: project.installed }).flatMap((page) => {
      const text = readFileSync(join(project.installed, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '')
      const targets = [...text.matchAll(/\]\(([^)#\s]+)|(?:src|srcset|href)="([^"#]+)/g)].map(
        ([, a, b]) => a ?? b ?? '',
      )
      const relative = targets.filter((target) => !/^\w+:/.test(target))
      return relative
        .filter((target) => !existsSync(join(project.installed, dirname(page), target)))
        .map((target) => `${page}: ${target}`)
    })
    expect(broken).toEqual([])
  })

  it('has pages without the code of tests, and no bare name of a file of the repository', () => {
    const pages = globSync('**/*.md', { cwd: project.installed }).map((page) => ({
      page,
      text: readFileSync(join(project.installed, page), 'utf8').replace(/^[ \t]*```[\s\S]*?^[ \t]*```/gm, ''),
    }))
    expect(
      pages.filter(({ text }) => /<!-- (?:before|after|with|given)/.test(text)).map(({ page }) => page),
    ).toEqual([])
    const bare = pages.flatMap(({ page, text }) =>
      [...text.matchAll(/(?<!\[)`((?:src|tests|examples)\/[\w/.-]+)`/g)]
        .filter(([, path = '']) => existsSync(join(checkout, path)))
        .map(([name]) => `${page}: ${name}`),
    )
    expect(bare).toEqual([])
  })

  it('has the page of Studio, about as large as docs/studio.md says, and under 1 MB with the one to give away', () => {
    const dist = join(project.installed, 'studio/dist')
    const pages = globSync('**/*.*', { cwd: dist }).map((file) => ({
      file,
      bytes: gzipSync(readFileSync(join(dist, file))).length,
    }))
    const sizeOf = (files: typeof pages) => files.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20
    const docs = readFileSync(join(checkout, 'docs/studio.md'), 'utf8')
    const [, megabytes] = /The page is ([\d.]+) MB, compressed/.exec(docs) ?? []
    const page = sizeOf(pages.filter(({ file }) => file !== 'shared.html'))
    expect(Math.abs(page - Number(megabytes)), `${page} MB`).toBeLessThan(0.05)
    expect(sizeOf(pages)).toBeLessThan(1)
  })

  it('has nothing that publint objects to', async () => {
    const tarball = readFileSync(packedTarball())
    const pack = { tarball: new Uint8Array(tarball).buffer }
    const { messages, pkg } = await publint({ pack, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
  })

  it('has types that resolve as the code does', async () => {
    const result = await checkPackage(
      createPackageFromTarballData(new Uint8Array(readFileSync(packedTarball()))),
    )
    if (!result.types) throw new Error('no types')
    // Node 22.18 and later can require an ES module; TypeScript's "node10" knows no exports, and no such Node runs this.
    const known = ({ kind, ...problem }: { kind: string; resolutionKind?: string }) =>
      kind === 'CJSResolvesToESM' || problem.resolutionKind === 'node10'
    expect(result.problems.filter((problem) => !known(problem))).toEqual([])
  })
})

describe('in an empty project, without any optional package', () => {
  it('is as many packages, and about as large, as docs/library.md says', () => {
    // By name: in the checkout, other versions of some are there for others.
    const folders = new Map<string, string>()
    addDependencies(checkout, folders)
    const bytes = [project.installed, ...folders.values()]
      .map(sizeOnDisk)
      .reduce((sum, size) => sum + size, 0)
    const docs = readFileSync(join(checkout, 'docs/library.md'), 'utf8')
    const [, packages, megabytes] = /brings (\d+) packages, (\d+) MB on disk/.exec(docs) ?? []
    expect(Number(packages)).toBe(folders.size + 1)
    expect(Math.abs(bytes / 2 ** 20 - Number(megabytes)), `${bytes / 2 ** 20} MB`).toBeLessThan(
      NEAR_MEGABYTES,
    )
    expect(bytes / 2 ** 20).toBeLessThan(MOST_MEGABYTES)
  })

  it('can be imported, each of its parts', () => {
    const script = `for (const name of ${JSON.stringify(parts)})
      if (Object.keys(await import(name)).length === 0) console.log(name + ' exports nothing')`
    expect(project.printed(['--input-type=module', '-e', script])).toBe('')
  })

  it('can be required from CommonJS', () => {
    const script = `const { solve } = require('thinkon')
      for (const name of ${JSON.stringify(parts)}) require(name)
      solve('3 + 4', { model: 'embedded:mini' }).then(({ result }) => console.log(result))`
    expect(project.printed(['--input-type=commonjs', '-e', script])).toBe('3 + 4 = 7')
  })

  it.each(RESOLUTIONS)('brings types that compile: %s', (_, options, file) => {
    expect(
      compile(
        project,
        parts.filter((part) => part !== AI_SDK),
        options,
        file,
      ),
    ).toBe('')
  })

  it('has a command that says its version', () => {
    expect(project.printed([join(project.installed, 'bin/thinkon.js'), '--version'])).toContain(
      manifest.version,
    )
  })

  it('says what to install for MCP servers: in thinkon doctor, and where one is used', () => {
    project.write({ 'thinkon.config.json': '{ "mcp": { "files": "some-server" } }' })
    const advice = 'npm install @modelcontextprotocol/client'
    const doctor = project.node([join(project.installed, 'bin/thinkon.js'), 'doctor', '--json'], {
      env: { THINKON_TRUST: '1' },
    })
    const { findings } = JSON.parse(doctor.stdout)
    expect(findings).toContainEqual(expect.objectContaining({ area: 'mcp', name: 'files', todo: advice }))
    const script = `import { mcpTools } from 'thinkon/mcp'
      await mcpTools({ files: 'some-server' })().catch(({ message }) => console.log(message))`
    expect(project.printed(['--input-type=module', '-e', script])).toBe(
      `MCP server "files" needs the package @modelcontextprotocol/client: ${advice}`,
    )
  })
})

it.each(RESOLUTIONS)(`with the AI SDK, ${AI_SDK} has types that compile: %s`, (_, options, file) => {
  const withSdk = freshProject({ packages: ['@ai-sdk/provider'] })
  try {
    // The AI SDK's own declarations name types that it does not install.
    const said = compile(withSdk, ['thinkon', AI_SDK], options, file).split('\n')
    expect(said.filter((line) => /^(?:user\.|node_modules\/thinkon)/.test(line))).toEqual([])
  } finally {
    withSdk.remove()
  }
})

/** What the compiler says of a program that uses these parts, without `skipLibCheck`. */
function compile(inside: Project, used: readonly string[], options: object, file: string): string {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  const compilerOptions = { ...strict, target: 'es2024', skipLibCheck: false, noEmit: true, ...options }
  inside.write({
    [file]: `${used.map((name, n) => `import * as part${n} from '${name}'`).join('\n')}
      export const all: object[] = [${used.map((_, n) => `part${n}`)}]
      export const result: Promise<string | undefined> = part0.solve('3 + 4').then((outcome) => outcome.result)\n`,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: [file] }),
  })
  return inside.tsc()
}

/** The names and folders of all packages that the one in `folder` needs. */
function addDependencies(folder: string, folders: Map<string, string>): void {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (folders.has(name)) continue
    const own = join(folder, 'node_modules', name)
    const found = existsSync(own) ? own : join(checkout, 'node_modules', name)
    folders.set(name, found)
    addDependencies(found, folders)
  }
}

/** In blocks of 4 KiB, as most file systems count. */
function sizeOnDisk(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const own = files.filter((file) => !file.startsWith('node_modules'))
  const blocks = own.map((file) => Math.ceil(statSync(join(folder, file)).size / 4096))
  return blocks.reduce((sum, count) => sum + count, 0) * 4096
}
