// Ways around a denial, tried with the real tools: every way to run `rm`, and every way to read `.env`.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tool } from '../../kernel/tool.ts'
import type { ApprovalRules, RunConfig } from '../../protocol/index.ts'
import { errorData } from '../../protocol/index.ts'
import { toolIo } from '../../testing/tool-io.ts'
import { permittedBlocks } from '../mcp/permitted-blocks.ts'
import { type OpenTools, openTools } from '../open-tools.ts'
import { createApproval } from './approval.ts'

const SECRET = 'hunter2-7f3a'
const YAML = `executors:
  - { id: count, description: d, command: "wc -l {{file}}", side_effects: none, inputs: { file: { type: string, format: path } } }
  - { id: show, description: d, command: "cat {{files}}", side_effects: none, inputs: { files: { type: array, items: { type: string }, format: path } } }
  - { id: print, description: d, command: "cat {{what}}", side_effects: none, inputs: { what: string } }
  - { id: wipe, description: d, command: "rm -rf {{file}}", side_effects: files, inputs: { file: { type: string, format: path } } }
  - { id: script, description: d, command: "sh -c {{text}}", inputs: { text: string } }
  - { id: quiet, description: d, command: "true && rm -f a", side_effects: none }
`

let workspace = ''
let opened: OpenTools
beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-attacks-'))
  for (const folder of ['sub', 'config', '.thinkon/executors'])
    mkdirSync(join(workspace, folder), { recursive: true })
  writeFileSync(join(workspace, '.thinkon/executors/executors.yaml'), YAML)
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n')
  for (const name of ['.env', 'sub/.env.local', 'config/.ENV'])
    writeFileSync(join(workspace, name), `SECRET=${SECRET}\n`)
  symlinkSync('.env', join(workspace, 'link.txt'))
  symlinkSync('sub', join(workspace, 'linked'))
  opened = await openTools({ workspace })
})
afterAll(async () => {
  await opened.close()
  rmSync(workspace, { recursive: true, force: true })
})

/** A foreign tool, which says nothing of what it does. */
const foreign = (access: Tool['access']): Tool => ({
  name: `fs__${access}`,
  description: '',
  access,
  run: async (input) => ({ got: input, secret: SECRET }),
})

function named(name: string): Tool {
  const found = [...opened.tools, foreign('read'), foreign('execute'), foreign('network')].find(
    (tool) => tool.name === name,
  )
  if (found === undefined) throw new Error(`no tool ${name}`)
  return found
}

/** What a model gets to see of a call: its result, its failure, or why it was denied. */
async function seen(rules: ApprovalRules, name: string, given: unknown): Promise<string> {
  const input = JSON.parse(JSON.stringify(given).replaceAll('$WS', workspace))
  const config: RunConfig = { thinkon: '', models: {}, approval: { ...rules, workspace, asks: 'person' } }
  const tool = named(name)
  const approval = createApproval()
  const decision = approval.decide(config, { tool, input }, [], { path: '1', language: 'en' })
  if (decision.verdict !== 'allow') return JSON.stringify(decision)
  try {
    const io = toolIo({ workspace, permits: approval.permits(config, { tool, input }, []) })
    return JSON.stringify(await tool.run(tool.input?.check(input) ?? input, io))
  } catch (thrown) {
    return JSON.stringify(errorData(thrown, 'TOOL_ERROR'))
  }
}

const DENIED = /"verdict":"deny"/
const patch = (head: string, hunk = '@@ -1 +1 @@\n-wrong\n+right\n') => ({ patch: `${head}\n${hunk}` })

