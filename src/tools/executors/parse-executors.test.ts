import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ThinkonError } from '../../protocol/index.ts'
import type { FileProblem } from '../yaml-source.ts'
import { executorsSchema } from './executors-schema.ts'
import { parseExecutors } from './parse-executors.ts'

const entry = (lines: string) =>
  `executors:\n  - id: e\n    description: d\n${lines.replace(/^/gm, '    ')}\n`
const echo = (lines: string) => entry(`command: echo\n${lines}`)

const valid: Record<string, string> = {
  'the least': entry('command: ls'),
  'a bare list': '- id: e\n  description: d\n  command: ls\n',
  'an empty list': 'executors: []\n',
  'a version': 'version: 1\nexecutors: []\n',
  'comments and a schema line':
    '# yaml-language-server: $schema=./x.json\nexecutors: # all\n  - {id: e, description: d, command: ls}\n',
  'JSON, which is YAML': '{"executors":[{"id":"e","description":"d","command":"ls"}]}',
  'inputs in short': entry('command: cat {{file}}\ninputs:\n  file: string'),
  'inputs with schemas': entry(
    'command: head -n {{n}} {{file}}\ninputs:\n  n: {type: integer, minimum: 1, default: 10}\n  file: {type: string, format: path}',
  ),
  'inputs in full': entry(
    'command: cat {{file}}\ninputs:\n  type: object\n  properties:\n    file: {type: string}\n  required: [file]',
  ),
  'an input named type': entry('command: ls {{type}}\ninputs:\n  type: string'),
  'a list as input': entry(
    'command: rm -- {{files}}\ninputs:\n  files: {type: array, items: {type: string}}',
  ),
  'spaces in a place': entry('command: echo {{ text }}\ninputs: {text: string}'),
  'a place after =': entry('command: make OUT={{out}}\ninputs: {out: string}'),
  'a place within $( )': entry('command: echo "$(cat {{f}})"\ninputs: {f: string}'),
  'a block command': entry('command: |\n  set -e\n  cat {{f}} # the file\ninputs: {f: string}'),
  'what is no place': entry("command: docker ps --format '{{.Names}}'"),
  'guarantees as text': echo('guarantees: prints'),
  'guarantees as list': echo('guarantees: [prints, fast]'),
  'limits as texts': echo('limits: [needs python]'),
  'limits enforced': entry(
    'command: cat {{file}}\ninputs: {file: {type: string, format: path}}\nlimits: {output: 64KB, paths: [src, docs/a.md], notes: slow}',
  ),
  'side effects none': echo('side_effects: none'),
  'side effects several': echo('side_effects: [files, network]'),
  'side effects in words': echo('side_effects: 写入数据库'),
  'time-outs in seconds': echo('timeout: 0.5'),
  'time-outs in words': echo('timeout: 5m'),
  'the rest': echo('cwd: sub\nenv: [GITHUB_TOKEN]\nidempotent: true\nsandbox: false'),
  'limits of the shell': 'executors:\n  - id: shell\n    timeout: 5s\n',
  'no shell': 'shell: false\nexecutors: []\n',
  'an anchor':
    'executors:\n  - &a {id: e, description: d, command: ls}\n  - {<<: x, id: f, description: d, command: ls}\n'.replace(
      '<<: x, ',
      '',
    ),
}

