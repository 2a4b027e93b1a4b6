import { parseJson, type Question, ThinkonError } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, violationText } from '../schema/check-schema.ts'
import { pickChoice, refusalText } from '../views/questions.ts'
import { problemInWords } from '../views/reason-words.ts'
import type { Lang } from '../views/words.ts'

/** The answer that a value is: one of the choices, or a value that fits the question's schema. Throws INVALID_ANSWER. */
export function checkAnswer(question: Question, value: unknown, lang: Lang): unknown {
  const { choices, output, call, request } = question
  // The result of a tool, or a model's reply: it is checked by the step that reads it.
  if (call !== undefined || request !== undefined) return value
  if (output !== undefined) return fitting(value, output, lang)
  if (typeof value === 'string') {
    const text = pickChoice(question, value)
    if (text !== undefined) return text
  } else if (choices === undefined && value !== undefined) return value
  const given = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  throw invalid(refusalText(question, given, lang), choices === undefined ? {} : { choices })
}

const WHOLE: Record<Lang, string> = { en: 'the answer', zh: '回答' }
const SEPARATOR: Record<Lang, string> = { en: '; ', zh: '；' }

/** A text may be the JSON of the value: a terminal has only texts. */
function fitting(value: unknown, output: JsonSchema, lang: Lang): unknown {
  const problems = checkSchema(value, output).map((problem) => violationText(problem, WHOLE[lang]))
  if (problems.length === 0) return value
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  if (parsed !== undefined && checkSchema(parsed, output).length === 0) return parsed
  const shown = problems.map((problem) => problemInWords(problem, lang))
  throw invalid(shown.join(SEPARATOR[lang]), { problems, output })
}

function invalid(message: string, data: Record<string, unknown>): ThinkonError {
  return new ThinkonError('INVALID_ANSWER', message, { data })
}
