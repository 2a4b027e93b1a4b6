/** What embedded:mini says of itself, and of answers of its model that can't be used, in English and Chinese. */
import type { Language } from '../../../protocol/index.ts'
import type { SelfWords } from '../embedded-model.ts'

const EXAMPLES = {
  en: '"((3+4)*(8-6))-5", "Make 24 from 4, 9, 10 and 13", "Ann has 3 pens, buys 4 and gives away 2. How many are left?"',
  zh: '“((3+4)*(8-6))-5”、“用 4、9、10、13 算出 24”、“小明有3个苹果，买了4个，送出2个，还剩几个？”',
}

export const SELF: Readonly<Record<Language, SelfWords>> = {
  en: {
    about: `embedded:mini is a small language model for arithmetic, often wrong: 4.7 million parameters, trained from nothing. It answers goals such as ${EXAMPLES.en}. It costs nothing and needs no network. It knows nothing else. embedded:abacus computes the same goals exactly.`,
    refused: (goal) =>
      `"${goal}" needs a language model that knows more than arithmetic, and none is connected. embedded:mini is a very small one, which has learned nothing but goals such as ${EXAMPLES.en}.`,
    unknownKind: (kind) =>
      `embedded:mini has learned nothing but arithmetic: it can't answer requests of the kind "${kind}".`,
    noValue:
      'embedded:mini gives its results as numbers and texts, one for each result: the output schema asks for something else.',
  },
  zh: {
    about: `embedded:mini 是一个只会算术的小语言模型，常常出错：470 万个参数，从零训练。它回答这样的目标：${EXAMPLES.zh}。它不花钱，也不需要网络。除此之外它什么都不会。embedded:abacus 能精确计算同样的目标。`,
    refused: (goal) =>
      `“${goal}”需要一个不只会算术的语言模型，而现在没有连接。embedded:mini 是一个很小的模型，只学过这样的目标：${EXAMPLES.zh}。`,
    unknownKind: (kind) => `embedded:mini 只学过算术，无法回答类型为“${kind}”的请求。`,
    noValue: 'embedded:mini 只能把结果写成数字或文本，每个结果一个；输出的 schema 要求的是别的内容。',
  },
}

/** Null is what was not said to its end. */
export interface SayNothing {
  noNumber(said: string | null): string
  noWay(said: string | null): string
}

const en: SayNothing = {
  noNumber: (said) =>
    said === null ? 'the model came to no end' : `the model says "${said}", which is no number`,
  noWay: (said) =>
    said === null ? 'the model came to no end' : `the model says "${said}", which is no way to the target`,
}

const zh: SayNothing = {
  noNumber: (said) => (said === null ? '模型没有说完' : `模型说“${said}”，这不是数字`),
  noWay: (said) => (said === null ? '模型没有说完' : `模型说“${said}”，这不能得到目标`),
}

export const NOTHING: Readonly<Record<Language, SayNothing>> = { en, zh }
