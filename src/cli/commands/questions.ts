import { cleanText, defined, type PendingQuestion } from '../../protocol/index.ts'
import { questionText } from '../../views/block-row.ts'
import { wholeQuestion } from '../../views/questions.ts'
import { wholeCall } from '../../views/whole-call.ts'
import { type Lang, langOf } from '../../views/words.ts'
import { type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { langOption, wholeNumber } from '../options.ts'
import { waitingLine } from '../run-view.ts'
import { type Session, withSession } from '../session.ts'
import { hasStore, readSetting } from '../setting.ts'

/** On a terminal, unless --limit is given. */
const SHOWN = 50

function shown(
  session: Session,
  question: PendingQuestion,
  { lang, whole }: { lang: Lang; whole: boolean },
): string {
  const head = cleanText(`[?] ${question.run} ${question.path} ${questionText(question, lang)}`)
  const rows = [...(whole ? wholeText(question, lang) : []), waitingLine(session, question, lang)]
  return [head, ...rows.map((row) => `    ${row}`)].join('\n')
}

/** Of a call that its question had to shorten, the whole input. */
function wholeText(question: PendingQuestion, lang: Lang): string[] {
  const { permission, choices = [] } = question
  const isShortened = permission !== undefined && !choices.includes('always')
  const text = isShortened ? `${question.text}\n${wholeCall(permission)}` : wholeQuestion(question, lang)
  return cleanText(text).split('\n')
}

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
      if (out.json) out.data({ type: 'question', ...question })
      else
        out.print(
          shown(session, question, { lang: lang ?? langOf(question.text), whole: values.whole === true }),
        )
    }
    if (open.length === 0) out.remark(commandWords(lang ?? 'en').noQuestions)
    return 0
  })
}
