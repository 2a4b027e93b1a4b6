/** What a person may answer where a tool asks for permission. */
export const ALWAYS_IN_PLAN = 'always in the plan'

export interface ApprovalAnswer {
  readonly allowed: boolean
  /** How far it reaches, if it is more than this call. */
  readonly always: false | 'block' | 'plan'
}

/** Anything but a clear yes is a no. */
export function readApproval(answer: unknown): ApprovalAnswer {
  const text = typeof answer === 'string' ? answer.trim().toLowerCase() : ''
  const always = text === ALWAYS_IN_PLAN ? 'plan' : text === 'always' ? 'block' : false
  return { allowed: always !== false || text === 'yes' || text === 'y', always }
}
