import { describe, expect, it } from 'vitest'
import { type Event, type EventBody, emptyState, foldEvent } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { auditBlocks } from './audit.ts'
import { auditLines } from './audit-lines.ts'
import { createDetails } from './details.ts'
import { newsLine } from './event-line.ts'
import { plainText } from './line.ts'
import type { Lang } from './words.ts'

const left = { tokens: 0, calls: 0, timeMs: 0, costUsd: 0 }
const kept = { calls: 0, tokens: 0, costUsd: 0 }
const start = (goal: string, strategy: string, more: object = {}) =>
  ({ type: 'block-start', n: 1, goal, strategy, options: {}, kept, left, ...more }) as EventBody
const note = (name: string, data: unknown) => ({ type: 'note', n: 1, name, data }) as EventBody

function eventsOf(...bodies: [path: string, body: EventBody][]): Event[] {
  return bodies.map(
    ([path, body], i) =>
      ({ seq: i + 1, ts: new Date(i * 1000).toISOString(), run: 'r', path, ...body }) as Event,
  )
}

/** The lines of a run in a pipe. */
function news(events: readonly Event[], lang: Lang = 'en'): string[] {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  return events.flatMap((event) => {
    foldEvent(state, event)
    details.follow(event)
    const line = newsLine(state, event, lang, details)
    return line === null ? [] : [plainText([line])]
  })
}

const chosen = eventsOf(
  ['1', start('1+2', 'auto@1')],
  [
    '1',
    note('auto/strategy-chosen', { by: 'rule', rule: 'expression', strategy: 'cot', reason: 'to compute' }),
  ],
  ['1-1', start('1+2', 'cot@1')],
  ['1-1-1', start('1+2 again', 'cot@1')],
)

describe('the lines of a run', () => {
  it('name the strategy of a block where it is not its parent’s, and say why it was chosen', () => {
    expect(news(chosen)).toEqual([
      '[-] 1 "1+2"',
      '[-] 1 chose ‹cot›: to compute',
      '[-] 1-1 "1+2" ‹cot›',
      '[-] 1-1-1 "1+2 again"',
    ])
  })

  it.each<[name: string, data: object, en: string, zh: string]>([
    [
      'auto/strategy-chosen',
      { by: 'model', strategy: 'tot', reason: 'puzzle, small' },
      '[-] 1 chose ‹tot›: puzzle, small (a model classified it)',
      '[-] 1 选择 ‹tot›: puzzle, small (由模型归类)',
    ],
    [
      'auto/strategy-chosen',
      { by: 'default', strategy: 'fractal', reason: 'no reply' },
      '[-] 1 chose ‹fractal›: no reply (the standard)',
      '[-] 1 选择 ‹fractal›: no reply (默认)',
    ],
    [
      'auto/strategy-chosen',
      { by: 'rule', rule: 'look', strategy: 'fractal', reason: 'to look up', needs: ['files', 'commands'] },
      '[-] 1 chose ‹fractal›: to look up · needs files, commands',
      '[-] 1 选择 ‹fractal›: to look up · 需要文件、命令',
    ],
    [
      'auto/strategy-chosen',
      {
        by: 'model',
        strategy: 'fractal',
        reason: 'a fact',
        needs: ['network'],
        lacks: ['network'],
        overruled: 'cot',
      },
      '[-] 1 chose ‹fractal›, not ‹cot›: a fact (a model classified it) · needs network, and there are no tools for it',
      '[-] 1 选择 ‹fractal›，而非 ‹cot›: a fact (由模型归类) · 需要网络，但没有可用的工具',
    ],
    [
      'strategy-routed',
      { path: '1-2', strategy: 'cot', kind: 'leaf', rule: 2 },
      '[-] 1 1-2 goes to ‹cot› (route 2, leaf)',
      '[-] 1 1-2 交给 ‹cot› (路由 2, leaf)',
    ],
    [
      'strategy-changed',
      { path: '1-2', from: 'cot', to: 'tot', reason: 'no more\nthoughts' },
      '[-] 1 1-2 goes from ‹cot› to ‹tot›: no more thoughts',
      '[-] 1 1-2 由 ‹cot› 改交 ‹tot›: no more thoughts',
    ],
    [
      'strategy-changed',
      { path: '1-2', from: 'a', to: 'b' },
      '[-] 1 1-2 goes from ‹a› to ‹b›',
      '[-] 1 1-2 由 ‹a› 改交 ‹b›',
    ],
  ])('tell %s %j in both languages', (name, data, en, zh) => {
    const events = eventsOf(['1', note(name, data)])
    expect([news(events), news(events, 'zh')]).toEqual([[en], [zh]])
  })

  it('are silent about notes of others', () => {
    expect(news(eventsOf(['1', note('constructor', {})], ['1', note('own/noted', null)]))).toEqual([])
  })
})

describe('the audit', () => {
  it('shows of a child who solves it, where that is another, with which options, within which limits', () => {
    const run = {
      type: 'run-start',
      config: { thinkon: '0', model: 'm', routes: [{ when: {}, use: 'tot' }], fallbacks: { tot: 'cot' } },
    } as never
    const events = eventsOf(
      ['1', run],
      ['1', start('root', 'fractal@1')],
      ['1-1', start('one', 'tot@1', { options: { beam: 3 }, limits: { tokens: 9_000 } })],
      ['1-2', start('two', 'fractal@1')],
    )
    const text = plainText(
      auditBlocks(events).flatMap((block) => auditLines(block, { lang: 'en', width: null, full: false })),
    )
    expect(text).toContain('routes     [{"when":{},"use":"tot"}]')
    expect(text).toContain('fallbacks  {"tot":"cot"}')
    expect(text).toContain('call [1-1] ‹tot@1› one')
    expect(text).toContain('call [1-2] two')
    expect(text).toContain('1-1 "one" ‹tot@1›')
    expect(text).toContain('options  {"beam":3}')
    expect(text).toContain('limits   {"tokens":9000}')
  })
})
