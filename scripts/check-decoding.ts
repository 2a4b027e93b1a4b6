// Refuses a function that expands outside data and takes no budget (src/protocol/decoding-budget.ts). It looks at the calls of SINKS in src/: in the
// same file, a DecodingBudget must be named, or the call must have a bound of its own (`maxOutputLength`, `maxAliasCount`). `JSON.parse` does not
// expand. Joins and repeats are looked at in DECODERS only, the modules that put stored or received parts together.

import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

const SINKS =
  /\b(?:inflate(?:Raw)?|gunzip|unzip|brotliDecompress|zstdDecompress)(?:Sync)?\(|\bcreate(?:Gunzip|Inflate(?:Raw)?|Unzip|BrotliDecompress)\b|\bDecompressionStream\b|\b(?:parseDocument|parseAllDocuments|YAML\.parse)\(/
const JOINS = /\.join\(|\.repeat\(|\+= /
const DECODERS =
  /^src\/store\/(?:text-edits|texts|message-chains|request-texts|event-codec|packed-events)\.ts$/
const BOUND = /\bDecodingBudget\b|\bbudget\b|\bmaxOutputLength\b|\bmaxAliasCount\b|\bmost: number\b/

/** Where the bound is, if it is in another place. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'src/tools/builtin/http-fetch.ts': 'the body is read up to MAX_FETCH_BYTES after decoding',
  'src/strategies/chain-of-thought/read-yaml.ts':
    'its nodes are read one by one, and aliases are not followed',
  'src/store/packed-events.ts': 'lists of a fixed length',
}

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.ts', { cwd: root })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/assembly/'))
let checked = 0
const wrong: string[] = []
for (const file of files.sort()) {
  const text = readFileSync(join(root, file), 'utf8')
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
  if (!SINKS.test(code) && !(DECODERS.test(file) && JOINS.test(code))) continue
  checked++
  if (!BOUND.test(code) && !Object.hasOwn(ELSEWHERE, file)) wrong.push(file)
}
for (const file of wrong) console.log(`${file} expands outside data and takes no DecodingBudget`)
if (wrong.length > 0) process.exitCode = 1
else console.log(`${checked} files expand outside data, each within a bound`)
