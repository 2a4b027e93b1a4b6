import { describe, expect, it } from 'vitest'
import {
  fitLines,
  fitTail,
  fitText,
  resultLine,
  textWidth,
  wrapIndented,
  wrapProse,
  wrapText,
  wrapWords,
} from './text-width.ts'

describe('a width in cells', () => {
  it.each([
    ['abc', 3],
    ['…│├✓', 4],
    ['中文', 4],
    ['한글', 4],
    ['ガ', 2],
    ['ｶﾞ', 2],
    ['（、）', 6],
    ['e\u0301', 1],
    ['\u200b', 0],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧', 2],
    ['🇨🇳', 2],
    ['1️⃣', 2],
    ['❤️', 2],
    ['❤', 1],
  ])('of %j is %i', (text, cells) => expect(textWidth(text)).toBe(cells))
})

it('cuts at the end, between characters', () => {
  expect(fitText('中文字符', 5)).toBe('中文…')
  expect(fitText('a👩‍👩‍👧b', 3)).toBe('a…')
  expect(fitText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…')
})

it('cuts at the beginning', () => {
  const cut = [fitTail('abcdef', 6), fitTail('abcdef', 4), fitTail('中文字符', 5), fitTail('abc', 0)]
  expect(cut).toEqual(['abcdef', '…def', '…字符', ''])
})

it('wraps anywhere', () => {
  expect(wrapText('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
  expect(wrapText('中文字符', 5)).toEqual(['中文', '字符'])
  expect(wrapText('ab👩‍👩‍👧c', 3)).toEqual(['ab', '👩‍👩‍👧c'])
  expect(wrapText('  a b', 3)).toEqual(['  a', ' b'])
  expect(wrapText('', 5)).toEqual([''])
})

it('wraps between words, and inside of long ones', () => {
  expect(wrapWords('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrapWords('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
  expect(wrapWords('use 中文字符', 5)).toEqual(['use', '中文', '字符'])
})

it('wraps words, long words and Chinese into a number of lines, and says that it cut', () => {
  expect(fitLines('one two three', 7, 3)).toEqual(['one two', 'three'])
  expect(fitLines('abcdefghij', 4, 3)).toEqual(['abcd', 'efgh', 'ij'])
  expect(fitLines('中文中文中文', 4, 2)).toEqual(['中文', '中…'])
  expect(fitLines('a b c d e f', 1, 2)).toEqual(['a', '…'])
})

it.each([
  ['# Sum\n\n- a = 1\n\n## Total\n\n3', '- a = 1'],
  ['# Sum\n\n## Parts\n\n**a** is 1', 'a is 1'],
  ['# Sum', '# Sum'],
  ['It is 3.\n\n# Why\n\n1 + 2', 'It is 3. # Why 1 + 2'],
])('a result on one line is the text below its headings, however many there are: %j', (text, line) => {
  expect(resultLine(text)).toBe(line)
})

it('leaves lines of megabytes to the terminal, and wraps the first 64 KiB of a text', () => {
  const long = '中文'.repeat(1_000_000)
  expect(wrapIndented(long, 80)).toEqual([long])
  expect(wrapWords(long, 80)).toEqual([long])
  expect(fitTail(long, 5)).toBe('…中文')
  const line = '中'.repeat(1_000)
  const lines = wrapProse(Array(2_000).fill(line).join('\n'), 80).split('\n')
  expect(lines[0]).toHaveLength(40)
  expect(lines.at(-1)).toBe(line)
  expect(lines.join('')).toBe(line.repeat(2_000))
})
