/** What models say: replies of all kinds of breaks, YAML thoughts, text as it streams. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readReply } from '../../../src/reply/read-reply.ts'
import { checkSchema, type JsonSchema } from '../../../src/schema/check-schema.ts'
import { readYaml } from '../../../src/strategies/chain-of-thought/read-yaml.ts'
import { checkByProgram } from '../../../src/strategies/closing/check-by-program.ts'
import { partialFields } from '../../../src/views/partial-fields.ts'
import { type Family, Wrong } from './family.ts'

const CORPUS = join(import.meta.dirname, '../../../bench')
const FOLDERS = ['repair-corpus', 'repair-corpus-2']

const lines = FOLDERS.flatMap((folder) =>
  readdirSync(join(CORPUS, folder))
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) =>
      readFileSync(join(CORPUS, folder, file), 'utf8')
        .trim()
        .split('\n'),
    ),
)
const samples = lines.map((line) => String(JSON.parse(line).text))
const SCHEMAS = FOLDERS.flatMap(
  (folder) =>
    Object.values(JSON.parse(readFileSync(join(CORPUS, folder, 'schemas.json'), 'utf8'))) as JsonSchema[],
)

const words = [
  ...[
    '```json\n',
    '```',
    '```yaml\n',
    '<think>',
    '</think>',
    '"type":"RETURN"',
    '"description":',
    ',',
    ': ',
    '- ',
  ],
  ...[
    '// x\n',
    '/* x */',
    '# x\n',
    '...',
    'True',
    'None',
    '\\"',
    '“',
    '”',
    '&a ',
    '*a',
    '!x ',
    '|\n',
    '>-\n',
    '\n\n',
  ],
]

export const replies: Family = {
  name: 'replies',
  share: 18,
  samples,
  words,
  async read(input, pick) {
    const schema = SCHEMAS[pick(SCHEMAS.length)] as JsonSchema
    const reading = await readReply(input, schema)
    if (!('value' in reading)) return
    const [violation] = checkSchema(reading.value, schema)
    if (violation !== undefined) throw new Wrong(`a value was read that does not fit: ${violation.message}`)
  },
}

export const thoughts: Family = { name: 'thoughts', share: 6, samples, words, read: readYaml }

export const streams: Family = {
  name: 'streams',
  share: 5,
  samples,
  words,
  read(input, pick) {
    const fields = partialFields(new Set(['description', 'type', 'result']), 1_000)
    for (let at = 0; at < input.length; ) {
      const next = at + 1 + pick(40)
      fields.add(input.slice(at, next))
      fields.read()
      at = next
    }
  },
}

const GOALS = [
  'Write exactly 3 bullet points about tea, at most 50 words, in German, and save it as "tea.md".',
  'List five reasons. Answer as JSON with the keys a and b. 不超过100字。',
  'What is (3 + 4) * 12 / 7? Use 4 4 6 8 to make 24.',
]

/** Goals and results are held against each other by many regular expressions. */
export const results: Family = {
  name: 'results',
  share: 4,
  samples: [...GOALS, ...samples],
  words: [
    'at most 10 words',
    'exactly three ',
    'in JSON',
    '不超过',
    '字',
    '1,000',
    '- ',
    '\n',
    '. ',
    '"a.md"',
    '24 = ',
  ],
  read(input, pick) {
    if (pick(2) === 0) checkByProgram(input, GOALS[pick(3)] as string)
    else checkByProgram(GOALS[pick(3)] as string, input)
  },
}
