// What TypeScript says of the package with its default settings, and with those of a monorepo: declarations of a user's own code are
// written, so that each inferred type must have a name that the package exports.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Declarations } from '../../scripts/read-declarations.ts'
import { snippetsOf } from '../docs/pages.ts'
import { checkout, freshProject, manifest, type Project, parts } from './packed.ts'

const EXAMPLE = 'examples/17-answer-from-a-folder'
const used = parts
const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
const COMPOSITE = { ...STRICT, target: 'es2024', module: 'nodenext', composite: true, outDir: 'out' }

let project: Project
beforeAll(() => {
  project = freshProject({ packages: ['zod', '@ai-sdk/provider'] })
})
afterAll(() => project?.remove())

/** The compiler's errors in these files, and in Thinkon's declarations. */
function errorsIn(files: Record<string, string>, options: object, types?: 'node'): string[] {
  const all = { ...options, ...(types && { types: [types] }) }
  project.write({
    ...files,
    'tsconfig.json': JSON.stringify({ compilerOptions: all, files: Object.keys(files) }),
  })
  rmSync(join(project.folder, 'out'), { recursive: true, force: true })
  // The AI SDK's own declarations name types that it does not install.
  return project
    .tsc()
    .split('\n')
    .filter((line) => /error TS/.test(line) && !/^(?:\.\.\/|node_modules\/@)/.test(line))
}

describe('TypeScript with its default types, and without @types/node', () => {
  beforeAll(() => {
    rmSync(join(project.folder, 'node_modules/@types'), { recursive: true })
  })

  it('has nothing to say of any entry, skipLibCheck off', () => {
    const imports = used.map((part, n) => `import * as part${n} from '${part}'`)
    const all = `${imports.join('\n')}\nexport const all: object[] = [${used.map((_, n) => `part${n}`)}]\n`
    expect(errorsIn({ 'all.ts': all }, { ...COMPOSITE, skipLibCheck: false })).toEqual([])
  })

  it('can write declarations of what functions return', () => {
    const files = Object.fromEntries(
      used.map((part) => [`returns-${part.replace('/', '-')}.ts`, returnsOf(part)]),
    )
    expect(errorsIn({ ...files, ...METHODS }, { ...COMPOSITE, skipLibCheck: true })).toEqual([])
  })

  it('can write declarations of the fields and methods of each exported interface', () => {
    const files = Object.fromEntries(
      used.map((part) => [`fields-${part.replace('/', '-')}.ts`, fieldsOf(part)]),
    )
    expect(errorsIn(files, { ...COMPOSITE, skipLibCheck: true })).toEqual([])
  })

  it('can write declarations of a program', () => {
    expect(errorsIn({ 'program.ts': PROGRAM }, { ...COMPOSITE, skipLibCheck: false })).toEqual([])
  })
})

const exportsOf = (part: string) => {
  const target = manifest.exports[part.replace('thinkon', '.')]
    .replace('./src/', 'dist/')
    .replace(/\.ts$/, '.d.ts')
  return new Declarations().exportsOf(join(project.installed, target))
}

function returnsOf(part: string): string {
  const functions = [...exportsOf(part)].filter(([, { text }]) => text.startsWith('function'))
  const lines = functions.map(
    ([name]) =>
      `export const ${name}_ = (...given: Parameters<typeof part.${name}>) => part.${name}(...given)`,
  )
  return [`import * as part from '${part}'`, 'export const none = part', ...lines].join('\n')
}

