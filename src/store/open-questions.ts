/** The open questions of a run in memory. */
import type { QuestionKey } from '../kernel/run-query.ts'
import type { Draft } from '../kernel/store.ts'
import type { Answerer } from '../protocol/index.ts'
import { questionChange } from './question-changes.ts'

export interface OpenQuestion extends Omit<QuestionKey, 'run'> {
  readonly for: Answerer
}

export class OpenQuestions {
  private readonly open = new Map<number, OpenQuestion>()

  /** Takes the event with this number. */
  follow(draft: Draft, seq: number): void {
    const change = questionChange(draft)
    if (change === null) return
    if (change.what === 'all-closed') this.open.clear()
    else if (change.what === 'closed') this.close(change.path, change.name)
    else this.open.set(seq, { id: seq, path: change.path, name: change.name, for: change.for })
  }

  /** Returns the question that was open; undefined if it was not. */
  take(id: number): OpenQuestion | undefined {
    const question = this.open.get(id)
    this.open.delete(id)
    return question
  }

  /** By its name in its block. */
  close(path: string, name: string): void {
    this.expire(path, name)
  }

  /** False if it was not open. */
  expire(path: string, name: string): boolean {
    let wasOpen = false
    for (const { id, ...question } of this.open.values())
      if (question.path === path && question.name === name) wasOpen = this.open.delete(id)
    return wasOpen
  }

  list(): OpenQuestion[] {
    return [...this.open.values()]
  }

  /** Who answers the open questions; a person if several do. Null if there are none. */
  get asks(): Answerer | null {
    let asks: Answerer | null = null
    for (const question of this.open.values()) {
      if (question.for === 'person') return 'person'
      asks = question.for
    }
    return asks
  }
}