// What is in it, what must be said, and where.
const broken: Record<string, [yaml: string, at: string, said: string]> = {
  'an empty file': ['', '1:1', 'this file is empty'],
  'only a comment': ['# todo\n', '1:1', 'this file is empty'],
  'a text': ['hello', '1:1', 'must be a mapping'],
  'no executors': ['version: 1\n', '1:1', '"executors" is missing'],
  'a tab': ['executors:\n\t- id: e\n', '2:1', 'indent with spaces'],
  'an open bracket': ['executors: [\n', '2:1', 'not YAML'],
  'an open quote': ['executors:\n  - id: "e\n', '3:1', 'not YAML'],
  'bad indentation': ['executors:\n  - id: e\n   description: d\n', '3:1', 'not YAML'],
  'the same name twice': [`${entry('command: ls')}    command: pwd\n`, '5:5', 'duplicate name'],
  'an unknown top field': ['executers: []\n', '1:1', 'did you mean "executors"?'],
  'another version': ['version: 2\nexecutors: []\n', '1:10', 'must be 1'],
  'executors as mapping': ['executors:\n  e: {}\n', '2:3', 'must be a list of executors'],
  'an entry as text': ['executors:\n  - ls\n', '2:5', 'must be a mapping with id'],
  'no id': ['executors:\n  - command: ls\n', '2:5', '"id" is missing'],
  'no command': ['executors:\n  - id: e\n    description: d\n', '2:5', '"command" is missing'],
  'no description': ['executors:\n  - id: e\n    command: ls\n', '2:5', '"description" is missing'],
  'an id with capitals': [
    'executors:\n  - id: PyTest\n    description: d\n    command: ls\n',
    '2:9',
    'lower-case letters',
  ],
  'an id that is a number': [
    'executors:\n  - id: 7\n    description: d\n    command: ls\n',
    '2:9',
    'lower-case letters',
  ],
  'the same id twice': [
    'executors:\n  - {id: e, description: d, command: ls}\n  - {id: e, description: d, command: ls}\n',
    '3:10',
    '"e" is taken by executor 1',
  ],
  'a mistyped field': [entry('comand: ls'), '4:5', '"comand" is not a known field: did you mean "command"?'],
  'a field that is nothing': [
    echo('colour: red'),
    '5:5',
    '"colour" is not a known field; the known ones are: id, description',
  ],
  'an empty command': [entry('command: ""'), '4:14', 'the command, with {{name}}'],
  'a command as list': [entry('command: [ls, -l]'), '4:14', 'must be a text'],
  'a place that is no input': [
    entry('command: cat {{fil}}\ninputs: {file: string}'),
    '4:18',
    'did you mean "file"?',
  ],
  'a place without inputs': [
    entry('command: cat {{file}}'),
    '4:18',
    'is not an input: unknown "file"; there is none',
  ],
  'a place in a block': [
    entry('command: |\n  ls\n  cat {{x}} {{y}}\ninputs: {x: string}'),
    '6:17',
    '{{y}} is not an input',
  ],
  'a place in double quotes': [
    entry('command: cat "{{f}}"\ninputs: {f: string}'),
    '4:19',
    'remove the quotes',
  ],
  'a place in single quotes': [
    entry("command: cat '{{f}}'\ninputs: {f: string}"),
    '4:19',
    'remove the quotes',
  ],
  'the second of two places': [
    entry('command: cat {{f}} "{{f}}"\ninputs: {f: string}'),
    '4:25',
    'remove the quotes',
  ],
  'a place after a backslash': [
    entry('command: echo \\{{f}}\ninputs: {f: string}'),
    '4:20',
    'after a backslash',
  ],
  'a place after $': [entry(`command: echo $\{{f}}\ninputs: {f: string}`), '4:20', 'after $'],
  'a place in braces': [
    entry(`command: echo $\{a:-{{f}}}\ninputs: {f: string}`),
    '4:24',
    'within or after $',
  ],
  'a place in backticks': [entry('command: echo `cat {{f}}`\ninputs: {f: string}'), '4:24', 'backticks'],
  'a place in a comment': [entry('command: |\n  ls # {{f}}\ninputs: {f: string}'), '5:12', 'in a comment'],
  'a place in arithmetic': [entry('command: echo $(( {{n}} + 1 ))\ninputs: {n: integer}'), '4:23', '((…))'],
  'a place in a here-document': [
    entry('command: |\n  cat <<E\n  {{t}}\n  E\ninputs: {t: string}'),
    '6:7',
    'after <<',
  ],
  'a place beside eval': [entry('command: eval {{t}}\ninputs: {t: string}'), '4:19', 'beside eval'],
  'an input that is never used': [echo('inputs: {file: string}'), '5:14', 'is never used: write {{file}}'],
  'inputs as list': [echo('inputs: [file]'), '5:13', 'must be a mapping from names'],
  'an input of unknown type': [
    entry('command: c {{a}}\ninputs: {a: text}'),
    '5:17',
    'must be a type (string,',
  ],
  'an input without type': [
    entry('command: c {{a}}\ninputs: {a: {default: 1}}'),
    '5:17',
    '"type" is missing',
  ],
  'a mistyped word of a schema': [
    entry('command: c {{a}}\ninputs: {a: {type: string, patern: x}}'),
    '5:32',
    'did you mean "pattern"?',
  ],
  'a name that is none': [entry('command: c\ninputs: {"a b": string}'), '5:14', 'is not a name for an input'],
  'a default of the wrong type': [
    entry('command: c {{a}}\ninputs: {a: {type: integer, default: x}}'),
    '5:42',
    'must be an integer, not "x"',
  ],
  'a default outside the enum': [
    entry('command: c {{a}}\ninputs: {a: {type: string, enum: [x, y], default: z}}'),
    '5:55',
    'must be one of "x", "y"',
  ],
  'a pattern that is none': [
    entry('command: c {{a}}\ninputs: {a: {type: string, pattern: "("}}'),
    '5:41',
    "can't be used: Invalid regular expression",
  ],
  'a required that is no input': [
    entry('command: c {{a}}\ninputs:\n  type: object\n  properties: {a: {type: string}}\n  required: [b]'),
    '8:18',
    'unknown "b"',
  ],
  'a path that is a number': [
    entry('command: c {{a}}\ninputs: {a: {type: integer, format: path}}'),
    '5:41',
    'only a string',
  ],
  'a time-out of nothing': [echo('timeout: 0'), '5:14', 'above 0'],
  'a time-out in other words': [echo('timeout: 5 minutes'), '5:14', 'like 500ms, 90s, 5m, 1h'],
  'a time-out beyond a day': [echo('timeout: 25h'), '5:14', '24 hours'],
  'an empty field': [echo('side_effects:'), '5:18', 'must be none, files, network'],
  'none beside others': [echo('side_effects: [none, files]'), '5:19', 'can’t be combined with others'],
  'an output limit that is too small': [echo('limits: {output: 10}'), '5:22', 'from 1000'],
  'an output limit that is too large': [echo('limits: {output: 900MB}'), '5:22', 'to 16 MB'],
  'a mistyped limit': [echo('limits: {path: [src]}'), '5:14', 'did you mean "paths"?'],
  'a path that leads out': [echo('limits: {paths: [../x]}'), '5:22', 'within the workspace'],
  'an absolute path': [echo('limits: {paths: [src, /etc]}'), '5:27', 'within the workspace'],
  'paths that nothing is held to': [echo('limits: {paths: [src]}'), '5:21', 'inputs of format "path"'],
  'paths for the shell': [
    'executors:\n  - id: shell\n    limits: {paths: [src]}\n',
    '3:21',
    'inputs of format "path"',
  ],
  'a folder that leads out': [echo('cwd: ../..'), '5:10', 'within the workspace'],
  'values in env': [echo('env: [KEY=abc]'), '5:11', 'name of an environment variable'],
  'true in other words': [echo('idempotent: yes'), '5:17', 'must be true or false'],
  'inputs for the shell': [
    'executors:\n  - id: shell\n    inputs: {x: string}\n',
    '3:13',
    'has one input, "command"',
  ],
  'an unknown tag': [echo('guarantees: !env HOME'), '5:17', 'not YAML'],
  'an unknown alias': [echo('guarantees: *x'), '5:17', 'alias'],
  'two documents': ['executors: []\n---\nexecutors: []\n', '2:1', 'not YAML'],
}

