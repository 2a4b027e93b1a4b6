// Refuses regular expressions whose time may grow faster than the text: those of src/ and studio/src/ run on text from models, tools, files and
// HTTP. `X+$` is the usual one: `(?<!X)X+$` is linear. Patterns that come from outside are matched by src/protocol/patterns/.

import { join } from 'node:path'
import { analyse } from 'scslre'
import { BOUNDED } from './bounded-patterns.ts'
import { readPatterns } from './read-patterns.ts'

const patterns = await readPatterns(join(import.meta.dirname, '..'))
const found = patterns.filter(({ source, flags }) => analyse({ source, flags }).reports.length > 0)
const wrong = found.filter(({ file }) => !Object.hasOwn(BOUNDED, file))
for (const { file, line, source, flags } of wrong)
  console.log(`${file}:${line}: the time of /${source}/${flags} may grow faster than the text`)
const unneeded = Object.keys(BOUNDED).filter((file) => !found.some((pattern) => pattern.file === file))
for (const file of unneeded) console.log(`${file} needs no exception in scripts/check-patterns.ts any more`)
if (wrong.length + unneeded.length > 0) process.exitCode = 1
else console.log(`${patterns.length} expressions, ${found.length} of them on short texts only`)
