/** The words of the abacus, in English and Chinese. */

import type { ArithmeticError } from '../../../arithmetic/rational.ts'
import type { Language } from '../../../protocol/index.ts'

export interface Words {
  /** A sub-goal, which parse-goal.ts must understand. */
  compute(expression: string): string
  join(texts: readonly string[]): string
  list(texts: readonly string[]): string
  left(expression: string): string
  arithmetic: Record<ArithmeticError['reason'], string>
  noWay(target: string, numbers: string): string
  written(file: string): string
  notWritten(file: string): string
  noWriter(tool: string): string
  about: string
  refused(goal: string): string
  unknownKind(kind: string): string
  noValue: string
  connect: string
}

const SPECS = `  openai:<model>  anthropic:<model>  google:<model>  ollama:<model>
  http://<host>/v1#<model>
  gguf:<file>  module:<file>  replay:<file>`

const EXAMPLES = {
  en: '"((3+4)*(8-6))-5", "compute 1/3 + 1/6 and write the result to result.txt", "Make 24 from 4, 9, 10 and 13"',
  zh: '“((3+4)*(8-6))-5”、“计算 1/3 + 1/6 并写入 result.txt”、“用 4、9、10、13 算出 24”',
}

/** Only powers can be too large here. */
const powerWords = (text: string) => ({ exponent: text, 'too-large': text })

const en: Words = {
  compute: (expression) => `compute ${expression}`,
  join: (texts) => texts.join('; '),
  list: (texts) =>
    texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}`,
  left: (expression) => `not finished: ${expression} is left to compute`,
  arithmetic: {
    'division-by-zero': 'division by zero',
    ...powerWords('a power with an exponent that is not whole, or too large'),
  },
  noWay: (target, numbers) =>
    `${target} can't be made from ${numbers}, each used once with + - × ÷: every way was tried`,
  written: (file) => `written to ${file}`,
  notWritten: (file) => `not written to ${file}`,
  noWriter: (tool) => `no tool that writes files (${tool}) is offered`,
  about: `embedded:abacus is not a language model. It is a program that understands arithmetic goals and computes them exactly, step by step, for example ${EXAMPLES.en}. It costs nothing and needs no network. It knows nothing else.`,
  refused: (goal) =>
    `"${goal}" needs a language model, and none is connected. embedded:abacus is not one: it is a program that works out arithmetic goals such as ${EXAMPLES.en}.`,
  unknownKind: (kind) =>
    `embedded:abacus is not a language model: it can't answer requests of the kind "${kind}".`,
  noValue:
    'embedded:abacus gives what it has computed as numbers and texts, one for each result: the output schema asks for something else.',
  connect: `Connect a model with --model <spec> or THINKON_MODEL=<spec>:\n${SPECS}\nthinkon doctor shows what is reachable.`,
}

const zh: Words = {
  compute: (expression) => `计算 ${expression}`,
  join: (texts) => texts.join('；'),
  list: (texts) => texts.join('、'),
  left: (expression) => `未完成：还需计算 ${expression}`,
  arithmetic: { 'division-by-zero': '除数为零', ...powerWords('指数不是整数，或者过大') },
  noWay: (target, numbers) => `用 ${numbers} 各一次，经加、减、乘、除，无法算出 ${target}：已试过所有可能`,
  written: (file) => `已写入 ${file}`,
  notWritten: (file) => `未写入 ${file}`,
  noWriter: (tool) => `没有可用的写文件工具（${tool}）`,
  about: `embedded:abacus 不是语言模型，而是一个程序：它理解算术目标，并逐步精确地计算，例如 ${EXAMPLES.zh}。它不花钱，也不需要网络。除此之外它什么都不会。`,
  refused: (goal) =>
    `“${goal}”需要语言模型，而现在没有连接任何模型。embedded:abacus 不是语言模型，而是一个只会算术的程序，例如 ${EXAMPLES.zh}。`,
  unknownKind: (kind) => `embedded:abacus 不是语言模型，无法回答类型为“${kind}”的请求。`,
  noValue: 'embedded:abacus 只能把算出的结果写成数字或文本，每个结果一个；输出的 schema 要求的是别的内容。',
  connect: `用 --model <spec> 或 THINKON_MODEL=<spec> 连接一个模型：\n${SPECS}\nthinkon doctor 会列出可用的模型。`,
}

export const WORDS: Readonly<Record<Language, Words>> = { en, zh }