async function failure(yaml: string): Promise<ThinkonError> {
  try {
    await parseExecutors(yaml, 'executors.yaml')
  } catch (error) {
    return error as ThinkonError
  }
  throw new Error('it was taken')
}

describe('a valid executors.yaml', () => {
  it.each(Object.entries(valid))('is read: %s', async (_, yaml) => {
    await expect(parseExecutors(yaml)).resolves.toBeInstanceOf(Array)
  })

  it('gives the executors in their order, and the generic shell last', async () => {
    const file = '- {id: b, description: d, command: ls}\n- {id: a, description: d, command: ls}\n'
    expect((await parseExecutors(file)).map(({ id }) => id)).toEqual(['b', 'a', 'shell'])
    expect(await parseExecutors('shell: false\nexecutors: []')).toEqual([])
  })

  it('gives everything that is said, in one form', async () => {
    const [read] = await parseExecutors(
      entry(
        'command: t {{a}} {{b}} {{c}}\ninputs: {a: {type: string, format: path}, b: {type: integer, default: 1}, c: {type: string, optional: true}}\nguarantees: g\nlimits: {output: 2KiB, paths: [src], notes: [n]}\nside_effects: files\ntimeout: 1.5m\nidempotent: true',
      ),
    )
    expect(read).toMatchObject({
      inputs: {
        required: ['a'],
        additionalProperties: false,
        properties: { b: { default: 1 }, c: { type: 'string' } },
      },
      guarantees: ['g'],
      limits: ['n'],
      sideEffects: ['files'],
      access: 'write',
      timeoutMs: 90_000,
      maxOutputBytes: 2048,
      paths: ['src'],
      idempotent: true,
    })
  })

  it.each([
    ['none', 'read'],
    ['files', 'write'],
    ['network', 'network'],
    ['[files, network]', 'execute'],
    ['deploys', 'execute'],
    ['[none]', 'read'],
  ])('side_effects %s is %s', async (given, access) => {
    expect((await parseExecutors(echo(`side_effects: ${given}`)))[0]?.access).toBe(access)
  })

  it('does anything when nothing is said of side effects', async () => {
    expect((await parseExecutors(entry('command: ls')))[0]?.access).toBe('execute')
  })
})

