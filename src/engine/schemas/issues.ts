/** What schema libraries list as wrong, in words. It loads nothing: runs without a schema need it, too. */
import type { StandardIssue } from '../../schema/standard-schema.ts'

/** What an error of a schema library lists; null if it is another. */
export function listedProblems(thrown: unknown, whole: string): readonly string[] | null {
  const issues = issuesIn(thrown)
  return issues === undefined ? null : textsOf(issues, whole)
}

export function issuesIn(thrown: unknown): readonly StandardIssue[] | undefined {
  const { issues, cause } = Object(thrown) as { issues?: unknown; cause?: unknown }
  return [issues, cause, (cause as { issues?: unknown } | undefined)?.issues].find(Array.isArray)
}

export function textsOf(issues: readonly StandardIssue[], whole: string): string[] {
  const problems = issues.map(({ message, path = [] }) => `${fieldText(path) || whole}: ${message}`)
  return problems.length > 0 ? problems : [`${whole} does not fit`]
}

function fieldText(path: NonNullable<StandardIssue['path']>): string {
  return path.map((step) => String(Object(step) === step ? (step as { key: unknown }).key : step)).join('.')
}
