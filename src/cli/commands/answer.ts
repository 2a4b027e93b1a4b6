import type { OpenQuestion } from '../../protocol/index.ts'
import { pickChoice } from '../../views/questions.ts'
import { choiceText } from '../../views/step-words.ts'
import type { Lang } from '../../views/words.ts'
import { type CommandRun, textOption } from '../command.ts'
import { commandWords } from '../command-words.ts'
import { badInput } from '../options.ts'
import { refuseEndedBlock, refuseEndedRun, reportSignal, type Target, withBlock } from '../steering.ts'

const DEFAULT_NAME = 'answer'

export const answer: CommandRun = (call) =>
  withBlock(call, async (target) => {
    refuseEndedRun(target)
    refuseEndedBlock(target)
    const { session, row, block, lang } = target
    const given = call.args[2] as string
    const wanted = textOption(call.values, 'name')
    const open = openQuestion(target, wanted)
    const name = open?.name ?? wanted ?? DEFAULT_NAME
    const value = open === undefined ? given : chosen(open, given, lang)
    await session.engine.signal(row.id, block.path, name, value)
    const words = commandWords(lang)
    const said =
      open === undefined
        ? words.kept(block.path, value, name, wanted !== undefined)
        : words.answered(block.path, choiceText(value, lang))
    reportSignal(call, target, name, value, said)
    return 0
  })

/** The question by its name, or the only open one: an answer is for questions of its name alone, a review has another than what a model asks. */
function openQuestion({ block, lang }: Target, name: string | undefined): OpenQuestion | undefined {
  const { questions } = block
  if (name !== undefined) return questions.find((open) => open.name === name)
  const names = new Set(questions.map((open) => open.name))
  if (names.size <= 1 || names.has(DEFAULT_NAME))
    return questions.find((open) => open.name === DEFAULT_NAME) ?? questions[0]
  throw badInput(commandWords(lang).several(block.path, [...names].join('|')))
}

function chosen(open: OpenQuestion, given: string, lang: Lang): string {
  const value = pickChoice(open, given)
  if (value !== undefined) return value
  const choices = open.question?.choices ?? []
  const words = commandWords(lang)
  const shown = choices.map((choice) => choiceText(choice, lang))
  throw badInput(choices.length === 0 ? words.noAnswer : words.noChoice(given, shown), { choices })
}
