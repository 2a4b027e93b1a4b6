import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutorResult } from './executor.ts'
import { checkObservations, type ObservationResult } from './observations.ts'

function checkAll(observations: string[], result: ExecutorResult, folder: string) {
  return checkObservations(observations, result, { workspace: folder, permits: () => 'allow' })
}

async function checkObservation(observation: string, result: ExecutorResult, folder: string) {
  return (await checkAll([observation], result, folder))[0]?.verdict
}

let workspace = ''

beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-observe-'))
  mkdirSync(join(workspace, 'dist'))
  writeFileSync(
    join(workspace, 'login.html'),
    '<!DOCTYPE html>\n<body><form id="f" method="post"></form></body>\n',
  )
  writeFileSync(join(workspace, 'login.css'), 'form { color: red }\n')
  writeFileSync(join(workspace, 'result.txt'), '9\n')
  writeFileSync(join(workspace, 'empty.log'), '')
  writeFileSync(join(workspace, 'Makefile'), 'all:\n')
  writeFileSync(join(workspace, '报告.md'), '# 结论\n全部通过\n')
})

afterAll(() => rmSync(workspace, { recursive: true, force: true }))

const ok: ExecutorResult = {
  exitCode: 0,
  stdout: 'Hello, world!\n3 passed, 0 failed\ntotal: 142\n',
  stderr: 'warning: old\n',
  truncated: false,
  durationMs: 5,
}

const table: Record<ObservationResult, string[]> = {
  met: [
    'exit code 0',
    'Exit code is 0.',
    'exit code: 0',
    'exit status should be 0',
    '- exits with code 0',
    '1. The command exits with 0',
    'the command succeeds',
    'return code 0',
    'zero exit code',
    'login.html exists',
    'The file login.html exists.',
    'file `login.html` is created',
    '"login.html" should exist',
    'login.html, login.css exist',
    'login.html and login.css are created',
    'creates result.txt',
    'the directory dist exists',
    'dist folder exists',
    'Makefile exists',
    'missing.txt does not exist',
    'login.html contains "<form"',
    'login.html contains a <form> tag',
    'login.html contains <form>',
    'login.html contains "<form>"',
    'login.html contains `<FORM>`',
    'login.html contains `<form method="post">`',
    "login.html contains a `<form method='post' id=f>` tag",
    'login.html contains `</form>`',
    'login.html 包含 "<form>"',
    'login.html should contain a form element',
    'login.html exists and contains <form',
    'login.html does not contain "<script"',
    'result.txt contains 9',
    "result.txt's content is 9",
    'the content of result.txt is "9"',
    'empty.log is empty',
    'login.css is not empty',
    'login.css matches /color:\\s+red/',
    'stdout contains "Hello, world!"',
    'output includes 3 passed',
    'the output contains 142',
    'prints "Hello, world!"',
    'stdout does not contain "Traceback"',
    'stderr contains "warning"',
    'output matches /\\d+ passed/',
    'output is not empty',
    'exit code 0; login.html exists',
    '退出码 0',
    '退出码为 0',
    '退出码：0',
    '退出码应为0。',
    '返回码是 0',
    '命令执行成功',
    '正常退出',
    'login.html 文件存在',
    'login.html文件存在',
    '文件 login.html 已生成',
    '文件login.css已创建',
    '生成文件 result.txt',
    '创建 login.html',
    '报告.md 存在',
    '`报告.md` 包含 “全部通过”',
    '目录 dist 存在',
    'dist 目录已创建',
    'login.html、login.css 均存在',
    'login.html 和 login.css 文件存在',
    'missing.txt 不存在',
    'login.html 包含 <form> 标签',
    'login.html 文件中包含 form 标签',
    'login.html 存在且包含 <form> 标签',
    'login.html 不包含 "<script>"',
    'result.txt 内容为 9',
    'login.css 非空',
    '标准输出包含 "Hello"',
    '输出包含“3 passed”',
    '输出中出现 3 passed',
    '输出不包含 "Traceback"',
    '标准错误包含 warning',
    '输出匹配 /passed/',
    '退出码 0，login.html 存在',
  ],
  unmet: [
    'exit code 1',
    'the command fails',
    'non-zero exit code',
    'missing.txt exists',
    'login.html, missing.css exist',
    'login.html does not exist',
    'login.html contains "<script>"',
    'login.html contains a <table> tag',
    'login.html contains `<table class="x">`',
    'login.html contains `<h1>Log in</h1>`',
    'login.html does not contain `<form>`',
    'missing.txt contains "x"',
    'result.txt contains 10',
    'the content of result.txt is "10"',
    'login.css is empty',
    'login.html is a folder and exit code 1',
    'stdout contains "Goodbye"',
    'the output contains 42',
    'stdout is empty',
    'stdout is valid JSON',
    'output matches /\\d+ skipped/',
    'stderr is empty',
    'the directory login.html exists',
    '退出码 1',
    '退出码非零',
    '命令执行失败',
    'missing.txt 文件存在',
    'login.html、missing.css 均存在',
    'login.html 已删除',
    'login.html 包含 <table> 标签',
    'login.html 存在且包含 “<script>”',
    '输出包含 "Goodbye"',
    '没有标准错误输出',
    '标准输出为空',
    'result.txt 内容为 "10"',
    '退出码 0，missing.txt 存在',
  ],
  unknown: [
    // Something like it is there: a reader must decide.
    'login.html contains `<form method="get">`',
    'login.html contains `<form><input></form>`',
    'login.html does not contain `<form method="get">`',
    'stdout contains "hello,  World!"',
    'stdout does not contain "hello"',
    'the content of 报告.md is "# 结论 全部通过"',
    '',
    'the page looks good',
    'exit code',
    '退出码/错误码',
    '日志摘要或检查项',
    '生成的文件/变更点',
    'the report exists',
    '文件存在',
    '文件包含 <form> 标签',
    'the file contains "<form>"',
    'no errors',
    'the output contains a summary of all tests',
    'stdout contains goodbye',
    '输出包含正确的结果',
    'login.html renders in a browser',
    '../secret.txt exists',
    '/etc/passwd contains root',
    'output matches /(/',
    'output matches /(a+)+$/ quickly',
    '表单可提交且有基本校验',
    'login.html exists and looks good',
    'output does not contain errors',
    '输出 JSON',
    'output contains PASSED',
    'login.html中的表单存在',
    'login.html或missing.css存在',
    'login.html 有3个输入框',
    '输出不正确',
    'output is correct',
    'exit code 0 or 1',
    'login.html contains inline-css',
    '命令输出结果正确',
    'created successfully',
    'x'.repeat(5000),
    `${'和'.repeat(400)}存在`,
    `${'a and '.repeat(160)}b exist?`,
  ],
}

