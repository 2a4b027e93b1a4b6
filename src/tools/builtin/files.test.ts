import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Tool } from '../../kernel/tool.ts'
import type { ApprovalRules } from '../../protocol/index.ts'
import { toolIo } from '../../testing/tool-io.ts'
import { createApproval } from '../approval/approval.ts'
import { builtinTools } from './index.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchFilesTool } from './search-files.ts'
import { editFileTool, writeFileTool } from './write-files.ts'

let workspace: string

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-files-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

describe('a part of a private key', () => {
  const body = [
    'MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAMrT2CeBUOKJ+gaF',
    'VzGK7qv+bDUCWtxZ',
    'Ng==',
  ]
  const key = [
    '-----BEGIN RSA PRIVATE KEY-----',
    'Proc-Type: 4,ENCRYPTED',
    '',
    ...body,
    '-----END RSA PRIVATE KEY-----',
  ]
  const quoted = [
    "const key = '-----BEGIN PRIVATE KEY-----\\n' +",
    ...body.map((line) => `  '${line}\\n' +`),
    "  ''",
  ]

  it.each([
    ['of a file', [...key, 'after']],
    ['of a program', [...quoted, 'after']],
  ])('%s is not shown, the lines around it are', async (_, lines) => {
    put('file', lines.join('\n'))
    for (const from of lines.keys()) {
      const shown = JSON.stringify(await call(readFileTool(), { path: 'file', from: from + 1 }))
      for (const part of body) expect(shown).not.toContain(part)
      expect(shown).toContain('after')
    }
    const found = JSON.stringify(await call(searchFilesTool(), { pattern: '[A-Za-z]', regex: true }))
    for (const part of body) expect(found).not.toContain(part)
    expect(found).toContain('after')
  })

  it('is not seen in what only speaks of one', async () => {
    const text = 'It begins with -----BEGIN PRIVATE KEY-----.\nThat is all.\nAAAAAAAA'
    put('file', text)
    expect(await call(readFileTool(), { path: 'file' })).toMatchObject({ text })
  })
})

describe('bad arguments', () => {
  it('are told all at once, as data', async () => {
    const tool = readFileTool()
    await expect(call(tool, { from: 'x', lines: 0, foo: 1 })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      data: {
        problems: [
          'path is missing',
          'from must be an integer, not "x"',
          'lines must be at least 1, not 0',
          'foo is not a known field: did you mean "from"?',
        ],
      },
    })
    await expect(call(tool, 'a.txt')).rejects.toThrow('must be an object')
    await expect(call(tool, { path: '' })).rejects.toThrow('path must not be empty')
  })

  it('take null for what is left out', async () => {
    put('a.txt', 'x')
    expect(await call(readFileTool(), { path: 'a.txt', from: null })).toMatchObject({
      text: 'x',
    })
  })

  it('are described by a JSON Schema for every tool', () => {
    for (const { name, input, access, description } of builtinTools({ http: { allow: ['*'] } })) {
      expect(name).toMatch(/^[a-z_]+$/)
      expect(['read', 'write', 'network', 'execute']).toContain(access)
      expect(description.length).toBeGreaterThan(10)
      expect(input?.json).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })
})

