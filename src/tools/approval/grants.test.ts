import { describe, expect, it } from 'vitest'
import { doesNothing } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import type { ApprovalRules } from '../../protocol/index.ts'
import { builtinTools } from '../builtin/index.ts'
import { SHELL } from '../executors/executor.ts'
import { executorTools } from '../executors/executor-tools.ts'
import { parseExecutors } from '../executors/parse-executors.ts'
import { alwaysAllow, approvalQuestion } from './approval.ts'
import { decide } from './decide.ts'
import { parsePolicy } from './policy.ts'

const EXECUTORS = await parseExecutors(
  `executors:
  - id: make_here
    description: Makes.
    command: make
  - id: make_below
    description: Makes below.
    command: make
    cwd: sub
`,
  'executors.yaml',
)

const other = (name: string, deeds?: ToolInfo['deeds']): ToolInfo => ({
  name,
  description: '',
  access: 'network',
  ...(deeds && { deeds }),
})
const tools: readonly ToolInfo[] = [
  ...builtinTools({ http: { allow: ['*'] } }),
  ...executorTools([SHELL, ...EXECUTORS]),
  other('mcp_x'),
  other('mcp_x2'),
  other('reader', () => [{ does: 'read', path: 'a/b' }]),
  other('nothing', doesNothing),
]
const named = (name: string) => tools.find((tool) => tool.name === name) as ToolInfo

