import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ThinkonError } from '../../protocol/index.ts'
import { checkSchema } from '../../schema/check-schema.ts'
import type { FileProblem } from '../yaml-source.ts'
import { blueprintSchema } from './blueprint-schema.ts'
import { findCycle } from './find-cycle.ts'
import { parseBlueprint } from './parse-blueprint.ts'

const file = (lines: string) => `name: b\ndescription: d\n${lines}\n`
const plan = (tasks: string) =>
  file(`plan:\n  main_task: m\n  main_task_goal: g\n  tasks:\n${tasks.replace(/^/gm, '    ')}`)

const valid: Record<string, string> = {
  'the least': file('init_prompt: do it'),
  'a plan alone': plan('- {subtask_name: a, subtask_goal: g}'),
  'a schema line': `# yaml-language-server: $schema=./x.json\n${file('init_prompt: do it')}`,
  'parameters in short': file(
    'parameters: {p: string, q: {type: integer, default: 3}}\ninit_prompt: "{{p}} {{ q }}"',
  ),
  'parameters in full': file(
    'parameters:\n  type: object\n  properties: {p: {type: string}}\n  required: [p]\ninit_prompt: "{{p}}"',
  ),
  'a parameter in a goal of a part': `${plan(
    '- subtask_name: a\n  subtask_goal: g\n  subtasks:\n    - {subtask_name: b, subtask_goal: "{{p}}"}',
  )}parameters: {p: string}\n`,
  'what is no place': file("init_prompt: '{{.Names}} {{ }} {x}'"),
  'dependencies across levels': plan(
    '- subtask_name: a\n  subtask_goal: g\n  subtasks:\n    - {subtask_name: a1, subtask_goal: g}\n- {subtask_name: b, subtask_goal: g, depends_on: [a1]}',
  ),
  'the rest': file(
    'init_prompt: x\nverbose_name: B\npersistent_prompt: y\nresult_prompt: z\ntools: [read_file]\nreview: true',
  ),
}

// What is in it, what must be said, and where.
const broken: Record<string, [yaml: string, at: string, said: string]> = {
  'an empty file': ['', '1:1', 'this file is empty'],
  'a list': ['- a\n', '1:1', 'must be a mapping'],
  'a tab': ['name: b\n\tdescription: d\n', '2:1', 'indent with spaces'],
  'no description': ['name: b\ninit_prompt: x\n', '1:1', '"description" is missing'],
  'nothing to do': [file(''), '1:1', '"init_prompt" or "plan" is missing'],
  'a name that is not the file’s': [
    'name: c\ndescription: d\ninit_prompt: x\n',
    '1:7',
    'must be the name of the file, "b"',
  ],
  'a name with capitals': ['name: B\ndescription: d\ninit_prompt: x\n', '1:7', 'lower-case letters'],
  'a mistyped field': [
    file('init_promt: x'),
    '3:1',
    '"init_promt" is not a known field: did you mean "init_prompt"?',
  ],
  'a place that is no parameter': [
    file('parameters: {path: string}\ninit_prompt: read {{path}} and {{pth}}'),
    '4:32',
    'init_prompt: {{pth}} is not a parameter: unknown "pth": did you mean "path"?',
  ],
  'a place in a block': [file('init_prompt: |\n  one\n  two {{x}}'), '5:7', '{{x}} is not a parameter'],
  'a place in a goal': [
    plan('- {subtask_name: a, subtask_goal: "see {{x}}"}'),
    '7:44',
    'plan, task 1, subtask_goal: {{x}}',
  ],
  'a place in a name': [
    `${plan('- {subtask_name: "do {{p}}", subtask_goal: "{{p}}"}')}parameters: {p: string}\n`,
    '7:22',
    'have placeholders',
  ],
  'a parameter that is never used': [
    file('parameters: {p: string}\ninit_prompt: x'),
    '3:14',
    'is never used: write {{p}}',
  ],
  'a parameter of unknown type': [
    file('parameters: {p: text}\ninit_prompt: "{{p}}"'),
    '3:17',
    'must be a type (string,',
  ],
  'a default that does not fit': [
    file('parameters: {p: {type: integer, default: x}}\ninit_prompt: "{{p}}"'),
    '3:42',
    'must be an integer',
  ],
  'no tasks': [file('plan: {main_task: m, main_task_goal: g, tasks: []}'), '3:48', 'at least 1'],
  'a task without goal': [plan('- subtask_name: a'), '7:7', 'plan, task 1: "subtask_goal" is missing'],
  'a mistyped field of a task': [
    plan('- {subtask_name: a, subtask_goal: g, depend_on: [b]}'),
    '7:42',
    'did you mean "depends_on"?',
  ],
  'the same name twice': [
    plan('- {subtask_name: a, subtask_goal: g}\n- {subtask_name: a, subtask_goal: g}'),
    '8:22',
    '"a" is taken by another task',
  ],
  'a dependency on nothing': [
    plan(
      '- {subtask_name: read code, subtask_goal: g}\n- {subtask_name: b, subtask_goal: g, depends_on: [read cod]}',
    ),
    '8:55',
    'did you mean "read code"?',
  ],
  'tasks that wait for each other': [
    plan(
      '- {subtask_name: a, subtask_goal: g, depends_on: [b]}\n- {subtask_name: b, subtask_goal: g, depends_on: [a]}',
    ),
    '7:54',
    'these wait for each other: "a" for "b" for "a"',
  ],
  'a part that waits for its whole': [
    plan(
      '- subtask_name: a\n  subtask_goal: g\n  subtasks:\n    - {subtask_name: a1, subtask_goal: g, depends_on: [a]}',
    ),
    '7:7',
    'these wait for each other',
  ],
  'tools as text': [file('init_prompt: x\ntools: read_file'), '4:8', 'must be a list of names of tools'],
  'review as text': [file('init_prompt: x\nreview: "yes"'), '4:9', 'must be true or false'],
}

