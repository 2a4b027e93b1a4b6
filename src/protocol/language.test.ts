import { expect, it } from 'vitest'
import { languageOf } from './index.ts'

it.each([
  ['compute 3+4', 'en'],
  ['((3+4)*(8-6))-5', 'en'],
  ['用4、9、10、13得到24', 'zh'],
  ['计算 3+4 并写入 result.txt', 'zh'],
  ['24点：4 9 10 13', 'zh'],
  ['定位登录报错原因', 'zh'],
  ['用 React 和 TypeScript 实现 login page', 'zh'],
  ['Translate 你好 to English', 'en'],
  ['Write the meaning of 明月 into out.txt', 'en'],
  ['修复 the login bug', 'zh'],
])('%s is %s', (text, language) => expect(languageOf(text)).toBe(language))
