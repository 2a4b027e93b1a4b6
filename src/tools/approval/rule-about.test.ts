// A rule is about what is done, not about the name of the tool that does it.
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../kernel/deed.ts'
import type { ToolInfo } from '../../kernel/tool.ts'
import type { ApprovalRules } from '../../protocol/index.ts'
import { blueprintTools } from '../blueprints/blueprint-tools.ts'
import { builtinTools } from '../builtin/index.ts'
import { executorTools } from '../executors/executor-tools.ts'
import { parseExecutors } from '../executors/parse-executors.ts'
import { memoryTools } from '../memory/memory-tools.ts'
import { createApproval } from './approval.ts'
import { decide } from './decide.ts'
import { parsePolicy } from './policy.ts'

const WORKSPACE = '/work/space'

const YAML = `executors:
  - { id: count, description: Counts, command: "wc -l {{file}}", side_effects: none, inputs: { file: { type: string, format: path } } }
  - { id: make, description: Makes, command: "make {{target}}", side_effects: files, inputs: { target: string } }
  - { id: pack, description: Packs, command: "tar cf out.tar {{file}}", side_effects: files, inputs: { file: { type: string, format: path } } }
  - { id: fetch, description: Fetches, command: "curl {{url}}", side_effects: network, inputs: { url: string } }
  - { id: deploy, description: Deploys, command: "rm -rf out {{file}}", inputs: { file: { type: string, format: path } } }
`
const tools = [
  ...builtinTools({ http: { allow: ['*'] } }),
  ...executorTools(await parseExecutors(YAML)),
  ...memoryTools().tools,
  ...blueprintTools(),
]

function named(name: string): ToolInfo {
  const found = tools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(`no tool ${name}`)
  return found
}

function verdict(rules: ApprovalRules, name: string, input: unknown): Verdict {
  return decide(parsePolicy(rules, WORKSPACE), named(name), input).verdict
}

const patch = (from: string, to = from) => `--- a/${from}\n+++ b/${to}\n@@ -1 +1 @@\n-a\n+b\n`
const count = { file: 'a' }
const NO_ENV = { allow: ['*'], deny: ['read(.env*)'] }

describe('a rule without a pattern', () => {
  it.each<[ApprovalRules, string, object, Verdict]>([
    // By default an executor is what it is declared to be.
    [{}, 'executor__count', count, 'allow'],
    [{}, 'executor__make', { target: 'x' }, 'ask'],
    [{}, 'executor__fetch', { url: 'x' }, 'ask'],
    [{}, 'executor__deploy', count, 'ask'],
    [{ allow: ['write'] }, 'executor__make', { target: 'x' }, 'allow'],
    [{ allow: ['write'] }, 'executor__pack', count, 'allow'],
    [{ allow: ['network'] }, 'executor__fetch', { url: 'x' }, 'allow'],
    [{ allow: ['execute'] }, 'executor__deploy', count, 'allow'],
    [{ allow: ['execute'] }, 'executor__make', { target: 'x' }, 'ask'],
    [{ allow: ['executor__deploy'] }, 'executor__deploy', count, 'allow'],
    // What a person denies or wants to be asked about is every command, by whichever tool.
    [{ deny: ['execute'] }, 'executor__count', count, 'deny'],
    [{ ask: ['execute'] }, 'executor__count', count, 'ask'],
    [{ deny: ['shell'] }, 'executor__count', count, 'deny'],
    [{ allow: ['*'], deny: ['shell'] }, 'executor__shell', { command: 'ls' }, 'deny'],
    [{ allow: ['*'], ask: ['shell'] }, 'executor__deploy', count, 'ask'],
    [{ deny: ['write'] }, 'executor__make', { target: 'x' }, 'deny'],
    [{ deny: ['read'] }, 'executor__count', count, 'deny'],
    [{ allow: ['write'], deny: ['read'] }, 'edit_file', { path: 'a', old: 'x', new: 'y' }, 'deny'],
    [{ allow: ['write'], deny: ['read'] }, 'write_file', { path: 'a', content: '' }, 'allow'],
    // Allowed is what is named.
    [{ allow: ['shell'] }, 'executor__shell', { command: 'ls' }, 'allow'],
    [{ allow: ['shell'] }, 'executor__deploy', count, 'ask'],
    [{ allow: ['executor__shell'] }, 'shell', { command: 'ls' }, 'ask'],
    [{ allow: ['write_file'] }, 'edit_file', { path: 'a', old: 'x', new: 'y' }, 'ask'],
  ])('%j, %s %j: %s', (rules, name, input, expected) => {
    expect(verdict(rules, name, input)).toBe(expected)
  })
})

