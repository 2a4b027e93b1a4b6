/** What the abacus says of itself, in English and Chinese. */
import type { Language } from '../../../protocol/index.ts'
import type { SelfWords } from '../embedded-model.ts'

const EXAMPLES = {
  en: '"((3+4)*(8-6))-5", "compute 1/3 + 1/6 and write the result to result.txt", "Make 24 from 4, 9, 10 and 13"',
  zh: '“((3+4)*(8-6))-5”、“计算 1/3 + 1/6 并写入 result.txt”、“用 4、9、10、13 算出 24”',
}

export const SELF: Readonly<Record<Language, SelfWords>> = {
  en: {
    about: `embedded:abacus is not a language model. It is a program that understands arithmetic goals and computes them exactly, step by step, for example ${EXAMPLES.en}. It costs nothing and needs no network. It knows nothing else.`,
    refused: (goal) =>
      `"${goal}" needs a language model, and none is connected. embedded:abacus is not one: it is a program that works out arithmetic goals such as ${EXAMPLES.en}.`,
    unknownKind: (kind) =>
      `embedded:abacus is not a language model: it can't answer requests of the kind "${kind}".`,
    noValue:
      'embedded:abacus gives what it has computed as numbers and texts, one for each result: the output schema asks for something else.',
  },
  zh: {
    about: `embedded:abacus 不是语言模型，而是一个程序：它理解算术目标，并逐步精确地计算，例如 ${EXAMPLES.zh}。它不花钱，也不需要网络。除此之外它什么都不会。`,
    refused: (goal) =>
      `“${goal}”需要语言模型，而现在没有连接任何模型。embedded:abacus 不是语言模型，而是一个只会算术的程序，例如 ${EXAMPLES.zh}。`,
    unknownKind: (kind) => `embedded:abacus 不是语言模型，无法回答类型为“${kind}”的请求。`,
    noValue: 'embedded:abacus 只能把算出的结果写成数字或文本，每个结果一个；输出的 schema 要求的是别的内容。',
  },
}
