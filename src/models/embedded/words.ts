/** The words of the embedded models' replies, in English and Chinese. */

import type { ArithmeticError } from '../../arithmetic/rational.ts'
import type { Language } from '../../protocol/index.ts'

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
  /** The request has no input that its messages were made from. */
  onlyMessages(model: string, kind: string): string
  connect: string
  /** The same for a program that has passed no model to its engine. */
  passModel: string
}

const SPECS = `  openai:<model>  anthropic:<model>  google:<model>  ollama:<model>
  http://<host>/v1#<model>
  gguf:<file>  module:<file>  replay:<file>`

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
  onlyMessages: (model, kind) =>
    `${model} is not a language model: it can't answer an edited prompt (${kind}), only what a strategy asks.`,
  connect: `Connect a model with --model <spec> or THINKON_MODEL=<spec>:\n${SPECS}\nthinkon doctor shows what is reachable.`,
  passModel:
    "Pass a model: createEngine({ model: 'openai:<model>' }), or solve(goal, { model }). It is one of these specs, a model of the AI SDK, or your own { id, call }:\n" +
    `${SPECS}\nTHINKON_MODEL and the configuration are for the command line only.`,
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
  onlyMessages: (model, kind) =>
    `${model} 不是语言模型：它只回答策略提出的问题，无法回答改过的提示词（${kind}）。`,
  connect: `用 --model <spec> 或 THINKON_MODEL=<spec> 连接一个模型：\n${SPECS}\nthinkon doctor 会列出可用的模型。`,
  passModel:
    "请传入模型：createEngine({ model: 'openai:<model>' })，或 solve(goal, { model })。可以是以下写法、AI SDK 的模型，或自己的 { id, call }：\n" +
    `${SPECS}\nTHINKON_MODEL 和配置文件只用于命令行。`,
}

export const WORDS: Readonly<Record<Language, Words>> = { en, zh }
