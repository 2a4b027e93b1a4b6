import { expect, it } from 'vitest'
import { runWords } from './run-words.ts'

it.each([
  ['flag', '（由 --model 指定；不是语言模型）'],
  ['variable', '（来自 THINKON_MODEL；不是语言模型）'],
  ['embedded', '（没有其他配置；不是语言模型）'],
] as const)('in Chinese, too, the abacus is said to be no language model: %s', (from, said) => {
  const model = { spec: 'embedded:abacus', why: 'in English', from }
  expect(runWords('zh').because(model as never)).toBe(said)
})

it('of a language model it is not said', () => {
  const model = { spec: 'openai:gpt-5', why: 'in English', from: 'flag' }
  expect(runWords('zh').because(model as never)).toBe('（由 --model 指定）')
})

it('the small model is said to be often wrong', () => {
  const model = { spec: 'embedded:mini', why: 'in English', from: 'flag' }
  expect(runWords('zh').because(model as never)).toBe('（由 --model 指定；只会算术的小语言模型，常常出错）')
})
