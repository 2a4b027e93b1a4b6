/** What a tool does to the world, and what may be done: the terms in which rules speak of a call, whichever tool makes it. */

export type Deed =
  /** `path` as given: relative to the workspace, or absolute. A folder stands for what is in it. */
  | { readonly does: 'read' | 'write'; readonly path: string }
  /** `folder`: where the command runs, if that is not the workspace itself. */
  | { readonly does: 'execute'; readonly command: string; readonly folder?: string }
  | { readonly does: 'network'; readonly host: string }

export type FileDeed = Extract<Deed, { path: string }>

export type Verdict = 'allow' | 'ask' | 'deny'

export const NOTHING_DONE: readonly Deed[] = []

/** The deeds of a tool that does nothing which a pattern could name. */
export const doesNothing = (): readonly Deed[] => NOTHING_DONE
