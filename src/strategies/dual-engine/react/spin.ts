/**
 * What the loop did, action by action, and whether it goes round in circles: the same action with the same parameters
 * and the same result, three times in a row. Whether different actions mean the same is for a model to judge.
 */
import { nonceOf } from '../../../kernel/fence.ts'
import { stableJson } from '../../../protocol/index.ts'

export interface ActionRecord {
  readonly action_type: string
  readonly action_name: string
  readonly action_params: Readonly<Record<string, unknown>>
  readonly iteration_index: number
  /** Stands for the result, which may be long. */
  readonly result_digest: string
}

const SPIN_LENGTH = 3

export function actionRecord(action: Omit<ActionRecord, 'result_digest'>, result: unknown): ActionRecord {
  return { ...action, result_digest: digestOf(result) }
}

export function sameActionSpin(history: readonly ActionRecord[]): boolean {
  return repeatsOf(history, SPIN_LENGTH) >= SPIN_LENGTH
}

/** How many actions at the end are equal to the last one, itself included. Looks at no more than `most`. */
export function repeatsOf(history: readonly ActionRecord[], most = history.length): number {
  const keys = history.slice(-most).map(keyOf)
  return keys.length - 1 - keys.findLastIndex((key) => key !== keys.at(-1))
}

function keyOf({ action_name, action_params, result_digest }: ActionRecord): string {
  return `${action_name} ${result_digest} ${stableJson(action_params)}`
}

/** The same for the same data, whatever the order of its fields. */
export function digestOf(value: unknown): string {
  return nonceOf('result', stableJson(value))
}