describe('a broken executors.yaml', () => {
  it.each(Object.entries(broken))(
    'is refused with line, column and what to do: %s',
    async (_, [yaml, at, said]) => {
      const error = await failure(yaml)
      expect(error.code).toBe('BAD_INPUT')
      const problems = (error.data as { problems: FileProblem[] }).problems
      const told = problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
      const right = told.some((one) => one.startsWith(`${at} `) && one.includes(said))
      expect(right, told.join('\n')).toBe(true)
      expect(error.message).toContain(`executors.yaml:${at}: `)
    },
  )

  it('tells all that is wrong at once, in the order of the file', async () => {
    const error = await failure(
      'executors:\n  - id: A\n    description: d\n    comand: ls\n  - id: b\n    timeout: x\n    command: ls\n',
    )
    const lines = error.message.split('\n').map((line) => line.split(':')[1])
    expect(lines).toEqual(['2', '4', '6'])
  })
})

describe('the time for a file', () => {
  const file = (command: string) =>
    `executors:\n- id: a\n  description: d\n  inputs: {x: string}\n  command: "${command}"\n`
  const files: readonly [string, (count: number) => string][] = [
    ['placeholders', (count) => file('{{x}} '.repeat(count))],
    ['unknown placeholders', (count) => file(Array.from({ length: count }, (_, i) => `{{y${i}}}`).join(' '))],
    ['case without esac', (count) => file(`{{x}} ${'case '.repeat(count)}`)],
    [
      'executors',
      (count) =>
        Array.from({ length: count / 4 }, (_, i) => `- {id: a${i}, description: d, command: ls}\n`).join(''),
    ],
  ]

  it.each(files)('grows with it: %s', async (_, fileOf) => {
    const ms = async (count: number) => {
      const start = performance.now()
      await parseExecutors(fileOf(count)).catch(() => {})
      return performance.now() - start
    }
    await ms(1_000)
    const [short, long] = [await ms(2_500), await ms(20_000)]
    expect(long).toBeLessThan(8 * 4 * Math.max(short, 10))
  })
})

it('executors.schema.json is the schema that the check uses', () => {
  const published = JSON.parse(readFileSync(join(import.meta.dirname, 'executors.schema.json'), 'utf8'))
  expect(published).toEqual(JSON.parse(JSON.stringify(executorsSchema)))
})
