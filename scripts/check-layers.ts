// Keeps the imports in src/ and studio/ pointing the way docs/architecture.md says, and free of cycles. Tests may import anything.
//
// `import type` counts for the layers and for cycles (what a file knows of), but not for the load check (what it loads).

import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { findCycles } from './find-cycles.ts'
import { type Import, type Imports, readImports } from './read-imports.ts'

// Which layer a file is in: the first prefix that fits.
const layers: [prefix: string, layer: string][] = [
  ['src/index.ts', 'engine'],
  ['src/engine.ts', 'engine'],
  ['src/engine/schemas/', 'given schemas'],
  ['src/engine/', 'engine'],
  ['src/version.ts', 'engine'],
  ['src/stores.ts', 'engine'],
  ['src/cluster.ts', 'engine'],
  ['src/mcp.ts', 'engine'],
  ['src/server.ts', 'server'],
  ['src/ai-sdk.ts', 'engine'],
  ['src/telemetry.ts', 'server'],
  ['src/client.ts', 'client'],
  ['src/client/', 'client'],
  ['src/streams/', 'streams'],
  ['src/views.ts', 'page'],
  ['src/protocol.ts', 'protocol'],
  ['src/protocol/', 'protocol'],
  ['src/arithmetic/', 'arithmetic'],
  ['src/files/', 'files'],
  ['src/schema/', 'schema'],
  ['src/reply/', 'reply'],
  ['src/kernel/', 'kernel'],
  ['src/hosts/shared/', 'hosts/shared'],
  ['src/hosts/', 'hosts'],
  ['src/config/', 'config'],
  ['src/store/', 'store'],
  ['src/models/embedded/mini/', 'mini'],
  ['src/models/embedded/', 'embedded'], // strategies answer for themselves in its terms
  ['src/models/', 'models'],
  ['src/tools/', 'tools'],
  ['src/strategies/', 'strategies'],
  ['src/views/', 'views'],
  ['src/testing/', 'testing'],
  ['src/lab/', 'lab'],
  ['src/cluster/', 'cluster'],
  ['src/server/', 'server'],
  ['src/cli/', 'cli'],
  ['studio/src/', 'studio'],
]

// A strategy's views, its notes and the data of its document: a web page draws with them, so they load none of its code.
const STRATEGY_VIEW = /^src\/strategies\/[^/]+\/(?:view\.ts|views\/.*|notes\.ts|protocol\.ts)$/
const VIEWS = "strategies' views"

// What a goal says about its result: views know by it whether a result will be checked.
const DEMANDS_FILE =
  /^src\/strategies\/closing\/(?:count|demand|demands-of|files|format|instructions|is-trivial|items|language|length|numbers|stands-as-written|value)\.ts$/
const DEMANDS = 'demands of goals'

// What each layer may import besides itself.
const ports = ['kernel', 'reply', 'schema', 'protocol']
const implementations = ['files', 'hosts', 'store', 'models', 'tools']
const mayImport: Record<string, string[]> = {
  protocol: [],
  arithmetic: ['protocol'],
  files: ['protocol'],
  schema: ['protocol'],
  reply: ['schema', 'protocol'],
  kernel: ['reply', 'schema', 'protocol'],
  views: ['protocol', 'arithmetic'],
  embedded: [...ports, 'arithmetic'],
  mini: [...ports, 'arithmetic', 'embedded', 'files'],
  [DEMANDS]: ['protocol', 'views', 'arithmetic'],
  [VIEWS]: ['protocol', 'views', 'arithmetic', DEMANDS],
  strategies: [...ports, 'views', VIEWS, DEMANDS, 'arithmetic', 'embedded'],
  'hosts/shared': ports,
  hosts: [...ports, 'hosts/shared'],
  config: [...ports, 'files'],
  store: [...ports, 'files'],
  models: [...ports, 'embedded', 'mini', 'files'],
  tools: [...ports, 'arithmetic', 'files'],
  streams: ['protocol', 'views'],
  'given schemas': ports,
  page: ['protocol', 'views', 'strategies'],
  client: ['protocol', 'streams', 'given schemas', 'page'],
  engine: [...ports, 'config', 'strategies', 'views', 'streams', 'given schemas', ...implementations],
  testing: [...ports, 'strategies', 'views', ...implementations, 'engine'],
  lab: [...ports, 'arithmetic', 'embedded', 'mini', 'files', 'tools', 'strategies', 'views', 'engine'],
  cluster: [...ports, 'files', 'config'],
  server: [...ports, 'files', 'tools', 'config', 'strategies', 'views', 'engine', 'given schemas'],
  cli: [
    ...ports,
    'arithmetic',
    'config',
    'strategies',
    'views',
    ...implementations,
    'engine',
    'testing',
    'lab',
    'cluster',
    'server',
  ],
}

