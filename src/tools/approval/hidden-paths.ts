import type { Policy, Rule } from './policy.ts'
import { matchText } from './policy.ts'

/**
 * Patterns of paths that may not be read without asking. Listing or searching a folder is one call about many files: files
 * that a rule with a pattern asks for or denies are left out.
 */
export function hiddenPaths({ rules }: Policy): string[] {
  return rules
    .filter((rule) => rule.verdict !== 'allow' && rule.pattern !== null && isAboutReading(rule))
    .map((rule) => rule.pattern as string)
}

function isAboutReading({ subject }: Rule): boolean {
  if ('access' in subject) return subject.access === 'read'
  return ['read_file', 'list_files', 'search_files'].some((name) => matchText(subject.tool, name))
}