/** Of interfaces without parameters, or with a default for the first one. */
function fieldsOf(part: string): string {
  const interfaces = [...exportsOf(part)].filter(([, { text }]) => {
    const [, parameters] = /^interface [\w$]+(<[^\n]*?>)?(?: extends[^\n]*)? \{/.exec(text) ?? []
    return text.startsWith('interface') && (parameters === undefined || /^<[^,]*=/.test(parameters))
  })
  const lines = interfaces.flatMap(([name, { text }]) => {
    const fields = [...text.matchAll(/^ {2}(?:readonly )?([\w$]+)\??[(:<]/gm)].map(([, field = '']) => field)
    const value = `declare const a${name}: part.${name}`
    return [
      value,
      ...[...new Set(fields)].map((field) => `export const ${name}_${field} = a${name}.${field}`),
    ]
  })
  return [`import type * as part from '${part}'`, 'export type all = typeof part', ...lines].join('\n')
}

const methods = (text: string, value: string, names: string) =>
  `${text}\n${names
    .split(' ')
    .map(
      (name) =>
        `export const ${name}_ = (...given: Parameters<typeof ${value}.${name}>) => ${value}.${name}(...given)`,
    )
    .join('\n')}\n`

const ENGINE = `import { createEngine } from 'thinkon'\nexport const engine = createEngine()`
const METHODS = {
  'engine.ts': methods(
    ENGINE,
    'engine',
    'start resume check replay fork redo signal list row count state outline events tools delete prune compact export import',
  ),
  'run.ts': methods(
    `${ENGINE}\nexport const run = await engine.start('3 + 4')\nexport const { outcome, events, text, thoughts } = run`,
    'run',
    'signal cancel toUIMessageStream',
  ),
  'client.ts': methods(
    `import { createClient } from 'thinkon/client'\nexport const client = createClient({ url: '/' })`,
    'client',
    'start run list show resume replay fork redo signal cancel delete export import strategies',
  ),
  'service.ts': methods(
    `import { createEngine } from 'thinkon'\nimport { createService } from 'thinkon/server'
export const service = createService({ engineFor: () => createEngine(), models: ['own'] })
export const { engine: inner, strategies } = service`,
    'service',
    'open close',
  ),
}

const PROGRAM = `import { createEngine, defineConfig, solve, tool } from 'thinkon'
import { createClient } from 'thinkon/client'
import type { Event, RunState } from 'thinkon/protocol'
import { defineStrategy, dualEngine, treeOfThoughts } from 'thinkon/strategies'
import { z } from 'zod'
export const started = (events: Event[]) => events.find((event) => event.type === 'run-start')
export const replies = (events: Event[]) => events.filter((event) => event.type === 'model-end')
export const questions = (events: Event[]) => events.flatMap((event) => (event.type === 'signal-asked' ? [event] : []))
export const blocks = (state: RunState) => [...state.blocks.values()]
export const config = defineConfig({ model: 'openai:gpt-5' })
export const order = tool({
  name: 'order', description: 'Orders.', access: 'write', input: z.object({ item: z.string() }), run: async ({ item }) => item,
})
export const engine = createEngine({ tools: [order] })
export const typed = async () => solve('x', { output: z.object({ total: z.number() }) })
export const value = async () => (await engine.start('x', { output: z.object({ total: z.number() }) })).outcome
export const asked = async () => {
  for await (const event of (await engine.start('x')).events) if (event.type === 'signal-asked') return event
}
/** The result of a child is the result of its parent. */
export const passOn = defineStrategy({
  name: 'pass-on', version: 1, options: (given) => given,
  solve: async (context) => await context.one(context.call('the same')),
})
export const tree = treeOfThoughts({})
export const dual = dualEngine({})
export const client = createClient({ url: '/' })
export const remote = async () => client.start('x')
`

describe('the tutorial', () => {
  it('compiles as printed, with its own tsconfig.json and with declarations', () => {
    const own = freshProject({ packages: ['zod', '@ai-sdk/openai-compatible', '@ai-sdk/provider'] })
    try {
      cpSync(join(checkout, EXAMPLE), own.folder, { recursive: true })
      const printed = snippetsOf('docs/tutorial.md').find(({ text }) => text.includes('compilerOptions'))
      writeFileSync(join(own.folder, 'tsconfig.json'), printed?.text ?? '')
      expect(own.tsc()).toBe('')
      const { compilerOptions } = JSON.parse(readFileSync(join(own.folder, 'tsconfig.json'), 'utf8'))
      const declared = {
        ...compilerOptions,
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        outDir: 'out',
      }
      writeFileSync(
        join(own.folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: declared, include: ['*.ts'] }),
      )
      expect(own.tsc()).toBe('')
    } finally {
      own.remove()
    }
  })
})
