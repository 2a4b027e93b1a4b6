import { expect, it } from 'vitest'
import type { Event } from '../protocol/index.ts'
import { createKnownFiles, fileChanges } from './file-changes.ts'
import { lineDiff } from './line-diff.ts'

const shown = (lines: ReturnType<typeof lineDiff>) =>
  lines.map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', skipped: '…' }[kind]}${text}`)

it('shows what differs, with three lines around it', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`)
  const after = before.with(9, 'other').toSpliced(15, 1)
  expect(shown(lineDiff(`${before.join('\n')}\n`, after.join('\n')))).toEqual([
    '…6',
    ...[' line 6', ' line 7', ' line 8', '-line 9', '+other', ' line 10', ' line 11', ' line 12'],
    ...[' line 13', ' line 14', '-line 15', ' line 16', ' line 17', ' line 18', '…1'].filter(Boolean),
  ])
  expect(lineDiff('a\nb', 'a\nb')).toEqual([{ kind: 'skipped', text: '2' }])
  expect(shown(lineDiff('', 'a'))).toEqual(['+a'])
})

it('makes of one text the other, whatever they are', () => {
  for (let seed = 1; seed < 200; seed++) {
    let state = seed
    const next = () => {
      state = (state * 48271) % 2147483647
      return state / 2147483647
    }
    const text = () => Array.from({ length: Math.floor(next() * 6) + 1 }, () => 'abc'[Math.floor(next() * 3)])
    const [before, after] = [text(), text()]
    const lines = lineDiff(before.join('\n'), after.join('\n')).filter(({ kind }) => kind !== 'skipped')
    if (lines.length === 0) continue
    const side = (not: string) => lines.filter(({ kind }) => kind !== not).map(({ text }) => text)
    expect(before.join('')).toContain(side('added').join(''))
    expect(after.join('')).toContain(side('removed').join(''))
  }
})

it('does not compare texts that are far too long line by line', () => {
  const long = (word: string) => Array.from({ length: 100_000 }, (_, i) => `${word} ${i}`).join('\n')
  expect(lineDiff(long('a'), long('b'))).toHaveLength(200_000)
})

it('knows what a write, an edit and a patch do to files', () => {
  expect(fileChanges('write_file', { path: 'a', content: 'x\ny\n' })).toEqual([
    { path: 'a', isBlind: true, lines: ['x', 'y'].map((text) => ({ kind: 'added', text })) },
  ])
  const [edit] = fileChanges('edit_file', { path: 'a', old: 'x', new: 'z' }, () => '1\nx\n2')
  expect(shown([...edit!.lines])).toEqual([' 1', '-x', '+z', ' 2'])
  expect(fileChanges('edit_file', { path: 'a', old: 'x', new: 'z' })[0]?.lines).toHaveLength(2)
  const patch =
    'diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n same\n--- x\n+++ y\n@@ -9 +9 @@\n-old\n+new\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n'
  const changes = fileChanges('apply_patch', { patch })
  expect(changes.map(({ path, lines }) => [path, shown([...lines])])).toEqual([
    ['f', [' same', '--- x', '+++ y', '…', '-old', '+new']],
    ['gone', ['-bye']],
  ])
  const hidden = fileChanges('write_file', { path: 'a\u202e', content: '\tx\u2066y' })
  expect(hidden[0]).toMatchObject({ path: 'a\\u{202e}', lines: [{ text: '\tx\\u{2066}y' }] })
  expect(fileChanges('shell', { command: 'rm' })).toEqual([])
  expect(fileChanges('write_file', null)).toEqual([])
})

it('knows a file by what the run has read whole and written', () => {
  const known = createKnownFiles()
  let n = 0
  const call = (name: string, input: unknown, value: unknown, ok = true) => {
    n++
    known.follow({ type: 'tool-start', path: '1', n, name, input } as Event)
    known.follow({ type: 'tool-end', path: '1', n, result: ok ? { ok, value } : { ok, error: {} } } as Event)
  }
  call('read_file', { path: 'a' }, { from: 1, to: 2, totalLines: 2, text: 'x\ny' })
  call('read_file', { path: 'part' }, { from: 1, to: 2, totalLines: 9, text: 'x\ny' })
  expect([known.textOf('a'), known.textOf('part'), known.textOf('b')]).toEqual(['x\ny', null, null])
  call('edit_file', { path: 'a', old: 'x', new: 'z' }, {})
  call('write_file', { path: 'b', content: 'new' }, {})
  call('write_file', { path: 'b', content: 'never' }, {}, false)
  expect([known.textOf('a'), known.textOf('b')]).toEqual(['z\ny', 'new'])
  call('apply_patch', { patch: '--- a/b\n+++ b/b\n@@ -1 +1 @@\n-new\n+old\n' }, {})
  expect(known.textOf('b')).toBeNull()
})
