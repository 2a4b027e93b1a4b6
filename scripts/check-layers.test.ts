import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { checkLayers } from './check-layers.ts'

const trees: string[] = []
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true })
})

/** Writes the files into a new folder and returns what the check says of them. */
function check(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'thinkon-layers-'))
  trees.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return checkLayers(root)
}

describe('layers', () => {
  it.each([
    ['src/protocol/a.ts', '../kernel/b.ts', 'protocol must not import kernel'],
    ['src/arithmetic/a.ts', '../kernel/b.ts', 'arithmetic must not import kernel'],
    ['src/protocol/a.ts', '../arithmetic/b.ts', 'protocol must not import arithmetic'],
    ['src/kernel/a.ts', '../arithmetic/b.ts', 'kernel must not import arithmetic'],
    ['src/kernel/a.ts', '../hosts/local/b.ts', 'kernel must not import hosts'],
    ['src/kernel/a.ts', '../store/sqlite.ts', 'kernel must not import store'],
    ['src/kernel/a.ts', '../views/b.ts', 'kernel must not import views'],
    ['src/kernel/durable.ts', '../hosts/local/b.ts', 'kernel must not import hosts'],
    ['src/views/a.ts', '../kernel/b.ts', 'views must not import kernel'],
    ['src/strategies/cot/a.ts', '../../engine.ts', 'strategies must not import engine'],
    ['src/strategies/cot/a.ts', '../../models/b.ts', 'strategies must not import models'],
    ['src/strategies/cot/a.ts', '../dual/b.ts', 'one strategy must not import another'],
    ['src/strategies/cot/views/a.ts', '../plan.ts', "strategies' views must not import strategies"],
    ['src/strategies/cot/view.ts', '../../kernel/a.ts', "strategies' views must not import kernel"],
    ['src/hosts/local/a.ts', '../../store/sqlite.ts', 'hosts must not import store'],
    ['src/store/a.ts', '../hosts/local/b.ts', 'store must not import hosts'],
    ['src/models/a.ts', '../tools/b.ts', 'models must not import tools'],
    ['src/tools/a.ts', '../engine.ts', 'tools must not import engine'],
    ['src/engine.ts', './cli/main.ts', 'engine must not import cli'],
    ['src/engine.ts', './testing/index.ts', 'engine must not import testing'],
    ['src/testing/a.ts', '../cli/b.ts', 'testing must not import cli'],
    ['src/testing/a.ts', '../server/b.ts', 'testing must not import server'],
    ['src/server/a.ts', '../store/sqlite.ts', 'server must not import store'],
    ['src/server/a.ts', '../cli/b.ts', 'server must not import cli'],
    ['src/cli/a.ts', '../../bench/b.ts', 'cli must not import what is in no layer'],
    ['src/cli/a.ts', 'thinkon/testing', 'src must import its own files by relative paths'],
  ])('%s may not import %s', (file, to, why) => {
    expect(check({ [file]: `import { x } from '${to}'\n` })).toEqual([
      expect.stringMatching(new RegExp(`^${file}:1 imports \\S+: ${why}$`)),
    ])
  })

  it.each([
    ['src/hosts/local/a.ts', '../../kernel/durable.ts'],
    ['src/kernel/a.ts', '../protocol/b.ts'],
    ['src/tools/a.ts', '../arithmetic/b.ts'],
    ['src/arithmetic/a.ts', '../protocol/b.ts'],
    ['src/hosts/local/a.ts', '../shared/b.ts'],
    ['src/strategies/cot/a.ts', '../../views/b.ts'],
    ['src/strategies/index.ts', './cot/a.ts'],
    ['src/strategies/cot/embedded.ts', '../../models/embedded/kinds.ts'],
    ['src/strategies/cot/views/a.ts', '../notes.ts'],
    ['src/strategies/cot/strategy.ts', './notes.ts'],
    ['src/engine.ts', './hosts/local/b.ts'],
    ['src/cli/a.ts', '../server/b.ts'],
    ['src/testing/a.ts', '../engine.ts'],
    ['src/kernel/a.test.ts', '../store/sqlite.ts'],
  ])('%s may import %s', (file, to) => {
    expect(check({ [file]: `import { x } from '${to}'\n` })).toEqual([])
  })

  it('names a file that is in no layer', () => {
    expect(check({ 'src/utils/a.ts': '' })).toEqual([
      'src/utils/a.ts:1 is in no layer: give it one in scripts/check-layers.ts',
    ])
  })
})