describe('read_file', () => {
  const tool = () => readFileTool()

  it('reads a file, and a range of its lines', async () => {
    put('a.txt', 'one\ntwo\nthree\nfour\n')
    expect(await call(tool(), { path: 'a.txt' })).toEqual({
      path: 'a.txt',
      from: 1,
      to: 4,
      totalLines: 4,
      text: 'one\ntwo\nthree\nfour',
    })
    expect(await call(tool(), { path: 'a.txt', from: 2, lines: 2 })).toMatchObject({
      text: 'two\nthree',
      next: 'read on with from: 4',
    })
    await expect(call(tool(), { path: 'a.txt', from: 9 })).rejects.toThrow('has 4 lines')
  })

  it('reads an empty file and one with a byte-order mark', async () => {
    put('empty', '')
    put('bom', '\uFEFFhello')
    expect(await call(tool(), { path: 'empty' })).toMatchObject({ text: '', totalLines: 0 })
    expect(await call(tool(), { path: 'bom' })).toMatchObject({ text: 'hello' })
  })

  it('gives a large file in parts, and cuts a line that is too long', async () => {
    put('big', `${'y'.repeat(99)}\n`.repeat(5_000))
    const first = (await call(tool(), { path: 'big' })) as { to: number; text: string }
    expect(first.to).toBe(500)
    expect(await call(tool(), { path: 'big', from: first.to + 1 })).toMatchObject({ from: 501, to: 1_000 })
    put('line', 'z'.repeat(60_000))
    expect(((await call(tool(), { path: 'line' })) as { text: string }).text).toContain(
      '10000 more characters',
    )
  })

  it('refuses what is binary, too large, a folder, a pipe or missing', async () => {
    put('binary', Buffer.from([1, 0, 2]))
    put('latin', Buffer.from([0x63, 0x61, 0x66, 0xe9]))
    put('large', 'x'.repeat(10 * 1024 * 1024 + 1))
    spawnSync('mkfifo', [join(workspace, 'pipe')])
    await expect(call(tool(), { path: 'binary' })).rejects.toThrow('not UTF-8 text (3 bytes)')
    await expect(call(tool(), { path: 'latin' })).rejects.toThrow('not UTF-8 text')
    await expect(call(tool(), { path: 'large' })).rejects.toThrow('more than')
    await expect(call(tool(), { path: '.' })).rejects.toThrow('is a folder')
    await expect(call(tool(), { path: 'pipe' })).rejects.toThrow('not a regular file')
    await expect(call(tool(), { path: 'no/ne' })).rejects.toThrow('no/ne does not exist')
  })
})

describe('list_files', () => {
  const tool = () => listFilesTool()

  beforeEach(() => {
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/er/c.md', 'node_modules/x/i.js', '.git/HEAD', '.env'])
      put(path, 'x')
  })

  it('looks around to a depth, without what is large', async () => {
    expect(await call(tool(), {})).toEqual({
      path: '.',
      files: ['.env', 'a.ts', 'src/', 'src/b.ts', 'src/deep/', 'src/deep/er/'],
    })
    expect(await call(tool(), { depth: 1, all: true })).toMatchObject({
      files: ['.env', '.git/', 'a.ts', 'node_modules/', 'src/'],
    })
  })

  it('takes a glob, from the folder asked for', async () => {
    expect(await call(tool(), { glob: '**/*.{ts,md}' })).toMatchObject({
      files: ['a.ts', 'src/b.ts', 'src/deep/er/c.md'],
    })
    expect(await call(tool(), { path: 'src', glob: 'deep/**' })).toMatchObject({
      files: ['src/deep/er/c.md'],
    })
    expect(await call(tool(), { glob: '*.md' })).toMatchObject({ files: ['src/deep/er/c.md'] })
    expect(await call(tool(), { glob: '[a-b].t?' })).toMatchObject({ files: ['a.ts', 'src/b.ts'] })
  })

  it('leaves out what a policy hides', async () => {
    expect(
      await callUnder({ deny: ['read(.ENV)'], ask: ['list_files(src/deep)'] }, tool(), {}),
    ).toMatchObject({ files: ['a.ts', 'src/', 'src/b.ts'] })
  })

  it('is bounded, and no glob hangs it', async () => {
    for (let i = 0; i < 1_100; i++) put(`many/${'a'.repeat(60)}${i}`, '')
    expect(await call(tool(), { path: 'many' })).toMatchObject({ notShown: 100 })
    await call(tool(), { glob: `${'*a'.repeat(100)}b` })
    await expect(call(tool(), { glob: '{a,b}'.repeat(20) })).rejects.toThrow('too many alternatives')
  })
})

