import type { Expression } from '../../src/arithmetic/expression.ts'
import { readCompact } from '../../src/models/embedded/mini/read-compact.ts'

export function read(text: string): Expression {
  return readCompact(text) as Expression
}

/** What the model has learned of word problems. */
export const WORD_PROBLEMS: ReadonlyMap<string, Expression> = new Map([
  ['Ann has 3 pens, buys 4 and gives away 2. How many are left?', read('((3+4)-2)')],
  ['小明有3个苹果，买了4个，送出2个，还剩几个？', read('((3+4)-2)')],
])
