import { Conversations } from './conversations.ts'

const MAX_RUNS = 16

/** The requests that were read last, by the numbers of their runs: who follows a run reads on where the last reading ended. */
export class RecentConversations {
  private readonly runs = new Map<number, Conversations>()

  of(no: number): Conversations {
    const found = this.runs.get(no) ?? new Conversations()
    this.runs.delete(no)
    this.runs.set(no, found)
    if (this.runs.size > MAX_RUNS) this.runs.delete(this.runs.keys().next().value as number)
    return found
  }
}