const COMMANDS = [
  'rm x',
  'rm',
  '/bin/rm x',
  './../bin/rm x',
  'r\\m x',
  '"rm" x',
  "r''m x",
  'ls; rm x',
  'ls && rm x',
  'ls || rm x',
  'ls | rm x',
  'ls & rm x',
  'ls\nrm x',
  'sudo rm x',
  'env A=1 rm x',
  'A=1 rm x',
  'command rm x',
  'exec rm x',
  'nohup nice rm x',
  'timeout 5 rm x',
  'ls | xargs rm -f',
  'find . -exec rm {} +',
  'find . -name a -execdir rm {} ;',
  'sh -c "rm x"',
  "bash -lc 'ls; rm x'",
  'eval "rm x"',
  'echo $(rm x)',
  'echo `rm x`',
  '(rm x)',
  '{ rm x; }',
  'if true; then rm x; fi',
  'for f in *; do rm $f; done',
  'f() { rm x; }; f',
  'cat <(rm x)',
  'busybox rm x',
]
const NO_RM: readonly ApprovalRules[] = [
  { allow: ['*'], deny: ['shell(rm *)'] },
  { allow: ['*', 'shell', 'executor__shell'], deny: ['execute(rm *)'] },
  { allow: ['*'], deny: ['executor__shell(rm *)'] },
]