describe('modules from outside', () => {
  it.each([
    ['src/protocol/a.ts', 'zod', 'protocol must not import packages'],
    ['src/protocol/a.ts', 'node:crypto', 'protocol must not import this Node module'],
    ['src/kernel/a.ts', 'node:fs', 'kernel must not import this Node module'],
    ['src/kernel/a.ts', 'fs/promises', 'kernel must not import this Node module'],
    ['src/strategies/cot/a.ts', 'node:crypto', 'strategies must not import this Node module'],
  ])('%s may not import %s', (file, to, why) => {
    expect(check({ [file]: `import { x } from '${to}'\n` })).toEqual([`${file}:1 imports ${to}: ${why}`])
  })

  it('lets the kernel use node:crypto, a schema zod, a store node:sqlite', () => {
    expect(
      check({
        'src/kernel/a.ts': "import { createHash } from 'node:crypto'\n",
        'src/strategies/cot/schema.ts': "import { z } from 'zod'\n",
        'src/store/sqlite.ts': "import { DatabaseSync } from 'node:sqlite'\n",
      }),
    ).toEqual([])
  })
})

describe('what import "thinkon" loads', () => {
  it.each(['zod', 'zod/v4', 'ai', '@ai-sdk/openai', 'react', 'yaml', '@modelcontextprotocol/client'])(
    'must not be %s',
    (name) => {
      const found = check({
        'src/index.ts': "export { solve } from './engine.ts'\n",
        'src/engine.ts': "import { a } from './models/a.ts'\n",
        'src/models/a.ts': `\nimport { x } from '${name}'\n`,
      })
      expect(found).toEqual([
        `src/models/a.ts:2 imports ${name}: loaded by src/index.ts → src/engine.ts → src/models/a.ts; import it when it is used`,
      ])
    },
  )

  it('may be loaded later, or be types', () => {
    const files = {
      'src/index.ts': "import { a } from './engine.ts'\nexport type { B } from './models/b.ts'\n",
      'src/engine.ts': "import type { z } from 'zod'\nconst a = await import('./models/b.ts')\n",
      'src/models/b.ts': "import 'ai'\nimport 'aircraft'\n",
    }
    expect(check(files)).toEqual([])
  })

  it('ends when files import each other', () => {
    const files = {
      'src/index.ts': "export * from './engine.ts'\n",
      'src/engine.ts': "import './index.ts'\nimport 'react/jsx-runtime'\n",
    }
    expect(check(files)).toEqual([
      expect.stringContaining('imports react/jsx-runtime'),
      expect.stringContaining('cycle: src/engine.ts → src/index.ts → src/engine.ts'),
    ])
  })
})