type Call = readonly [tool: string, input: object]
const shell = (command: string, cwd?: string): Call => [
  'shell',
  { command, ...(cwd !== undefined && { cwd }) },
]
const write = (path: string): Call => ['write_file', { path, content: '' }]
const edit = (path: string): Call => ['edit_file', { path, old: 'a', new: 'b' }]
const read = (path: string): Call => ['read_file', { path }]
const list = (path?: string): Call => ['list_files', path === undefined ? {} : { path }]
const fetch = (url: string): Call => ['http_fetch', { url }]
const patch = (...paths: string[]): Call => [
  'apply_patch',
  { patch: paths.map((path) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`).join('') },
]

/** What is decided about the second call after `always` to the first. */
function afterAlways(first: Call, second: Call, rules: ApprovalRules = {}): string {
  const policy = parsePolicy(rules, '/w')
  expect(decide(policy, named(first[0]), first[1]).verdict).toBe('ask')
  const after = alwaysAllow(policy, { tool: named(first[0]), input: first[1] })
  return decide(after, named(second[0]), second[1]).verdict
}

const ASK_READ: ApprovalRules = { ask: ['read'] }

describe('`always` covers', () => {
  it.each<[Call, Call, ApprovalRules?]>([
    [shell('make'), shell('make')],
    [shell('make'), shell(' make\n')],
    [shell('make'), shell('make', '.')],
    [shell('make', 'sub'), shell('make', './sub/')],
    [shell('make', 'sub'), shell('make', '/w/sub')],
    [shell('make', 'sub'), shell('make', 'x/../sub')],
    [shell('rm *'), shell('rm *')],
    [shell('git -c a.b=c log'), shell('git -c a.b=c log')],
    [shell('make'), shell('make'), { ask: ['shell(make*)'] }],
    [shell('make'), shell('make'), { ask: ['shell(make)'] }],
    [write('src/a'), write('src/b')],
    [write('src/a'), write('src/deep/b')],
    [write('src/a'), write('/w/src/b')],
    [write('src/a'), write('./src/x/../b')],
    [write('a'), write('b')],
    [edit('src/a'), edit('src/b')],
    [patch('src/a', 'lib/b'), patch('lib/c', 'src/d')],
    [write('x/[a]'), write('x/[a]'), { allow: ['write'], ask: ['write([x]/*)'] }],
    [write('a{b,c}d'), write('a{b,c}d'), { ask: ['write(a*)'] }],
    [patch('src/a', '.npmrc'), patch('src/a', '.npmrc')],
    [read('src/a'), read('src/b'), ASK_READ],
    [list('src'), list('src/deep'), ASK_READ],
    [list(), list('src'), ASK_READ],
    [fetch('https://a.example/x'), fetch('http://A.example:8080/y')],
    [
      ['executor__make_here', {}],
      ['executor__make_here', {}],
    ],
    [
      ['mcp_x', { a: 1 }],
      ['mcp_x', { a: 2 }],
    ],
    [
      ['reader', {}],
      ['reader', {}],
    ],
  ])('%j: %j %j', (first, second, rules) => {
    expect(afterAlways(first, second, rules)).toBe('allow')
  })
})

describe('`always` does not cover', () => {
  it.each<[Call, Call, ApprovalRules?]>([
    // Another command, or the same elsewhere.
    [shell('make'), shell('make install')],
    [shell('make'), shell('make; make')],
    [shell('make'), shell('make && rm x')],
    [shell('make'), shell('Make')],
    [shell('make'), shell('make\u00a0')],
    [shell('make\u00a0'), shell('make')],
    [shell('make\r'), shell('make')],
    [shell('rm *'), shell('rm x')],
    [shell('rm \\*'), shell('rm *')],
    [shell('make'), shell('make', 'sub')],
    [shell('make', 'sub'), shell('make')],
    [shell('make', 'sub'), shell('make', 'sub2')],
    [shell('make', 'sub'), shell('make', 'sub/deep')],
    [shell('make', 'sub'), shell('make', 'SUB')],
    [shell('make', 'sub'), shell('make', 'sub/../other')],
    [shell('make', 'sub'), shell('make', ' sub')],
    // The same command by another tool.
    [shell('make'), ['executor__make_here', {}]],
    [shell('make'), ['executor__shell', { command: 'make' }]],
    [['executor__shell', { command: 'make' }], shell('make')],
    [['executor__make_here', {}], shell('make')],
    [
      ['executor__make_here', {}],
      ['executor__make_below', {}],
    ],
    [['executor__make_below', {}], shell('make', 'sub')],
    // Another folder.
    [write('src/a'), write('a')],
    [write('src/a'), write('src2/a')],
    [write('src/a'), write('src')],
    [write('src/a'), write('SRC/a')],
    [write('src/a'), write('src/../a')],
    [write('src/a'), write('src/../src2/a')],
    [write('src/a'), write('/w/src2/a')],
    [write('src/deep/a'), write('src/a')],
    [write('a'), write('src/a')],
    [write('*/a'), write('src/a')],
    [write('**/a'), write('src/deep/a')],
    [write('{src,lib}/a'), write('src/a')],
    [write('[s]rc/a'), write('src/a')],
    [patch('src/a'), patch('src/a', 'lib/b')],
    [read('src/a'), read('lib/a'), ASK_READ],
    [list('src'), list('src2'), ASK_READ],
    [list('src'), list(), ASK_READ],
    // Another tool, or another deed.
    [write('src/a'), edit('src/a')],
    [edit('src/a'), write('src/a')],
    [write('src/a'), patch('src/a')],
    [read('src/a'), list('src'), ASK_READ],
    [
      ['mcp_x', {}],
      ['mcp_x2', {}],
    ],
    // A file that a rule with a pattern asks for.
    [write('a{b,c}d'), write('abd'), { ask: ['write(a*)'] }],
    [write('a{b,c}d'), write('a\\{b'), { ask: ['write(a*)'] }],
    [write('x/*'), write('x/b'), { ask: ['write(x/**)'] }],
    [write(' a'), write('a'), { ask: ['write(*a)'] }],
    [write('src/a'), write('src/.env'), { ask: ['write(.env*)'] }],
    [write('src/.env'), write('src/.env2'), { ask: ['write(.env*)'] }],
    [shell('make'), shell('make x'), { ask: ['shell(make *)'] }],
    [patch('src/a', '.npmrc'), patch('src/b')],
    [patch('src/a', '.npmrc'), write('.npmrc')],
    [write('a'), write('package.json')],
    // Another host.
    [fetch('https://a.example/'), fetch('https://b.example/')],
    [fetch('https://a.example/'), fetch('https://x.a.example/')],
    [fetch('https://a.example/'), fetch('https://a.example.evil.example/')],
    [fetch('https://127.0.0.1/'), fetch('https://127.0.0.2/')],
    // Input that says nothing of what would be done.
    [fetch('no address'), fetch('https://a.example/')],
    [['apply_patch', { patch: 'no patch' }], patch('a')],
    [['shell', {}], shell('make')],
  ])('%j: %j %j', (first, second, rules) => {
    expect(afterAlways(first, second, rules)).toBe('ask')
  })

  it.each<[Call, Call, ApprovalRules]>([
    [write('src/a'), write('src/keys'), { deny: ['write(keys)'] }],
    [write('src/a'), write('../x'), {}],
    [write('src/a'), write('src/../../x'), {}],
    [shell('make', 'sub'), shell('rm x', 'sub'), { deny: ['shell(rm *)'] }],
    [fetch('https://a.example/'), fetch('https://evil.example/'), { deny: ['network(evil.example)'] }],
  ])('what is denied: %j: %j %j', (first, second, rules) => {
    expect(afterAlways(first, second, rules)).toBe('deny')
  })
})

describe('the question names what `always` covers', () => {
  const said = ([name, input]: Call, level = 0) =>
    /\(always: (.*), for the rest of block 1-2;/.exec(
      approvalQuestion(named(name), input, { path: '1-2', level, workspace: '/w' }).text,
    )?.[1]

  it.each<[Call, string]>([
    [shell('make'), 'exactly this command in ./'],
    [shell('make', '/w/sub'), 'exactly this command in sub/'],
    [['executor__make_below', {}], 'exactly this command in sub/'],
    [write('src/a'), 'write_file in src/ and below'],
    [write('a'), 'write_file in ./'],
    [edit('src/a'), 'edit_file in src/ and below'],
    [patch('src/a', 'src/b', 'lib/c'), 'apply_patch in src/ and below, lib/ and below'],
    [patch('a/a', 'b/b', 'c/c', 'd/d'), 'apply_patch in a/ and below, b/ and below, c/ and below and 1 more'],
    [list('src'), 'list_files in src/ and below'],
    [fetch('https://a.example/x'), 'http_fetch of a.example'],
    [fetch('no address'), 'this call only'],
    [['mcp_x', {}], 'every mcp_x'],
    [['nothing', {}], 'every nothing'],
  ])('%j: %s', (call, text) => {
    expect(said(call)).toBe(text)
  })

  it('in Chinese with a space between a path and a word', () => {
    const text = (path: string) =>
      approvalQuestion(
        named('write_file'),
        { path, content: '' },
        { path: '1', level: 0, workspace: '/w', language: 'zh' },
      ).text
    expect(text('a')).toContain('总是：对 ./ 的 write_file，')
    expect(text('src/a')).toContain('总是：对 src/ 及其下级的 write_file，')
  })

  it('and shows the command of an executor, and its folder', () => {
    const { text } = approvalQuestion(
      named('executor__make_below'),
      {},
      { path: '1', level: 0, workspace: '/w' },
    )
    expect(text).toBe(
      'executor__make_below (execute) asks for permission:\n  make\n  (in sub)\n(always: exactly this command in sub/, for the rest of block 1)',
    )
  })
})