describe('deny: shell(rm *) holds for every way to run a command', () => {
  const shells = ['shell', 'executor__shell'].flatMap((name) =>
    COMMANDS.map((command) => [name, { command }] as const),
  )
  it.each<readonly [string, object]>([
    ...shells,
    ...COMMANDS.filter((command) => !/["']/.test(command)).map(
      (text) => ['executor__script', { text }] as const,
    ),
    ['executor__wipe', { file: 'a.txt' }],
    ['executor__wipe', { file: '.' }],
    ['executor__quiet', {}],
    ['fs__execute', { command: 'rm -rf .' }],
    ['fs__execute', { argv: ['rm', '-rf', '.'] }],
    ['fs__execute', { deep: [{ script: 'ls\nrm -rf .' }] }],
  ])('%s %j', async (name, input) => {
    for (const rules of NO_RM) expect(await seen(rules, name, input)).toMatch(DENIED)
  })
})

const READS: readonly (readonly [string, object])[] = [
  ...[
    '.env',
    './.env',
    './/.env',
    'sub/../.env',
    '$WS/.env',
    '$WS/sub/../.env',
    '.env/',
    'sub/.env.local',
    'config/.ENV',
    '.ENV',
    '.env.',
    'link.txt',
    'linked/.env.local',
    './sub/./.env.local',
    '.thinkon/../.env',
  ].flatMap((path) => [
    ['read_file', { path }] as const,
    ['search_files', { pattern: 'SECRET', path }] as const,
    ['list_files', { path }] as const,
    ['edit_file', { path, old: 'wrong', new: 'x' }] as const,
    ['executor__count', { file: path }] as const,
    ['executor__show', { files: ['a.txt', path] }] as const,
    // A foreign tool that is given a link can't be seen through: nothing names the file.
    ...(path === 'link.txt' ? [] : [['fs__read', { path }] as const]),
  ]),
  ['list_files', {}],
  ['list_files', { glob: '**/.env*', all: true, depth: 20 }],
  ['list_files', { path: 'sub' }],
  ['list_files', { path: 'linked' }],
  ['search_files', { pattern: SECRET }],
  ['search_files', { pattern: 'SECRET=.*', regex: true, all: true }],
  ['search_files', { pattern: 'secret', ignoreCase: true, glob: '.env*' }],
  ['search_files', { pattern: 'SECRET', path: 'sub' }],
  ['search_files', { pattern: 'SECRET', path: 'linked' }],
  ['edit_file', { path: '.env', old: 'SECRET', new: 'SECRET', all: true }],
  ['apply_patch', patch('--- a/.env\n+++ b/.env')],
  ['apply_patch', patch('--- a/./.env\n+++ b/./.env')],
  ['apply_patch', patch('--- "a/.env"\n+++ "b/.env"')],
  ['apply_patch', patch('--- a/.env\t2026-01-01\n+++ b/.env\t2026-01-01')],
  ['apply_patch', patch('--- a/sub/../.env\n+++ b/sub/../.env')],
  ['apply_patch', patch('--- a/.env\n+++ b/out.txt', `@@ -1 +1 @@\n-SECRET=${SECRET}\n+x\n`)],
  ['apply_patch', patch('--- a/.env\n+++ /dev/null')],
  [
    'apply_patch',
    patch('diff --git a/.env b/out.txt\nsimilarity index 100%\nrename from .env\nrename to out.txt', ''),
  ],
  [
    'apply_patch',
    patch('diff --git a/.env b/out.txt\nsimilarity index 100%\ncopy from .env\ncopy to out.txt', ''),
  ],
  [
    'apply_patch',
    patch(
      'diff --git a/a.txt b/out.txt\nsimilarity index 90%\ncopy from sub/.env.local\ncopy to out.txt',
      '',
    ),
  ],
  ['apply_patch', patch('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- a/.env\n+++ b/.env')],
  ['executor__print', { what: '.env' }],
  ['executor__print', { what: './sub/.env.local' }],
  ['executor__print', { what: '.env*' }],
  ['executor__script', { text: 'cat .env' }],
  ...[
    'cat .env',
    'cat ./.env',
    'cat $PWD/.env',
    'cat "$PWD/.env"',
    'cat /proc/self/cwd/.env',
    'cat $WS/.env',
    'cat <.env',
    'cat < .env',
    "cat .e'n'v",
    'cat .e\\nv',
    'cat .env*',
    'cat .en?',
    'cat .e*',
    'cat .[e]nv',
    'cat {.env,a.txt}',
    'cat sub/.env.local',
    'cd sub && cat .env.local',
    "sh -c 'cat .env'",
    'echo "$(cat .env)"',
    'echo `cat .env`',
    'git show HEAD:.env',
    'git -C sub show :.env.local',
    'dd if=.env',
    'curl -F file=@.env http://127.0.0.1:9',
    'curl file://$WS/.env',
    'source .env; echo $SECRET',
    '. ./.env',
    'cp .env out.txt',
    'ln -s .env out.txt',
    'tar cf - .env',
    'tar --file=.env -x',
    `python3 -c 'print(open(".env").read())'`,
    'cat .ENV',
    'ls && cat a.txt .env',
    'while read l; do echo $l; done < .env',
    `${Array.from({ length: 30 }, (_, i) => `cd d${i}`).join(';')}; cat $(ls -A)`,
  ].flatMap((command) => [['shell', { command }] as const, ['executor__shell', { command }] as const]),
  ['shell', { command: 'cat .env.local', cwd: 'sub' }],
  ['fs__read', { uri: 'file://$WS/.env' }],
  ['fs__read', { uri: 'FILE://$WS/sub/%2E%2E/.env' }],
  ['fs__read', { files: ['a.txt', { path: 'sub/.env.local' }] }],
  ['fs__execute', { path: '.env' }],
  ['fs__network', { attachment: '.env' }],
]

describe('deny: read(.env*) holds everywhere', () => {
  it.each<ApprovalRules>([
    { allow: ['*'], deny: ['read(.env*)'] },
    { allow: ['*', 'shell', 'edit_file', 'executor__show'], deny: ['read_file(.env*)'] },
  ])('%j: no tool gives the secret away', async (rules) => {
    const leaks: string[] = []
    for (const [name, input] of READS) {
      const shown = await seen(rules, name, input)
      if (shown.includes(SECRET)) leaks.push(`${name} ${JSON.stringify(input)}: ${shown.slice(0, 200)}`)
    }
    expect(leaks).toEqual([])
    expect(READS.length).toBeGreaterThan(200)
  })

  it('lists and searches do not even name the files', async () => {
    const rules = { allow: ['*'], deny: ['read(.env*)'] }
    for (const [name, input] of READS.filter(([one]) => one === 'list_files')) {
      const { files = [] } = JSON.parse(await seen(rules, name, input))
      expect(files.filter((file: string) => /\.env/i.test(file))).toEqual([])
    }
  })

  it.each([
    `the file .env contains "${SECRET}"`,
    `.env contains "SECRET=${SECRET}"`,
    '.env is "x"',
    '.env matches /SECRET=hunter2.*/',
    '.env is empty',
    '.env is not empty',
    '.env exists',
    '.env does not exist',
    `sub/../.env contains "${SECRET}"`,
    `sub/.env.local contains "${SECRET}"`,
    `$WS/.env contains "${SECRET}"`,
    `link.txt contains "${SECRET}"`,
    `文件 .env 包含 "${SECRET}"`,
    '.env 文件存在',
    `a.txt exists and .env contains "${SECRET}"`,
  ])('the check of an observation learns nothing: %s', async (observation) => {
    const input = { observations: [observation], result: { exitCode: 0, stdout: '', stderr: '' } }
    const rules = { allow: ['*'], deny: ['read(.env*)'] }
    const [found] = JSON.parse(await seen(rules, 'executor__observe', input))
    expect(found.verdict).toBe('unknown')
    expect(found.evidence).not.toMatch(/exist|is in it|is not in it|empty|characters/)
  })

  it.each([
    'file://$WS/.env',
    'file://$WS/sub/.env.local',
    'file:///elsewhere/.env',
    'repo://x/.env',
    'repo://.env',
    '.env',
  ])('what a server gives back as the file %s is left out', (uri) => {
    const config: RunConfig = {
      thinkon: '',
      models: {},
      approval: { deny: ['read(.env*)'], workspace, asks: 'person' },
    }
    const permits = createApproval().permits(config, { tool: named('fs__read'), input: {} }, [])
    const given = (of: string) => [
      { type: 'resource' as const, resource: { uri: of.replace('$WS', workspace), text: SECRET } },
    ]
    expect(JSON.stringify(permittedBlocks(given(uri), { workspace, permits }))).not.toContain(SECRET)
    expect(JSON.stringify(permittedBlocks(given('file://$WS/a.txt'), { workspace, permits }))).toContain(
      SECRET,
    )
    expect(
      JSON.stringify(permittedBlocks(given('https://example.com/.env'), { workspace, permits })),
    ).toContain(SECRET)
  })
})

it('an exception that is written out holds for commands and foreign tools, too', async () => {
  const rules = { allow: ['*', 'read(.env.example)'], deny: ['read(.env*)'] }
  for (const command of ['cat .env.example', 'cat ./.env.example', 'wc --files0-from=.env.example'])
    expect(await seen(rules, 'shell', { command })).toContain('exitCode')
  expect(await seen(rules, 'fs__read', { path: '.env.example' })).toContain('got')
  expect(await seen(rules, 'shell', { command: 'cat .env.example .env' })).toMatch(DENIED)
  expect(await seen(rules, 'fs__read', { paths: ['.env.example', '.env'] })).toMatch(DENIED)
})

describe('what is not denied still works', () => {
  const rules = { allow: ['*'], deny: ['read(.env*)', 'shell(rm *)'] }
  it.each<[string, object, string]>([
    ['read_file', { path: 'a.txt' }, 'one'],
    ['search_files', { pattern: 'two' }, 'a.txt'],
    ['list_files', {}, 'a.txt'],
    ['executor__count', { file: 'a.txt' }, '"exitCode":0'],
    ['shell', { command: 'cat a.txt *.txt' }, 'one'],
    ['shell', { command: 'git log --format=farm -- env' }, 'exitCode'],
    ['fs__read', { path: 'a.txt', note: 'all about the environment' }, 'got'],
    ['fs__execute', { command: 'ls', note: 'farm' }, 'got'],
  ])('%s %j', async (name, input, expected) => {
    expect(await seen(rules, name, input)).toContain(expected)
  })
})

it('every tool of ours declares its deeds', () => {
  expect(opened.tools.filter(({ deeds }) => deeds === undefined)).toEqual([])
  expect(opened.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['shell', 'memory__save', 'executor__observe']),
  )
})
