import { languageOf } from '../../protocol/index.ts'
import { wrapProse } from '../../views/text-width.ts'
import type { Lang } from '../../views/words.ts'
import type { CommandRun } from '../command.ts'
import { langOption } from '../options.ts'
import { run } from './run.ts'

const GOAL = 'compute ((3+4)*(8-6))-5 and (12-5)*(2+1)/3'
/** Fixed, so that a first run never costs money; slowed down to be watched. */
const MODEL = 'embedded:abacus#250'

/** `run` with the abacus, whatever is configured. */
export const demo: CommandRun = async (call) => {
  const { values, args, out } = call
  const [goal = GOAL] = args
  const words = WORDS[langOption(values) ?? languageOf(goal)]
  // A terminal would break the line anywhere.
  const fitted = (text: string) => (out.live ? wrapProse(text, out.width() - 1) : text)
  if (!out.json) out.print(fitted(words.what))
  const code = await run({
    ...call,
    values: { ...values, model: MODEL, strategy: 'minimal' },
    args: [goal],
  })
  if (!out.json && code === 0) out.print(`\n${fitted(words.next)}`)
  return code
}

const WORDS: Readonly<Record<Lang, { what: string; next: string }>> = {
  en: {
    what: 'A demonstration: embedded:abacus is a calculator, it is not a language model; everything else is real.',
    next: 'Now try: npx thinkon show last, events last, replay last, help; see it in the browser: npx thinkon studio',
  },
  zh: {
    what: '这是演示：embedded:abacus 是计算程序，不是语言模型；其余都是真的。',
    next: '接着试试：npx thinkon show last、events last、replay last、help；在浏览器里看：npx thinkon studio',
  },
}