describe.each(Object.entries(table))('%s', (verdict, observations) => {
  it.each(observations)('%s', async (observation) => {
    expect(await checkObservation(observation, ok, workspace)).toBe(verdict)
  })
})

describe('observations', () => {
  it('of the document’s example C: the file is the one that was named before', async () => {
    const observed = await checkAll(
      ['退出码 0', 'login.html 文件存在', '文件包含 <form> 标签'],
      ok,
      workspace,
    )
    expect(observed.map(({ verdict }) => verdict)).toEqual(['met', 'met', 'met'])
    const english = await checkAll(['login.css exists', 'the file contains "blue"'], ok, workspace)
    expect(english.map(({ verdict }) => verdict)).toEqual(['met', 'unmet'])
    expect(english[1]?.evidence).toBe('login.css: "blue" is not in it')
  })

  it('of a command that was ended: no exit code is met, a failure is', async () => {
    const ended: ExecutorResult = { ...ok, exitCode: null, signal: 'SIGTERM', timedOut: true }
    expect(await checkObservation('exit code 0', ended, workspace)).toBe('unmet')
    expect(await checkObservation('命令失败', ended, workspace)).toBe('met')
    expect((await checkAll(['退出码 0'], ended, workspace))[0]?.evidence).toContain('it timed out')
  })

  it.each([
    'no output',
    'grep finds nothing',
    'The command prints nothing.',
    'no matches',
    'there are no matches found',
    '没有匹配项',
    '未找到任何匹配',
  ])('of a search that should find nothing: %s', async (observation) => {
    const none: ExecutorResult = { ...ok, exitCode: 1, stdout: '', stderr: '' }
    expect(await checkObservation(observation, none, workspace)).toBe('met')
  })

  it('of a search that prints something: it may say in words that it found nothing', async () => {
    const said: ExecutorResult = { ...ok, stdout: '0 matches\n', stderr: '' }
    expect(await checkObservation('the search finds nothing', said, workspace)).toBe('unknown')
    expect(await checkObservation('no output', said, workspace)).toBe('unmet')
  })

  it('of output that is cut: what is not in it may be in the rest', async () => {
    const cut: ExecutorResult = { ...ok, truncated: true }
    expect(await checkObservation('stdout contains "Goodbye"', cut, workspace)).toBe('unknown')
    expect(await checkObservation('stdout does not contain "Goodbye"', cut, workspace)).toBe('unknown')
    expect(await checkObservation('stdout contains "Hello"', cut, workspace)).toBe('met')
    expect(await checkObservation('output matches /skipped/', cut, workspace)).toBe('unknown')
  })

  it('with an expression that would backtrack for ever is checked', async () => {
    const slow: ExecutorResult = { ...ok, stdout: `${'a'.repeat(40_000)}!` }
    expect(await checkObservation('stdout matches /^(a+)+$/', slow, workspace)).toBe('unmet')
  })

  it('of the output as a whole: a warning on stderr does not make it another', async () => {
    const result: ExecutorResult = { ...ok, stdout: '14\n', stderr: 'warning\n' }
    expect(await checkObservation('output is 14', result, workspace)).toBe('met')
    expect(await checkObservation('输出为 14', result, workspace)).toBe('met')
    expect(await checkObservation('stdout is 15', result, workspace)).toBe('unmet')
    expect(await checkObservation('stderr is 14', result, workspace)).toBe('unmet')
  })

  it('of JSON output', async () => {
    const json: ExecutorResult = { ...ok, stdout: '{"a":1}\n' }
    expect(await checkObservation('output is valid JSON', json, workspace)).toBe('met')
    expect(await checkObservation('输出为合法的 JSON', json, workspace)).toBe('met')
  })
})
