import { describe, expect, it } from 'vitest'
import { modulePositions } from '../../src/config/module-positions.ts'
import { readJson } from '../../src/config/read-json.ts'
import { redactError } from '../../src/models/secrets.ts'
import { ThinkonError } from '../../src/protocol/index.ts'
import { readReply } from '../../src/reply/read-reply.ts'
import { readYaml } from '../../src/strategies/chain-of-thought/read-yaml.ts'
import { checkByProgram } from '../../src/strategies/closing/check-by-program.ts'
import { possibleCommands, readCommand } from '../../src/tools/approval/command.ts'
import { parsePatch } from '../../src/tools/builtin/unified-diff.ts'
import { parseExecutors } from '../../src/tools/executors/parse-executors.ts'

const LENGTH = 60_000
const PIECES = [
  '\\"',
  '"',
  '`',
  '[',
  '{"a":',
  ']}',
  '- ',
  '- a\n',
  '/* ',
  ' ',
  '<think>',
  'a',
  '"a" ',
  'type: x\n',
  '$(',
]
const SCHEMA = { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] }
const GOAL = 'Write exactly 3 bullet points about tea, at most 50 words, in German, as JSON.'

/** What takes a minute and more where it takes the square of the time. */
describe.each<[string, (text: string) => unknown]>([
  ['a reply', (text) => readReply(text, SCHEMA)],
  ['a thought', (text) => readYaml(`current_thinking: ${text}`)],
  ['a result', (text) => checkByProgram(GOAL, text)],
  ['an error', (text) => redactError(text)],
  ['a command', (text) => possibleCommands(text, readCommand(text))],
  ['a configuration', (text) => readJson(text, 'thinkon.config.json')],
  ['a configuration as a module', (text) => modulePositions(`export default ${text}`)],
  ['a patch', (text) => parsePatch(`--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n${text}`)],
  ['executors.yaml', (text) => parseExecutors(text)],
])('%s that repeats one thing', (_, read) => {
  it.each(PIECES)(
    '%j',
    async (piece) => {
      const text = piece.repeat(LENGTH / piece.length)
      const thrown = await Promise.resolve()
        .then(() => read(text))
        .then(
          () => null,
          (error: unknown) => error,
        )
      expect(thrown === null || ThinkonError.isInstance(thrown), String(thrown)).toBe(true)
    },
    60_000,
  )
})
