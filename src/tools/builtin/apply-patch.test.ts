import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { toolIo } from '../../testing/tool-io.ts'
import { applyPatchTool, patchedPaths } from './apply-patch.ts'
import { applyHunks, parsePatch } from './unified-diff.ts'

let workspace: string

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-patch-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

describe('apply_patch', () => {
  it('changes, makes, removes and renames files in one patch', async () => {
    put('a.txt', 'one\ntwo\nthree\n')
    put('gone.txt', 'bye\n')
    put('old.txt', 'same\nline\n')
    const patch = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,4 @@ heading
 one
-two
+2
+2.5
 three
--- /dev/null
+++ b/sub/new.txt
@@ -0,0 +1,2 @@
+hello
+world
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old.txt b/moved.txt
similarity index 60%
rename from old.txt
rename to moved.txt
--- a/old.txt
+++ b/moved.txt
@@ -1,2 +1,2 @@
 same
-line
+row
`
    expect(patchedPaths(patch)).toEqual(['a.txt', 'sub/new.txt', 'gone.txt', 'old.txt', 'moved.txt'])
    expect(await call(patch)).toEqual({
      changed: [
        { path: 'a.txt', did: 'changed' },
        { path: 'sub/new.txt', did: 'made' },
        { path: 'gone.txt', did: 'removed' },
        { path: 'moved.txt', did: 'made' },
        { path: 'old.txt', did: 'removed' },
      ],
    })
    expect(get('a.txt')).toBe('one\n2\n2.5\nthree\n')
    expect(get('sub/new.txt')).toBe('hello\nworld\n')
    expect(get('moved.txt')).toBe('same\nrow\n')
    expect(existsSync(join(workspace, 'gone.txt'))).toBe(false)
    expect(existsSync(join(workspace, 'old.txt'))).toBe(false)
  })

  it('changes nothing when one hunk of one file does not fit, and says which', async () => {
    put('a.txt', 'one\ntwo\n')
    put('b.txt', '1\n2\n3\n4\n5\n6\n7\n8\n')
    const patch =
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n' +
      '--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -6,2 +6,2 @@\n 6\n-seven\n+7\n'
    await expect(call(patch)).rejects.toMatchObject({
      message:
        'hunk 2 of 2 for b.txt does not fit (line 6); nothing was changed. Line 7 should be "seven", the file has "7". Read the file again.',
      data: { file: 'b.txt', hunk: 2 },
    })
    expect(get('a.txt')).toBe('one\ntwo\n')
    expect(get('b.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n')
  })

  it('takes back what it wrote when a later file fails', async () => {
    put('a.txt', 'one\n')
    mkdirSync(join(workspace, 'dir'))
    const patch =
      '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- /dev/null\n+++ b/x/y/new.txt\n@@ -0,0 +1 @@\n+x\n'
    put('x', 'a file where a folder should be')
    await expect(call(patch)).rejects.toThrow()
    expect(get('a.txt')).toBe('one\n')
  })

  it('finds a hunk that has moved, nearest first', async () => {
    put('a.txt', `${'x\n'.repeat(20)}target\nafter\n${'x\n'.repeat(5)}`)
    await call('--- a.txt\n+++ a.txt\n@@ -3,2 +3,2 @@\n-target\n+found\n after\n')
    expect(get('a.txt')).toBe(`${'x\n'.repeat(20)}found\nafter\n${'x\n'.repeat(5)}`)
  })

  it('bears the miscounting of models, and context lines that lost their space', async () => {
    put('a.txt', 'one\n\ntwo\nthree\n')
    put('b.txt', 'q\n')
    await call(
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,9 +1,9 @@\n one\n\n-two\n+2\n+2b\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-q\n+r\n',
    )
    expect(get('a.txt')).toBe('one\n\n2\n2b\nthree\n')
    expect(get('b.txt')).toBe('r\n')
  })

  it('keeps line ends, and the missing one at the end', async () => {
    put('dos.txt', 'one\r\ntwo\r\n')
    put('open.txt', 'one\ntwo')
    await call('--- dos.txt\n+++ dos.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
    expect(get('dos.txt')).toBe('one\r\n2\r\n')
    const marker = '\\ No newline at end of file'
    await call(`--- open.txt\n+++ open.txt\n@@ -1,2 +1,2 @@\n one\n-two\n${marker}\n+2\n${marker}\n`)
    expect(get('open.txt')).toBe('one\n2')
    await call(`--- open.txt\n+++ open.txt\n@@ -1,2 +1,2 @@\n one\n-2\n${marker}\n+3\n`)
    expect(get('open.txt')).toBe('one\n3\n')
  })

  it('does not fill up a file, apply two hunks to one place, or match the end of the file as a line', async () => {
    put('a.txt', 'one\ntwo\n')
    const head = '--- a.txt\n+++ a.txt\n'
    await expect(call(`${head}@@ -9,0 +10 @@\n+ten\n`)).rejects.toThrow('does not fit (line 10)')
    const twice = '@@ -1 +1 @@\n-one\n+1\n@@ -1 +1 @@\n-one\n+2\n'
    await expect(call(head + twice)).rejects.toThrow('hunk 2 of 2 for a.txt does not fit (line 1)')
    await expect(call(`${head}@@ -2,2 +2,3 @@\n two\n \n+three\n`)).rejects.toThrow('the file ends there')
    expect(get('a.txt')).toBe('one\ntwo\n')
  })

  it.each(['2147483648', '99999999999999999999'])('does not walk to line %s', async (line) => {
    put('a.txt', 'one\ntwo\nthree\n')
    const far = (name: string, hunk: string) => `--- ${name}\n+++ b/a.txt\n@@ -${line},${hunk}`
    const moved = far('a/a.txt', '3 +1,3 @@\n one\n-two\n+2\n three\n')
    expect(await call(moved)).toMatchObject({ changed: [{ path: 'a.txt' }] })
    await expect(call(far('a/a.txt', '0 +1,1 @@\n+x\n'))).rejects.toThrow(/does not fit/)
    await expect(call(far('/dev/null', '0 +1 @@\n+x\n').replace('b/a', 'b/b'))).rejects.toThrow(
      /does not fit/,
    )
  })

  it('says what the parser of patches can not read', async () => {
    await expect(call('diff --git a/a.txt\tcopy from a.txt\ncopy to e.txt\n')).rejects.toMatchObject({
      name: 'ThinkonError',
      message: expect.stringMatching(/the patch can't be read: Missing/),
    })
  })

  it('makes an empty file, copies a file, and takes a wrong mark at the end as what is meant', async () => {
    put('a.txt', 'one\n')
    await call(
      'diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n' +
        'diff --git a/a.txt b/b.txt\ncopy from a.txt\ncopy to b.txt\n',
    )
    expect([get('empty'), get('a.txt'), get('b.txt')]).toEqual(['', 'one\n', 'one\n'])
    const marker = '\\ No newline at end of file'
    await call(`--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n${marker}\n+1\n${marker}\n`)
    expect(get('a.txt')).toBe('1')
    put('a.txt', 'one\ntwo\n')
    await call(`--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n${marker}\n`)
    expect(get('a.txt')).toBe('1\ntwo\n')
  })

  it.each([
    ['just text', 'no file in the patch'],
    ['--- a/x\n+++ b/x\n', 'no hunk'],
    ['@@ -1 +1 @@\n-a\n+b\n', 'without --- and +++'],
    ['--- a/a.txt\n+++ b/a.txt\n@@ nonsense @@\n-a\n', 'not a hunk header'],
    ['--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-a\n*b\n', 'must begin with a space'],
    ['--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n', 'already exists'],
    ['--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+b\n', 'does not exist'],
    ['--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n', 'leaves text in it'],
    ['GIT binary patch\nliteral 1\n', 'is binary'],
    [
      '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n--- ./a.txt\n+++ ./a.txt\n@@ -2 +2 @@\n-two\n+2\n',
      'in the meantime',
    ],
    [
      '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a.txt\n+++ a.txt\n@@ -2 +2 @@\n-two\n+2\n',
      'two sections',
    ],
  ])('refuses %j', async (patch, why) => {
    put('a.txt', 'one\ntwo\n')
    await expect(call(patch)).rejects.toThrow(why)
    expect(get('a.txt')).toBe('one\ntwo\n')
  })

  it('finds hunks whose line numbers are off, closest first', () => {
    const rows = ['a', 'b', 'same', 'c', 'd', 'same', 'e']
    const hunk = (at: number, old: string, line: string) => `@@ -${at},1 +${at},1 @@\n-${old}\n+${line}\n`
    const changed = (hunks: string) => {
      const [file] = parsePatch(`--- f\n+++ f\n${hunks}`)
      return applyHunks('f', `${rows.join('\n')}\n`, file?.hunks ?? [], new DecodingBudget('f')).trim()
    }
    expect(changed(hunk(5, 'same', 'X')).split('\n')).toEqual(['a', 'b', 'same', 'c', 'd', 'X', 'e'])
    expect(changed(hunk(3, 'd', 'X') + hunk(4, 'same', 'Y')).split('\n')).toEqual([
      ...rows.slice(0, 4),
      'X',
      'Y',
      'e',
    ])
    expect(() => changed(hunk(6, 'same', 'X') + hunk(1, 'a', 'Y'))).toThrow('hunk 2 of 2')
  })

  it('gives up hunks that are far from where they say, instead of comparing every line with each of them', () => {
    const count = 20_000
    const text = Array.from({ length: count }, (_, i) => `line ${i}\n`).join('')
    const far = Array.from(
      { length: count },
      (_, i) => `@@ -${i % 2 ? 1 : count},1 +1,1 @@\n-line ${i}\n+x\n`,
    )
    const [file] = parsePatch(`--- f\n+++ f\n${far.join('')}`)
    const start = performance.now()
    expect(() => applyHunks('f', text, file?.hunks ?? [], new DecodingBudget('f'))).toThrow(
      /hunk \d+ of 20000/,
    )
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  it('takes the files that a patch changes from one budget', async () => {
    const numbers = Array.from({ length: 10 }, (_, i) => i)
    for (const i of numbers) put(`big${i}`, 'x'.repeat(9_000_000))
    const copies = numbers.map(
      (i) => `diff --git a/big${i} b/copy${i}\ncopy from big${i}\ncopy to copy${i}\n`,
    )
    await expect(call(copies.join(''))).rejects.toThrow('more than 64 MiB; nothing was changed')
    expect(existsSync(join(workspace, 'copy0'))).toBe(false)
  })

  it('does what diff says, for any two texts', () => {
    const line = fc.constantFrom('a', 'b', '', '-- x', '++ y', '@@ z', '\\ w', '  ')
    const text = fc
      .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
      .map(([lines, isOpen]) => lines.join('\n') + (isOpen || lines.length === 0 ? '' : '\n'))
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 3 }), (before, after, context) => {
        fc.pre(before !== after)
        put('before', before)
        put('after', after)
        const diff = diffOf(context)
        const [file] = parsePatch(diff)
        expect(applyHunks('f', before, file?.hunks ?? [], new DecodingBudget('f'))).toBe(after)
      }),
      { numRuns: 150 },
    )
  })
})

function diffOf(context: number): string {
  try {
    return execFileSync('diff', [
      `-U${context}`,
      join(workspace, 'before'),
      join(workspace, 'after'),
    ]).toString()
  } catch (error) {
    return (error as { stdout: Buffer }).stdout.toString()
  }
}

function put(path: string, content: string): void {
  writeFileSync(join(workspace, path), content)
}

function get(path: string): string {
  return readFileSync(join(workspace, path), 'utf8')
}

async function call(patch: string): Promise<unknown> {
  return applyPatchTool().run({ patch }, toolIo({ workspace }))
}