describe('a rule with a pattern', () => {
  const edit = (path: string) => ({ path, old: 'x', new: 'y' })
  it.each<[ApprovalRules, string, object, Verdict]>([
    [{ allow: ['*'], deny: ['shell(rm *)'] }, 'executor__shell', { command: 'rm x' }, 'deny'],
    [{ allow: ['*'], deny: ['shell(rm *)'] }, 'executor__deploy', count, 'deny'],
    [{ allow: ['*'], deny: ['execute(rm *)'] }, 'shell', { command: 'rm x' }, 'deny'],
    [{ allow: ['*'], deny: ['execute(wc *)'] }, 'executor__count', count, 'deny'],
    [{ allow: ['shell(ls *)'] }, 'executor__shell', { command: 'ls -a' }, 'allow'],
    [{ allow: ['execute(make *)'] }, 'executor__make', { target: 'all' }, 'allow'],
    [NO_ENV, 'edit_file', edit('.env'), 'deny'],
    [NO_ENV, 'apply_patch', { patch: patch('.env') }, 'deny'],
    [NO_ENV, 'apply_patch', { patch: patch('.env', 'b') }, 'deny'],
    [NO_ENV, 'executor__count', { file: 'sub/.ENV' }, 'deny'],
    [NO_ENV, 'executor__pack', { file: './x/../.env.local' }, 'deny'],
    [NO_ENV, 'write_file', { path: '.env', content: '' }, 'allow'],
    [{ allow: ['*'], deny: ['read_file(.env)'] }, 'search_files', { pattern: 'x', path: '.env' }, 'deny'],
    [{ allow: ['*'], deny: ['list_files(keys)'] }, 'read_file', { path: 'keys/a' }, 'deny'],
    [{ allow: ['*'], deny: ['write_file(keys)'] }, 'edit_file', edit('keys/a'), 'deny'],
    [{ allow: ['*'], deny: ['write_file(keys)'] }, 'executor__pack', { file: 'keys/a' }, 'deny'],
    [{ allow: ['*'], deny: ['write_file(keys)'] }, 'read_file', { path: 'keys/a' }, 'allow'],
    [{ allow: ['*'], ask: ['edit_file(keys)'] }, 'apply_patch', { patch: patch('keys/a') }, 'ask'],
    [{ allow: ['write(src/**)'] }, 'edit_file', edit('src/a'), 'allow'],
    [{ allow: ['write(src/**)'] }, 'apply_patch', { patch: patch('src/a', 'src/b') }, 'allow'],
    [{ allow: ['write_file(src/**)'] }, 'edit_file', edit('src/a'), 'ask'],
  ])('%j, %s %j: %s', (rules, name, input, expected) => {
    expect(verdict(rules, name, input)).toBe(expected)
  })
})

describe('a tool of the user that does not tell what it would do', () => {
  it.each<[string, () => never]>([
    [
      'because it fails',
      () => {
        throw new Error('no')
      },
    ],
    ['because it says nothing useful', () => [{ does: 'read' }] as never],
    ['because it says something else', () => [{}] as never],
  ])('is not called: %s', (_, deeds) => {
    const tool = { name: 'own', description: '', access: 'read', deeds } as const
    expect(decide(parsePolicy({ allow: ['*'] }, WORKSPACE), tool, 'x')).toMatchObject({ verdict: 'deny' })
  })
})

