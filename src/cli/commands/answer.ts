import { defined } from '../../protocol/index.ts'
import type { Lang } from '../../views/words.ts'
import type { CommandRun } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { badInput } from '../options.ts'
import { langFor, withRun } from '../session.ts'
import { whenText } from '../steering.ts'

/** `thinkon answer <run> [<question>] <answer>`: the question can be left out if the run has one open question. */
export const answer: CommandRun = ({ args, values, out }) => {
  const [run = '', ...rest] = args
  const [value = '', given] = rest.reverse()
  return withRun(values, run, async (session, { id, goal }) => {
    const lang = langFor(values, session, goal)
    out.lang = lang
    const question = given === undefined ? undefined : questionId(given, lang)
    await session.engine.answer(id, value, defined({ question }))
    const row = await session.engine.row(id)
    if (out.json) out.data({ type: 'answer', run: id, ...defined({ question }), running: row.owned })
    else {
      const words = commandWords(lang)
      out.print(words.followed(words.answered(value), whenText({ row, session, lang })))
    }
    return 0
  })
}

function questionId(text: string, lang: Lang): number {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text)
  throw badInput(commandWords(lang).noQuestionId(text))
}
