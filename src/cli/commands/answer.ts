import type { OpenQuestion } from '../../protocol/index.ts'
import { type CommandRun, textOption } from '../command.ts'
import { badInput } from '../options.ts'
import { pickChoice } from '../questions.ts'
import { refuseEndedBlock, refuseEndedRun, reportSignal, type Target, withBlock } from '../steering.ts'

const DEFAULT_NAME = 'answer'

export const answer: CommandRun = (call) =>
  withBlock(call, async (target) => {
    refuseEndedRun(target)
    refuseEndedBlock(target)
    const { session, row, block } = target
    const given = call.args[2] as string
    const wanted = textOption(call.values, 'name')
    const open = openQuestion(target, wanted)
    const name = open?.name ?? wanted ?? DEFAULT_NAME
    const value = open === undefined ? given : chosen(open, given)
    await session.engine.signal(row.id, block.path, name, value)
    const asked =
      open === undefined
        ? `${block.path} has not asked yet: ${keptFor(name, wanted)}`
        : `${block.path} continues`
    reportSignal(call, target, name, value, `answered "${value}": ${asked}`)
    return 0
  })

/** An answer is for questions of its name alone: a review has another than what a model asks. */
function keptFor(name: string, wanted: string | undefined): string {
  const kept = `the answer is kept until it asks a question named "${name}"`
  return wanted === undefined ? `${kept}; for another: --name` : kept
}

/** The question by its name, or the only open one. */
function openQuestion({ block }: Target, name: string | undefined): OpenQuestion | undefined {
  const { questions } = block
  if (name !== undefined) return questions.find((open) => open.name === name)
  const names = new Set(questions.map((open) => open.name))
  if (names.size <= 1 || names.has(DEFAULT_NAME))
    return questions.find((open) => open.name === DEFAULT_NAME) ?? questions[0]
  throw badInput(`block ${block.path} asks several questions: say which with --name ${[...names].join('|')}`)
}

function chosen(open: OpenQuestion, given: string): string {
  const value = pickChoice(open, given)
  if (value !== undefined) return value
  const choices = open.question?.choices ?? []
  throw badInput(
    choices.length === 0
      ? 'the answer is empty'
      : `"${given}" is not one of the choices: ${choices.join(', ')}`,
    { choices },
  )
}