describe('cycles', () => {
  it('of two files are named, with the imports that make them', () => {
    const files = {
      'src/kernel/a.ts': "import { b } from './b.ts'\n",
      'src/kernel/b.ts': "\nimport { a } from './a.ts'\n",
    }
    expect(check(files)).toEqual([
      'cycle: src/kernel/a.ts → src/kernel/b.ts → src/kernel/a.ts, by\n' +
        '  src/kernel/a.ts:1 → src/kernel/b.ts\n' +
        '  src/kernel/b.ts:2 → src/kernel/a.ts',
    ])
  })

  it.each([
    ['types', "import type { B } from './b.ts'\n"],
    ['a dynamic import', "const b = import('./b.ts')\n"],
    ['a re-export', "export { b } from './b.ts'\n"],
  ])('are seen through %s', (_, text) => {
    const files = { 'src/kernel/a.ts': text, 'src/kernel/b.ts': "import { a } from './a.ts'\n" }
    expect(check(files)).toHaveLength(1)
  })

  it('of folders are named, though no file is in a cycle', () => {
    const files = {
      'src/tools/mcp/a.ts': "import { b } from '../memory/b.ts'\n",
      'src/tools/mcp/base.ts': '',
      'src/tools/memory/b.ts': '',
      'src/tools/memory/c.ts': "import { base } from '../mcp/base.ts'\n",
    }
    expect(check(files)).toEqual([
      'cycle: src/tools/mcp/ → src/tools/memory/ → src/tools/mcp/, by\n' +
        '  src/tools/mcp/a.ts:1 → src/tools/memory/b.ts\n' +
        '  src/tools/memory/c.ts:1 → src/tools/mcp/base.ts',
    ])
  })

  it('are seen between a folder and the file that opens it', () => {
    const files = {
      'src/engine.ts': "const made = import('./engine/compose.ts')\n",
      'src/engine/compose.ts': "import type { Engine } from '../engine.ts'\n",
    }
    expect(check(files)).toEqual([
      expect.stringMatching(/^cycle: src\/engine\.ts → src\/engine\/ → src\/engine\.ts/),
    ])
  })

  it('are not made by a file that opens a folder and another that the folder uses', () => {
    const files = {
      'src/tools/open-tools.ts': "import { shell } from './builtin/shell.ts'\n",
      'src/tools/builtin/shell.ts': "import { defineTool } from '../define-tool.ts'\n",
      'src/tools/define-tool.ts': '',
    }
    expect(check(files)).toEqual([])
  })

  it('that share files are named once, by a shortest one', () => {
    const files = {
      'src/kernel/a.ts': "import './b.ts'\n",
      'src/kernel/b.ts': "import './c.ts'\n",
      'src/kernel/c.ts': "import './a.ts'\nimport './b.ts'\n",
    }
    expect(check(files)).toEqual([
      expect.stringMatching(/^cycle: src\/kernel\/b\.ts → src\/kernel\/c\.ts → src\/kernel\/b\.ts,/),
    ])
  })
})

describe('reading imports', () => {
  it.each([
    ['side effect', "import '../store/a.ts'"],
    ['default and named', "import a, { b as c } from '../store/a.ts'"],
    ['namespace', "import * as a from '../store/a.ts'"],
    ['type', "import type { A } from '../store/a.ts'"],
    ['inline type', "import { type A } from '../store/a.ts'"],
    ['over several lines', "import {\n  a,\n  b,\n} from '../store/a.ts'"],
    ['export', "export { a } from '../store/a.ts'"],
    ['export all', "export * from '../store/a.ts'"],
    ['dynamic', "const a = await import('../store/a.ts')"],
    ['dynamic over lines', "const a = import(\n  '../store/a.ts'\n)"],
    ['type expression', "type A = import('../store/a.ts').A"],
    ['double quotes', 'import { a } from "../store/a.ts"'],
  ])('sees one: %s', (_, statement) => {
    const text = `// one line before\n${statement}\n`
    expect(check({ 'src/kernel/a.ts': text })).toEqual([
      'src/kernel/a.ts:2 imports src/store/a.ts: kernel must not import store',
    ])
  })

  it.each([
    ['line comment', "// import { a } from '../store/a.ts'"],
    ['block comment', "/*\nimport { a } from '../store/a.ts'\n*/"],
    ['template', "const a = `\nimport { a } from '../store/a.ts'\n`"],
  ])('sees none in a %s', (_, text) => {
    expect(check({ 'src/kernel/a.ts': `${text}\n` })).toEqual([])
  })

  it('is not misled by quotes and slashes in strings and regular expressions', () => {
    const text = [
      "const url = 'https://example.org/*'",
      'const quote = /[\'"`/]*/',
      "const a = import('../store/a.ts')",
      'const tick = "`"',
      "export { b }\nexport type { C } from '../store/c.ts'",
    ].join('\n')
    expect(check({ 'src/kernel/a.ts': text })).toEqual([
      'src/kernel/a.ts:3 imports src/store/a.ts: kernel must not import store',
      'src/kernel/a.ts:6 imports src/store/c.ts: kernel must not import store',
    ])
  })
})
