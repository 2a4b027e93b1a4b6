import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ask, testIo } from '../../tests/models/model-io.ts'
import { createEngine } from '../engine.ts'
import { endingOf } from '../hosts/shared/endings.ts'
import { limitError } from '../kernel/budget.ts'
import { withResilience } from '../models/resilience/with-resilience.ts'
import { errorText, oneLine, ThinkonError } from '../protocol/index.ts'
import { REASONS_ZH } from '../strategies/auto/views/words.ts'
import { checkByProgram } from '../strategies/closing/check-by-program.ts'
import { ScriptedModel } from '../testing/index.ts'
import { checkObservations } from '../tools/executors/observations.ts'
import { problemInWords, reasonInWords, resultInWords } from './reason-words.ts'

it('says in Chinese what the kernel says, and leaves English runs and the words of models alone', () => {
  const { message } = limitError('1-2', { limit: 'calls', needs: 1, of: 4, spent: 3, held: 1 })
  expect(reasonInWords(message, 'zh')).toBe(
    '1-2: 已达到调用次数上限（--max-calls）：已用 3 / 4，为收尾和进行中的调用预留 1，还需 1',
  )
  expect(reasonInWords(message, 'en')).toBe(message)
  for (const limit of ['depth', 'tokens', 'timeMs', 'costUsd'] as const)
    expect(reasonInWords(limitError('1', { limit }).message, 'zh')).toMatch(
      /^1: 已达到.+上限（--max-[a-z]+）$/,
    )
  expect(reasonInWords('the archive wants a login', 'zh')).toBe('the archive wants a login')
})

it('says in Chinese that a run has no value', async () => {
  const engine = createEngine({
    model: new ScriptedModel([{ do: 'return', result: '没有。' }, { noValue: '没有号码' }]),
  })
  const output = { type: 'object', properties: { phone: { type: 'string' } }, required: ['phone'] } as const
  const run = await engine.start('电话号码是多少？', { strategy: 'minimal', output })
  const { reason = '' } = await run.outcome
  await engine.close()
  expect(reasonInWords(reason, 'zh')).toBe('无法把结果写成符合输出 schema 的值：没有号码')
})

it('says in Chinese how a block was ended from outside, with the words of whoever did', () => {
  const reasonOf = (name: string, value = '') =>
    reasonInWords(endingOf({ number: 1, path: '1-1', name, value }).reason, 'zh')
  expect(reasonOf('skip')).toBe('被用户跳过')
  expect(reasonOf('cancel')).toBe('被用户取消')
  expect(reasonOf('redo', 'in French please')).toBe('将重做: in French please')
  expect(reasonOf('skip', 'not needed')).toBe('not needed')
})

it('says in Chinese that a model was given up, with the words of its provider', async () => {
  const busy = new ThinkonError('MODEL_ERROR', 'x: 503 Service Unavailable', { retryable: true })
  const inner = { id: 'x', call: () => Promise.reject(busy) }
  const model = withResilience(inner, { provider: 'test', maxAttempts: 1 })
  const message = await model.call(ask('甲'), testIo()).then(String, errorText)
  expect(reasonInWords(message, 'zh')).toBe(
    'x: 503 Service Unavailable （0 秒内试了 1 次后放弃：次数已用完）',
  )
})

it('marks the parts of a result in Chinese, and leaves what stands behind the marks', () => {
  const { message } = limitError('1-1', { limit: 'depth' })
  const result = `[partial: ${message}] the first\n[failed] [skipped: skipped by a person]\nIt [failed] twice.`
  expect(resultInWords(result, 'zh')).toBe(
    '[部分完成：1-1: 已达到层数上限（--max-depth）] the first\n[失败] [已跳过：被用户跳过]\nIt [failed] twice.',
  )
  expect(resultInWords(result, 'en')).toBe(result)
})

it.each([
  ['用 JSON 列出三种水果', '苹果'],
  ['介绍杭州，不超过20字。', '山'.repeat(60)],
  ['列出5个要点', '- 甲\n- 乙'],
  ['写一首关于春天的诗', 'Spring is here and all the birds sing again over the green fields of home today'],
  ['用表格比较甲和乙', '甲比乙好'],
])('says in Chinese what a program has against a result: %s', (goal, result) => {
  const problems = checkByProgram(goal, result)
  expect(problems).not.toEqual([])
  for (const problem of problems) {
    expect(problemInWords(problem, 'zh')).not.toMatch(ENGLISH)
    expect(resultInWords(problem, 'zh')).toBe(problemInWords(problem, 'zh'))
  }
})

it('says in Chinese what a program has looked at', async () => {
  const result = { exitCode: 2, stdout: '完成\n', stderr: '', truncated: false, durationMs: 1 }
  const expected = [
    '退出码为 0',
    '退出码为 2',
    '输出包含 "完成"',
    'stdout 包含 "失败"',
    '界面美观大方',
    '输出是合法的 JSON',
    '没有.txt 存在',
    '没有.txt 包含 "甲"',
    '输出匹配 /^完/',
    '长'.repeat(1_001),
  ]
  const where = { workspace: import.meta.dirname, permits: () => 'allow' as const }
  const observed = await checkObservations(expected, result, where)
  for (const found of observed) {
    const evidence = oneLine(found.evidence)
    expect(resultInWords(`- 未通过: 观测 (${evidence})`, 'zh').replace(/JSON：.*/, '')).not.toMatch(ENGLISH)
    expect(resultInWords(`- 未通过: 观测 (${evidence})`, 'en')).toBe(`- 未通过: 观测 (${evidence})`)
  }
  expect(observed.map(({ evidence }) => evidence)).toContain('not phrased in a way that code can check')
})

/** Three words of a Latin script. */
const ENGLISH = /[a-z][\w'’-]*(?: [a-z][\w'’-]*){2,}/i

it('every reason of a rule of auto has Chinese words', () => {
  const rules = readFileSync(join(import.meta.dirname, '../strategies/auto/rules.ts'), 'utf8')
  const reasons = [...rules.matchAll(/reason:\s*'([^']+)'/g)].map(([, reason]) => reason as string)
  expect(reasons.length).toBeGreaterThan(10)
  expect(reasons.filter((reason) => REASONS_ZH[reason] === undefined)).toEqual([])
})
