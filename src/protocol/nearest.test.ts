import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it.each([
  ['statsu', ['start', 'status', 'stop'], 'status'],
  ['STATUS', ['start', 'status'], 'status'],
  ['apikey', ['model', 'apiKey'], 'apiKey'],
  ['rn', ['run', 'redo'], 'run'],
  ['same', ['sane', 'sam'], 'sane'],
  ['maxOutputTokns', ['maxOutputTokens'], 'maxOutputTokens'],
  ['m', ['ab', 'n'], 'n'],
  ['ab', ['xy'], undefined],
  ['banana', ['run', 'status'], undefined],
  ['run', [], undefined],
])('%s among %j means %s', (given, names, meant) => expect(nearest(given, names)).toBe(meant))
