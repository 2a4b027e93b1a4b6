/** The results of a lab as they stand in its file, one on each line: what the lab goes on from, and what Studio compares. */
import { isObject, parseJson, type Status, type Usage } from '../protocol/index.ts'
import { checkView } from './entrances.ts'

export interface LabResult {
  readonly type: 'result'
  /** Which of the lab's trials this is. */
  readonly trial: string
  readonly task: string
  readonly group: string
  readonly goal: string
  /** The strategy with its options, as given: "tot beam=3". */
  readonly setting: string
  readonly strategy: string
  readonly model: string
  /** Counted from 1. */
  readonly repeat: number
  /** Null where the model refused the goal before there was a run. */
  readonly run: string | null
  readonly status: Status
  readonly answer: string
  readonly solved: boolean
  /** From 0 to 1. */
  readonly score: number
  /** What is wrong with the answer, or why it is right. */
  readonly why?: string
  readonly usage: Usage
  /** Active time. */
  readonly timeMs: number
  /** What judging took, of this answer and those that were judged with it. */
  readonly judging?: Usage
}

/** The results in a text of JSON Lines; other lines, and one that was cut off, are left out. */
export function labResultsIn(text: string): LabResult[] {
  checkView('labResultsIn', [text])
  return text.split('\n').flatMap((line) => {
    const value = parseJson(line)
    return isLabResult(value) ? [value] : []
  })
}

function isLabResult(value: unknown): value is LabResult {
  if (!isObject(value) || value.type !== 'result' || !isObject(value.usage)) return false
  const texts = [value.trial, value.goal, value.setting, value.strategy, value.model, value.status]
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof value.score === 'number' &&
    typeof value.solved === 'boolean' &&
    typeof value.timeMs === 'number' &&
    typeof value.usage.calls === 'number'
  )
}