describe('a blueprint', () => {
  it.each(Object.entries(valid))('may have %s', async (_, yaml) => {
    expect(await parseBlueprint(yaml, 'x/b.yaml')).toMatchObject({ name: 'b' })
  })

  it('is read with everything filled in', async () => {
    expect(await parseBlueprint(valid['parameters in short'] as string, 'b.yaml')).toEqual({
      name: 'b',
      verbose_name: 'b',
      description: 'd',
      parameters: {
        type: 'object',
        properties: { p: { type: 'string' }, q: { type: 'integer', default: 3 } },
        required: ['p'],
        additionalProperties: false,
      },
      init_prompt: '{{p}} {{ q }}',
      persistent_prompt: '',
      result_prompt: '',
      plan: null,
      tools: null,
      review: false,
    })
  })

  it.each(Object.entries(broken))(
    'is refused with line, column and what to do: %s',
    async (_, [yaml, at, said]) => {
      const error = await failure(yaml)
      const { problems } = error.data as { problems: FileProblem[] }
      const told = problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
      expect(
        told.some((one) => one.startsWith(`${at} `) && one.includes(said)),
        told.join('\n'),
      ).toBe(true)
      expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining(`x/b.yaml:${at}: `)])
    },
  )

  it('is refused with all that is wrong at once, in the order of the file', async () => {
    const { message } = await failure('name: B\ncolour: red\nplan: x\n')
    expect(message.split('\n').map((line) => line.split(':')[1])).toEqual(['1', '1', '2', '3'])
  })
})

async function failure(yaml: string): Promise<ThinkonError> {
  return parseBlueprint(yaml, 'x/b.yaml').then(
    () => Promise.reject(new Error('was not refused')),
    (error) => error,
  )
}

describe('blueprint.schema.json', () => {
  it('is the schema that the check uses', () => {
    const published = JSON.parse(readFileSync(join(import.meta.dirname, 'blueprint.schema.json'), 'utf8'))
    expect(published).toEqual(JSON.parse(JSON.stringify(blueprintSchema)))
  })

  it('accepts what the check accepts', async () => {
    const { parse } = await import('yaml')
    for (const yaml of Object.values(valid)) expect(checkSchema(parse(yaml), blueprintSchema)).toEqual([])
  })
})

describe('docs/blueprints.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/blueprints.md'), 'utf8')
  const example = /```yaml\n(.*?)```/s.exec(page)?.[1] as string

  it('has an example that is one, and an error that it would give', async () => {
    const { name, plan } = await parseBlueprint(example, '.thinkon/blueprints/changelog.yaml')
    expect([name, plan?.tasks.length]).toEqual(['changelog', 2])
    const misspelled = example.replace('before is {{since}}', 'before is {{sinc}}')
    const { message } = await parseBlueprint(misspelled, '.thinkon/blueprints/changelog.yaml').catch(
      (error) => error,
    )
    expect(page).toContain(`\n${message}\n`)
  })
})

describe('what waits for itself is found', () => {
  it.each([
    [
      'in a row',
      [
        { parent: null, dependsOn: [] },
        { parent: null, dependsOn: [0] },
      ],
      [],
    ],
    ['on itself', [{ parent: null, dependsOn: [0] }], [0]],
    [
      'through a part',
      [
        { parent: null, dependsOn: [2] },
        { parent: 0, dependsOn: [] },
        { parent: null, dependsOn: [1] },
      ],
      [0, 2, 1],
    ],
    [
      'not where only a part waits',
      [
        { parent: null, dependsOn: [] },
        { parent: 0, dependsOn: [2] },
        { parent: null, dependsOn: [] },
      ],
      [],
    ],
  ])('%s', (_, tasks, cycle) => expect(findCycle(tasks)).toEqual(cycle))
})
