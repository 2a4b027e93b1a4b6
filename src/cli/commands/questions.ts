import { cleanText, defined } from '../../protocol/index.ts'
import { questionText } from '../../views/block-row.ts'
import { langOf } from '../../views/words.ts'
import { type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { langOption, wholeNumber } from '../options.ts'
import { waitingLine } from '../run-view.ts'
import { withSession } from '../session.ts'
import { hasStore, readSetting } from '../setting.ts'

/** On a terminal, unless --limit is given. */
const SHOWN = 50

/** `thinkon questions [<run>]`: the open questions of all runs, oldest first. */
export const questions: CommandRun = async ({ args: [run], values, out }) => {
  const setting = await readSetting(values)
  const lang = langOption(values) ?? setting.loaded.config.lang
  const given = textOption(values, 'limit')
  const limit = given === undefined ? (out.live ? SHOWN : 0) : wholeNumber('--limit', given)
  if (!hasStore(setting)) {
    out.remark(commandWords(lang ?? 'en').noStore(setting.store))
    return 0
  }
  return withSession(values, async (session) => {
    const query = { ...defined({ run }), ...(limit > 0 && { limit }) }
    const open = await session.engine.questions(query)
    for (const question of open) {
      if (out.json) {
        out.data({ type: 'question', ...question })
        continue
      }
      const spoken = lang ?? langOf(question.text)
      out.print(cleanText(`[?] ${question.run} ${question.path} ${questionText(question, spoken)}`))
      out.print(`    ${waitingLine(session, question, spoken)}`)
    }
    if (open.length === 0) out.remark(commandWords(lang ?? 'en').noQuestions)
    return 0
  })
}
