/** The note `result-checked`: what became of holding a result against its goal. */
import { type Segment, segment } from './line.ts'
import { problemInWords } from './reason-words.ts'
import { cleanLine } from './text-width.ts'
import type { Lang } from './words.ts'

const MAX_PROBLEM_CHARS = 200

/** `data` is the note's, from a journal of any version. */
export function checkText(data: unknown, lang: Lang): readonly Segment[] {
  const {
    by,
    problems = [],
    sentBack,
  } = (data ?? {}) as { by?: string; problems?: unknown[]; sentBack?: boolean }
  const words = WORDS[lang]
  const who = by === 'program' ? words.program : words.model
  if (!Array.isArray(problems) || problems.length === 0) return [segment(`${words.fits} (${who})`, 'dim')]
  const told = problems
    .map((problem) => problemInWords(cleanLine(String(problem), MAX_PROBLEM_CHARS), lang))
    .join(' · ')
  return [segment(`${sentBack ? words.sentBack : words.unmet} (${who}): ${told}`, 'warn')]
}

const WORDS: Readonly<Record<Lang, Record<'fits' | 'sentBack' | 'unmet' | 'program' | 'model', string>>> = {
  en: {
    fits: 'the result was held against the goal and fits',
    sentBack: 'the result is sent back',
    unmet: 'the result does not fit the goal',
    program: 'by program',
    model: 'by a model',
  },
  zh: {
    fits: '结果已与目标核对，符合',
    sentBack: '结果被退回重做',
    unmet: '结果与目标不符',
    program: '程序核对',
    model: '模型核对',
  },
}