describe('the memory writes, and nobody is asked about each item unless a rule says so', () => {
  it.each<[ApprovalRules, Verdict]>([
    [{}, 'allow'],
    [{ ask: ['write'] }, 'allow'],
    [{ allow: ['write'] }, 'allow'],
    [{ allow: ['*'] }, 'allow'],
    [{ ask: ['*'] }, 'allow'],
    [{ deny: ['write'] }, 'deny'],
    [{ deny: ['*'] }, 'deny'],
    [{ deny: ['*'], allow: ['read'] }, 'deny'],
    [{ deny: ['memory__save'] }, 'deny'],
    [{ deny: ['memory__*'] }, 'deny'],
    [{ ask: ['memory__save'] }, 'ask'],
    [{ ask: ['memory__*'] }, 'ask'],
    [{ allow: ['*'], deny: ['write(.thinkon)'] }, 'deny'],
    [{ allow: ['*'], deny: ['write_file(.thinkon/**)'] }, 'deny'],
    [{ deny: ['read'] }, 'allow'],
  ])('%j: %s', (rules, expected) => {
    expect(verdict(rules, 'memory__save', { items: [] })).toBe(expected)
  })

  it('does not allow a foreign tool of the same name', () => {
    const foreign = { name: 'memory__save', description: '', access: 'write' } as const
    expect(decide(parsePolicy({}, WORKSPACE), foreign, { path: '.thinkon/memory.db' }).verdict).toBe('ask')
  })

  it('is read by load and search, as the blueprints are by theirs', () => {
    const rules = { deny: ['read(.thinkon)'] }
    expect(verdict({}, 'memory__load', { query: 'x' })).toBe('allow')
    expect(verdict(rules, 'memory__load', { query: 'x' })).toBe('deny')
    expect(verdict(rules, 'memory__search', { query: 'x' })).toBe('deny')
    expect(verdict(rules, 'blueprint__list', {})).toBe('deny')
    expect(verdict(rules, 'blueprint__load', { name: 'x' })).toBe('deny')
  })
})

describe('what a running tool may do on its way', () => {
  it.each<[ApprovalRules, 'person' | 'nobody' | 'yes', Verdict]>([
    [{}, 'person', 'allow'],
    [{ deny: ['read(.env*)'] }, 'yes', 'deny'],
    [{ ask: ['read(.env*)'] }, 'person', 'ask'],
    [{ ask: ['read(.env*)'] }, 'nobody', 'deny'],
    [{ ask: ['read(.env*)'] }, 'yes', 'allow'],
  ])('%j, asks %s: %s', (rules, asks, expected) => {
    const config = { thinkon: '', models: {}, approval: { ...rules, workspace: WORKSPACE, asks } }
    const call = { tool: named('search_files'), input: { pattern: 'x' } }
    expect(createApproval().permits(config, call, [])({ does: 'read', path: 'a/.env' })).toBe(expected)
  })

  it('is what is in a folder that a person has said yes to, but not what another rule is about', () => {
    const rules = { ask: ['read(logs)', 'read(*.key)'], deny: ['read(logs/private)'] }
    const config = {
      thinkon: '',
      models: {},
      approval: { ...rules, workspace: WORKSPACE, asks: 'person' as const },
    }
    const permits = (path: string) => {
      const call = { tool: named('list_files'), input: { path } }
      return (found: string) => createApproval().permits(config, call, [])({ does: 'read', path: found })
    }
    expect(permits('./logs')('logs/a.log')).toBe('allow')
    expect(permits('logs')('logs/deep/a.log')).toBe('allow')
    expect(permits('logs')('logs/a.key')).toBe('ask')
    expect(permits('logs')('logs/private/a.log')).toBe('deny')
    expect(permits('.')('logs/a.log')).toBe('ask')
    expect(permits('src')('logs/a.log')).toBe('ask')
  })

  it('is all it likes where a run has no policy', () => {
    const call = { tool: named('search_files'), input: { pattern: 'x' } }
    const permits = createApproval().permits({ thinkon: '', models: {} }, call, [])
    expect(permits({ does: 'read', path: '../x' })).toBe('allow')
  })

  it('is what a person has said yes to: the host of the call, and of one that is allowed in the plan', () => {
    const config = { thinkon: '', models: {}, approval: { workspace: WORKSPACE, asks: 'person' as const } }
    const fetching = (host: string) => ({ tool: named('http_fetch'), input: { url: `https://${host}/` } })
    const permits = createApproval().permits(config, fetching('a.example'), [fetching('b.example')])
    expect(permits({ does: 'network', host: 'a.example' })).toBe('allow')
    expect(permits({ does: 'network', host: 'b.example' })).toBe('allow')
    expect(permits({ does: 'network', host: 'c.example' })).toBe('ask')
  })
})