describe('search_files', () => {
  const tool = (timeLimitMs = 10_000) => searchFilesTool(timeLimitMs)

  it('finds a text and a regular expression, with file and line', async () => {
    put('a.txt', 'one\r\nfoo(1) $x\r\n')
    put('src/b.ts', 'const foo = 1\nFOO\n')
    put('node_modules/x.js', 'foo')
    put('binary', Buffer.from([0, 102, 111, 111]))
    expect(await call(tool(), { pattern: 'foo(1) $' })).toEqual({
      matches: [{ path: 'a.txt', line: 2, text: 'foo(1) $x' }],
      searched: 2,
      skipped: 1,
    })
    const found = await call(tool(), {
      pattern: '^(const )?foo\\b',
      regex: true,
      ignoreCase: true,
      glob: '*.ts',
    })
    expect(found).toMatchObject({
      matches: [
        { path: 'src/b.ts', line: 1 },
        { path: 'src/b.ts', line: 2 },
      ],
    })
    expect(await call(tool(), { pattern: 'foo', path: 'src/b.ts' })).toMatchObject({ searched: 1 })
  })

  it('stops at the most matches and shows the part of a long line', async () => {
    put('a.txt', `${'x'.repeat(5_000)}needle${'x'.repeat(5_000)}\n`.repeat(50))
    const found = (await call(tool(), { pattern: 'needle', max: 3 })) as { matches: { text: string }[] }
    expect(found.matches).toHaveLength(3)
    expect(found).toMatchObject({ incomplete: expect.stringContaining('3 matches') })
    expect(found.matches[0]?.text).toMatch(/^….*needle.*…$/)
    expect(found.matches[0]?.text.length).toBeLessThan(310)
  })

  it('searches with an expression that would backtrack for ever', async () => {
    put('a.txt', 'aab\n')
    put('b.txt', `${'a'.repeat(50_000)}!\n`)
    const found = await call(tool(), { pattern: '^(a+)+b$', regex: true })
    expect(found).toEqual({ matches: [{ path: 'a.txt', line: 1, text: 'aab' }], searched: 2, skipped: 0 })
  })

  it('ends a search that takes too long, and keeps what was found', async () => {
    put('a.txt', 'aab\n')
    for (let i = 0; i < 10; i++) put(`b${i}.txt`, `${'ab'.repeat(10_000)}\n`.repeat(100))
    // Long enough for the start of a worker on a busy machine.
    const found = await call(tool(4_000), { pattern: 'aab|(?:a|b)*a(?:a|b){300}c', regex: true })
    expect(found).toMatchObject({
      incomplete: expect.stringContaining('4000 ms'),
      matches: [{ path: 'a.txt' }],
    })
  })

  it('is aborted in the middle of a search', async () => {
    for (let i = 0; i < 20; i++) put(`${i}.txt`, `${'ab'.repeat(10_000)}\n`.repeat(100))
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 200)
    const input = { pattern: '(?:a|b)*a(?:a|b){300}c', regex: true }
    await expect(call(tool(), input, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('refuses a back-reference with the reason', async () => {
    await expect(call(tool(), { pattern: '(a)\\1', regex: true })).rejects.toThrow('back-reference')
  })

  it('does not search what a policy hides', async () => {
    put('.env', 'KEY=1')
    put('sub/.env', 'KEY=2')
    put('a.txt', 'KEY=3')
    expect(await callUnder({ deny: ['read(.env)'] }, tool(), { pattern: 'KEY' })).toMatchObject({
      matches: [{ path: 'a.txt' }],
      searched: 1,
    })
  })

  it('says what is wrong with a pattern and a path', async () => {
    await expect(call(tool(), { pattern: '(', regex: true })).rejects.toThrow('Invalid regular expression')
    await expect(call(tool(), { pattern: 'x', path: 'none' })).rejects.toThrow('none does not exist')
  })
})

describe('write_file', () => {
  const tool = () => writeFileTool()

  it('makes files and folders, and replaces what was there', async () => {
    expect(await call(tool(), { path: 'a/b/c.txt', content: '你好' })).toEqual({
      path: 'a/b/c.txt',
      bytes: 6,
      created: true,
    })
    expect(await call(tool(), { path: 'a/b/c.txt', content: 'new' })).toMatchObject({ created: false })
    expect(get('a/b/c.txt')).toBe('new')
    expect(readdirSync(join(workspace, 'a/b'))).toEqual(['c.txt'])
  })

  it('keeps the mode of a file', async () => {
    put('run.sh', 'x')
    chmodSync(join(workspace, 'run.sh'), 0o750)
    await call(tool(), { path: 'run.sh', content: 'y' })
    expect(statSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o750)
  })

  it('refuses a folder, and leaves nothing behind', async () => {
    mkdirSync(join(workspace, 'dir'))
    await expect(call(tool(), { path: 'dir', content: 'x' })).rejects.toThrow('dir is a folder')
    await expect(call(tool(), { path: '.', content: 'x' })).rejects.toThrow()
    await expect(call(tool(), { path: `${'n'.repeat(300)}`, content: 'x' })).rejects.toThrow('too long')
    expect(readdirSync(workspace)).toEqual(['dir'])
  })

  it('is never seen half written', async () => {
    const [a, b] = ['a'.repeat(200_000), 'b'.repeat(200_000)]
    put('f', a)
    let isOver = false
    const seen = new Set<string>()
    const reading = (async () => {
      while (!isOver) {
        const text = get('f')
        seen.add(text === a ? 'a' : text === b ? 'b' : 'half')
        await new Promise(setImmediate)
      }
    })()
    for (let i = 0; i < 40; i++) await call(tool(), { path: 'f', content: i % 2 ? a : b })
    isOver = true
    await reading
    expect(seen).not.toContain('half')
  })
})

describe('edit_file', () => {
  const tool = () => editFileTool()

  it('replaces the one occurrence, or all', async () => {
    put('a.txt', 'one $& two\none\n')
    expect(await call(tool(), { path: 'a.txt', old: '$& two', new: '$1' })).toEqual({
      path: 'a.txt',
      replaced: 1,
    })
    expect(get('a.txt')).toBe('one $1\none\n')
    expect(await call(tool(), { path: 'a.txt', old: 'one', new: '1', all: true })).toMatchObject({
      replaced: 2,
    })
    expect(get('a.txt')).toBe('1 $1\n1\n')
  })

  it('says why a text was not found, or where it is more than once', async () => {
    put('a.txt', 'x\nfoo  bar\nx\n')
    put('dos.txt', 'a\r\nb\r\n')
    await expect(call(tool(), { path: 'a.txt', old: 'x', new: 'y' })).rejects.toThrow(
      '2 times in a.txt (lines 1, 3)',
    )
    await expect(call(tool(), { path: 'a.txt', old: 'nope', new: 'y' })).rejects.toThrow(
      'does not occur in a.txt',
    )
    await expect(call(tool(), { path: 'a.txt', old: 'foo bar', new: 'y' })).rejects.toThrow(
      'different white space',
    )
    await expect(call(tool(), { path: 'a.txt', old: 'x\nbaz', new: 'y' })).rejects.toThrow('is line 1')
    await expect(call(tool(), { path: 'dos.txt', old: 'a\nb', new: 'y' })).rejects.toThrow('\\r\\n')
    await expect(call(tool(), { path: 'a.txt', old: 'foo', new: 'foo' })).rejects.toThrow('the same')
    expect(get('a.txt')).toBe('x\nfoo  bar\nx\n')
  })

  it('refuses a result that is far too large, and does not make it', async () => {
    writeFileSync(join(workspace, 'a.txt'), 'a'.repeat(1_000_000))
    const before = process.memoryUsage().rss
    const refused = call(tool(), { path: 'a.txt', old: 'a', new: 'b'.repeat(100_000), all: true })
    await expect(refused).rejects.toMatchObject({ code: 'TOOL_ERROR', data: { maxChars: 10 * 1024 * 1024 } })
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('a'.repeat(1_000_000))
    const copied = await call(tool(), { path: 'a.txt', old: 'a', new: '$&$1', all: true })
    expect(copied).toMatchObject({ replaced: 1_000_000 })
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('$&$1'.repeat(1_000_000))
  })

  it('loses none of many edits at once', async () => {
    put('a.txt', Array.from({ length: 30 }, (_, i) => `<${i}>`).join('\n'))
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => call(tool(), { path: 'a.txt', old: `<${i}>`, new: `${i}` })),
    )
    expect(get('a.txt')).toBe(Array.from({ length: 30 }, (_, i) => `${i}`).join('\n'))
  })
})

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true })
  writeFileSync(join(workspace, path), content)
}

function get(path: string): string {
  return readFileSync(join(workspace, path), 'utf8')
}

async function call(tool: Tool, input: unknown, signal = new AbortController().signal): Promise<unknown> {
  return tool.run(input, toolIo({ workspace, signal }))
}

function callUnder(rules: ApprovalRules, tool: Tool, input: unknown): Promise<unknown> {
  const config = { thinkon: '', models: {}, approval: { ...rules, workspace, asks: 'person' as const } }
  return tool.run(
    input,
    toolIo({ workspace, permits: createApproval().permits(config, { tool, input }, []) }),
  )
}
