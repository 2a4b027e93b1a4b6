// Refuses regular expressions whose time may grow faster than the text: those of src/ and studio/src/ run on text from models, tools, files and
// HTTP. An expression whose time doubles with each character is refused for short texts, too. `X+$` is the usual one: `(?<!X)X+$` is linear. Patterns that come from outside are matched by src/protocol/patterns/.

import { join } from 'node:path'
import { BOUNDED, LINEAR } from './bounded-patterns.ts'
import { readPatterns } from './read-patterns.ts'
import { isExponential, mayBeSuperLinear } from './super-linear.ts'

const patterns = await readPatterns(join(import.meta.dirname, '..'))
const found = patterns.filter(({ source, flags }) => mayBeSuperLinear(source, flags))
const isLinear = ({ file, source }: (typeof found)[number]) =>
  LINEAR[file]?.some((begin) => source.startsWith(begin)) === true
const isBounded = ({ file, source, flags }: (typeof found)[number]) =>
  Object.hasOwn(BOUNDED, file) && !isExponential(source, flags)
const wrong = found.filter((pattern) => !isBounded(pattern) && !isLinear(pattern))
for (const { file, line, source, flags } of wrong)
  console.log(`${file}:${line}: the time of /${source}/${flags} may grow faster than the text`)
const unneeded = Object.keys({ ...BOUNDED, ...LINEAR }).filter(
  (file) => !found.some((pattern) => pattern.file === file),
)
for (const file of unneeded) console.log(`${file} needs no exception in scripts/check-patterns.ts any more`)
if (wrong.length + unneeded.length > 0) process.exitCode = 1
else console.log(`${patterns.length} expressions, ${found.length} of them on short texts only`)
