/**
 * What is not as it was when a run was last worked on: its models, and the prompts of blocks that have not ended. Prompts are compared
 * while blocks are executed from their records: the first request of each kind in each block, against the one that is made now.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  changeText,
  type Event,
  type EventBody,
  type ModelNames,
  type ModelRequest,
  messageText,
  type ResumeChange,
  ROLES,
  ThinkonError,
} from '../../protocol/index.ts'

/** A kind whose prompt is as it was in so many blocks has not changed. */
const ENOUGH_EQUAL = 64

/** `open` are the blocks that continue with what is here now. */
export function modelChanges(
  was: ModelNames,
  is: ModelNames | undefined,
  open: readonly string[],
): ResumeChange[] {
  if (is === undefined || was.model === undefined) return []
  const changes = ROLES.flatMap((role): (ResumeChange & { what: 'model' })[] => {
    const [before, now] = [was.models?.[role] ?? was.model, is.models?.[role] ?? is.model]
    if (before === now || before === undefined || now === undefined) return []
    return [{ what: 'model', role, was: before, is: now, blocks: open }]
  })
  const [first] = changes
  const isOne = first !== undefined && changes.every((one) => one.was === first.was && one.is === first.is)
  if (!isOne || changes.length < ROLES.length) return changes
  const { role: _, ...all } = first
  return [all]
}

export class PromptChanges {
  private readonly changed = new Map<string, Set<string>>()
  private readonly equal = new Map<string, number>()
  /** Blocks and kinds that were compared. */
  private readonly seen = new Set<string>()

  /** `start` is the record of what is made now. */
  compare(path: string, start: Event, made: EventBody): void {
    // An edited request is another one on purpose.
    if (made.type !== 'model-start' || start.type !== 'model-start' || start.edited) return
    const { kind } = made.request
    const equal = this.equal.get(kind) ?? 0
    const key = `${path} ${kind}`
    if ((equal >= ENOUGH_EQUAL && !this.changed.has(kind)) || this.seen.has(key)) return
    this.seen.add(key)
    if (isSamePrompt(start.request, made.request)) this.equal.set(kind, equal + 1)
    else this.add(kind, path)
  }

  add(kind: string, path: string): void {
    const blocks = this.changed.get(kind)
    if (blocks === undefined) this.changed.set(kind, new Set([path]))
    else blocks.add(path)
  }

  get list(): ResumeChange[] {
    return Array.from(this.changed, ([kind, blocks]) => ({ what: 'prompt', kind, blocks: [...blocks] }))
  }
}

function isSamePrompt(was: Omit<ModelRequest, 'input'>, is: Omit<ModelRequest, 'input'>): boolean {
  if (was.version !== is.version || was.role !== is.role || was.messages.length !== is.messages.length)
    return false
  const isSame = is.messages.every((message, i) => {
    const before = was.messages[i]
    return before?.role === message.role && messageText(before) === messageText(message)
  })
  return isSame && isDeepStrictEqual(was.schema, is.schema)
}

/** The refusal to resume a run in which nothing may have changed. */
export function hasChanged(
  run: string,
  changes: readonly ResumeChange[],
  others: readonly string[],
): ThinkonError {
  const list = [...changes.map(changeText), ...others].join('; ')
  return new ThinkonError(
    'REPLAY_DIFFERS',
    `run ${run} was not resumed and was left as it is, because nothing may have changed and this has: ${list}. ` +
      'Without strict (--strict) it continues with what is here now.',
    { data: { run, changes, others } },
  )
}
