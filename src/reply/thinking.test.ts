import { expect, test } from 'vitest'
import { withoutThinking } from './thinking.ts'

test.each([
  ['at the beginning', '<think>\nx: 1\n</think>\ny: 2', '\ny: 2'],
  ['after a blank', '  <think>x</think>y: 2', '  y: 2'],
  ['after prose', 'So.\n<reasoning>x</reasoning>\ny: 2', 'So.\n\ny: 2'],
  ['at the end', 'y: 2\n<analysis kind="a">x</analysis>', 'y: 2\n'],
  ['twice', '<think>a</think>\n<thinking>b</thinking>\ny: 2', '\n\ny: 2'],
  ['in another case', '<Think>a</THINK>y', 'y'],
  ['in other brackets', '[think]a[/think]\n◁think▷b◁/think▷\ny', '\n\ny'],
  ['that was opened in the prompt', 'x: 1\n</think>\ny: 2', '\ny: 2'],
  ['that ends a line of prose', 'x: 1\nSo be it.</think>\ny: 2', '\ny: 2'],
  ['that is never closed', 'So.\n<think>\nx: 1', 'So.\n'],
  ['in a text', 'y: the tag <think> is old', 'y: the tag <think> is old'],
  ['in a block text', 'y: |\n  <think>\n  </think>', 'y: |\n  <think>\n  </think>'],
  ['at the end of a text', 'y: it ends with </think>', 'y: it ends with </think>'],
])('thinking %s', (_, text, expected) => {
  expect(withoutThinking(text)).toBe(expected)
})