// What a layer may know by its types, and does not load.
const mayKnow: Record<string, string[]> = {
  client: ['kernel', 'engine', 'strategies', 'views'],
}

// What the web page is made with: what anybody's page could be made with.
const PAGE_MODULES = /^(?:react|react-dom(?:\/client)?|thinkon\/(?:protocol|views|client))$/

// Which modules from outside src/ a layer may import; a layer that is not named may import any.
const outside: Record<string, (name: string) => boolean> = {
  protocol: () => false,
  arithmetic: () => false,
  client: () => false,
  streams: () => false,
  kernel: (name) => !isBuiltin(name) || name === 'node:crypto',
  strategies: (name) => !isBuiltin(name),
  studio: (name) => PAGE_MODULES.test(name),
}

// What must not be loaded with an entry, however far away. `import 'thinkon'` must be cheap; a web page has no Node.
const entries: [file: string, forbidden: (name: string) => boolean, advice: string][] = [
  ['src/index.ts', isPackage, 'import it when it is used'],
  ['src/views.ts', isBuiltin, 'a web page has no Node'],
  ['src/client.ts', isOutside, 'a web page has no Node, and need not have packages'],
  ['src/streams/run-streams.ts', isBuiltin, 'a web page has no Node'],
  ['src/protocol.ts', isBuiltin, 'a web page has no Node'],
  ['src/protocol/index.ts', isBuiltin, 'a web page has no Node'],
]

function isOutside(name: string): boolean {
  return !name.startsWith('src/')
}

function isPackage(name: string): boolean {
  return !isBuiltin(name) && !name.startsWith('src/')
}

/** One entry per violation: first those of the files, in their order; none when all is well. */
export function checkLayers(root: string): string[] {
  const imports = readImports(root)
  const violations: string[] = []
  for (const [file, list] of imports) {
    if (!layerOf(file)) violations.push(`${file}:1 is in no layer: give it one in scripts/check-layers.ts`)
    for (const found of list) {
      const why = forbidden(file, found)
      if (why) violations.push(`${file}:${found.line} imports ${found.to}: ${why}`)
    }
  }
  return [
    ...violations,
    ...entries.flatMap((entry) => forbiddenLoads(imports, entry)),
    ...findCycles(imports),
  ]
}

function forbidden(file: string, { to, relative, kind }: Import): string | undefined {
  const from = layerOf(file)
  if (!from) return undefined
  if (!relative) return forbiddenModule(from, to)
  const [mine, other] = [strategyOf(file), strategyOf(to)]
  // The shapes of what it draws are the strategy's own.
  if (from === VIEWS && kind === 'type' && mine === other) return undefined
  const target = layerOf(to)
  if (!target) return `${from} must not import what is in no layer`
  if (kind === 'type' && mayKnow[from]?.includes(target)) return undefined
  if (target !== from && !mayImport[from]?.includes(target)) return `${from} must not import ${target}`
  if (mine && other && mine !== other) return 'one strategy must not import another'
  return undefined
}

function forbiddenModule(from: string, name: string): string | undefined {
  if (from !== 'studio' && /^thinkon(\/|$)/.test(name))
    return 'src must import its own files by relative paths'
  const allowed = outside[from]?.(name) ?? true
  return allowed ? undefined : `${from} must not import ${isBuiltin(name) ? 'this Node module' : 'packages'}`
}

// Walks from an entry along what is loaded with it, shortest ways first.
function forbiddenLoads(imports: Imports, [entry, isForbidden, advice]: (typeof entries)[number]): string[] {
  const wayTo = new Map([[entry, [entry]]])
  const violations: string[] = []
  for (const [file, way] of wayTo) {
    for (const { line, to, kind } of imports.get(file) ?? []) {
      if (kind !== 'static') continue
      if (isForbidden(to)) {
        violations.push(`${file}:${line} imports ${to}: loaded by ${way.join(' → ')}; ${advice}`)
      } else if (!wayTo.has(to)) wayTo.set(to, [...way, to])
    }
  }
  return violations
}

function layerOf(file: string): string | undefined {
  if (STRATEGY_VIEW.test(file)) return VIEWS
  if (DEMANDS_FILE.test(file)) return DEMANDS
  return layers.find(([prefix]) => file.startsWith(prefix))?.[1]
}

// The folders below src/strategies/ are strategies, except for what they share.
const SHARED_BY_STRATEGIES = new Set(['closing'])

function strategyOf(file: string): string | undefined {
  const folder = /^src\/strategies\/([^/]+)\//.exec(file)?.[1]
  return folder === undefined || SHARED_BY_STRATEGIES.has(folder) ? undefined : folder
}

if (import.meta.main) {
  const violations = checkLayers(join(import.meta.dirname, '..'))
  for (const line of violations) console.error(line)
  process.exitCode = violations.length > 0 ? 1 : 0
}
