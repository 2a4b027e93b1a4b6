import type { Draft } from '../../kernel/store.ts'

/** The strategies that these events begin blocks of, with their versions: only a process that has them can execute the run. */
export function needsOf(drafts: readonly Draft[]): string[] {
  const needs = new Set<string>()
  for (const draft of drafts)
    if (draft.type === 'run-start' || draft.type === 'block-start') needs.add(draft.strategy)
  return [...needs]
}
