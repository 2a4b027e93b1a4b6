/** The id of a tool call for a client. It contains the run and the question that waits for the result. */

export interface CallPlace {
  readonly run: string
  readonly question: number
}

/** Of letters, digits, _ and -, as all clients take it, if the run's id is. */
export function callId(run: string, question: number): string {
  return `call_${run}_${question}`
}

/** Null if it is not the id of such a call. */
export function readCallId(id: string): CallPlace | null {
  const [, run = '', question = ''] = /^call_(.+)_([1-9]\d{0,8})$/.exec(id) ?? []
  return run === '' ? null : { run, question: Number(question) }
}
