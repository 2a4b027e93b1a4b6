/** Files that people write: executors.yaml, blueprints, the configuration; command lines, model specs and goals. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseGoal } from '../../../src/arithmetic/parse-goal.ts'
import { parsePuzzle } from '../../../src/arithmetic/parse-puzzle.ts'
import { parseCommandLine } from '../../../src/cli/args.ts'
import { budgetOptions, jsonObject, strategyOptions } from '../../../src/cli/options.ts'
import { describePowers, powersOf } from '../../../src/cli/trust/powers.ts'
import { literalConfig } from '../../../src/config/literal-config.ts'
import { absoluteSpecs, embeddingSpecProblem } from '../../../src/config/model-spec.ts'
import { modulePositions } from '../../../src/config/module-positions.ts'
import { explain } from '../../../src/config/problems.ts'
import { readJson } from '../../../src/config/read-json.ts'
import { checkConfig } from '../../../src/config/schema.ts'
import { specsOf } from '../../../src/kernel/model-choice.ts'
import { specProblem } from '../../../src/kernel/model-spec.ts'
import { languageOf } from '../../../src/protocol/index.ts'
import { STRATEGIES } from '../../../src/strategies/registry.ts'
import { parseBlueprint } from '../../../src/tools/blueprints/parse-blueprint.ts'
import { parseExecutors } from '../../../src/tools/executors/parse-executors.ts'
import { parseServerText, readServers } from '../../../src/tools/mcp/server-config.ts'
import type { Family } from './family.ts'

const ROOT = join(import.meta.dirname, '../../..')
const BLUEPRINTS = join(ROOT, 'src/tools/blueprints/shipped')

/** The examples of a kind in the documents. */
function examples(language: string): string[] {
  const documents = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'))
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return documents.flatMap((file) =>
    [...readFileSync(join(ROOT, 'docs', file), 'utf8').matchAll(fence)].map(([, text = '']) => text),
  )
}

const YAML_WORDS = [
  ...[
    '- ',
    ': ',
    '\n',
    '  ',
    '\n  - ',
    '&a ',
    '*a',
    '<<: *a',
    '!!str ',
    '|\n',
    '>\n',
    '---\n',
    '# ',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    '"',
    "'",
    '? ',
    'id: ',
    'command: ',
    'inputs:\n',
    '{{file}}',
    '{{',
    '}}',
    'type: path',
    'timeout: ',
    'null',
    '~',
  ],
]

export const executors: Family = {
  name: 'executors',
  share: 8,
  samples: examples('yaml'),
  words: YAML_WORDS,
  read: (input) => parseExecutors(input),
}

export const blueprints: Family = {
  name: 'blueprints',
  share: 6,
  samples: readdirSync(BLUEPRINTS).map((file) => readFileSync(join(BLUEPRINTS, file), 'utf8')),
  words: [...YAML_WORDS, 'name: ', 'plan:\n', 'params:\n', '{{goal}}', 'init_prompt: ', 'tasks:\n'],
  read: (input) => parseBlueprint(input, 'b.yaml'),
}

const CONFIGS = [
  '{"model":"openai:gpt-5","budget":{"tokens":1000,"costUsd":1.5},"approval":{"allow":["shell(git *)"],"deny":["read(.env*)"]}}',
  `{"models":{"judge":{"model":"anthropic:a","seed":7,"temperature":0.5}},"mcp":{"x":{"command":"npx","args":["-y","s"],"env":{"A":"\${B}"}}}}`,
  '{"strategy":"fractal","options":{"fractal":{"maxDepth":3}},"routes":[{"when":"leaf","strategy":"cot"}],"fallbacks":{"cot":["minimal"]}}',
]

export const configuration: Family = {
  name: 'configuration',
  share: 10,
  samples: [...CONFIGS, ...examples('json'), ...examples('ts').filter((text) => text.includes('default'))],
  words: [
    ...[
      '{',
      '}',
      '[',
      ']',
      '"model":',
      '"mcp":{',
      ',',
      ':',
      '"a"',
      '\\u12',
      '1e9',
      '/* */',
      '// x\n',
      '`$',
      "'",
    ],
    ...['export default ', 'defineConfig(', 'const a = ', '"__proto__":', 'null', 'true', '"approval":'],
  ],
  read(input) {
    modulePositions(input)
    // What a person is shown before it is trusted.
    const written = powersOf(literalConfig(input))
    describePowers(written)
    if (Object.keys(Object.prototype).length > 0) throw new Error('a key of every object was written')
    const { value } = readJson(input, 'thinkon.config.json')
    powersOf(value)
    for (const issue of checkConfig(value)) explain(issue, value)
  },
}

const LINES = [
  'run "2 + 3" --model openai:gpt-5 --max-tokens 1000 --strategy tot --depth 3 --json',
  'resume r-1 --max-cost 1.5 --strict',
  'cot "why" --max-thoughts 5 --option {"check":"never"}',
  'list --status failed --search x --limit 5',
  'show r-1 --format md --block 1-2 -q',
  'clean --older-than 3d --yes',
  'run --mcp "npx -y server-x /tmp" --allow "shell(git *)" --deny "read(.env*)" -- -x',
]

export const commandLines: Family = {
  name: 'command lines',
  share: 6,
  samples: LINES,
  words: [
    '--',
    '-',
    '=',
    ' ',
    '"',
    "'",
    '--max-tokens',
    '--option',
    '1e9',
    '-1',
    'run',
    'help',
    '--no-',
    '{"a":1}',
    '\\',
  ],
  read(input) {
    const words = input.split(/ +/)
    const { values } = parseCommandLine(words, STRATEGIES)
    budgetOptions(values)
    strategyOptions(values, undefined)
    jsonObject('it', input)
  },
}

export const specs: Family = {
  name: 'model specs',
  share: 4,
  samples: [
    ...[
      'openai:gpt-5',
      'anthropic:claude-opus-4-5,ollama:llama3.2',
      'http://127.0.0.1:8080/v1#model',
      'module:./a.ts',
    ],
    ...[
      'gguf:a.gguf',
      'replay:a.jsonl',
      'embedded:abacus#250',
      'https://user:key@host/v1#m,google:gemini-2.5-pro',
    ],
    ...['npx -y @scope/server-x --token abc "a b"', 'https://host/mcp?key=1', "node './a b.js'"],
  ],
  words: ['openai:', ',', '#', 'http://', '[::1]', '@', '%', ' ', ':', '//', '$A{', '"', "'"],
  read(input) {
    for (const spec of specsOf(input)) {
      specProblem(spec)
      embeddingSpecProblem(spec)
    }
    absoluteSpecs(input, '/work')
    readServers({ a: parseServerText(input).config }, {})
  },
}

export const goals: Family = {
  name: 'goals',
  share: 5,
  samples: [
    ...[
      'What is 3 + 4 * 2?',
      'Use 4 4 6 8 to make 24',
      '(1/3 + 2)^2 and sqrt of 9',
      '计算 3 加 4 乘以 2',
      '2^64 - 1',
    ],
    ...[
      'Read @notes.md and summarise it',
      'What is -3.5% of 1,000?',
      'twenty-one plus two',
      '{"intent":"a","deliverable":"b"}',
    ],
  ],
  words: [
    '(',
    ')',
    '+',
    '-',
    '*',
    '/',
    '^',
    '!',
    '%',
    '=',
    ',',
    '.',
    ' and ',
    '加',
    '二十',
    'sqrt',
    '1e9',
    'half of ',
    '@a',
  ],
  read(input) {
    parseGoal(input)
    parsePuzzle(input)
    languageOf(input)
  },
}
