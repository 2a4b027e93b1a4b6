/** The tools that replies use. */
import { parseRational, type Rational } from '../../arithmetic/rational.ts'
import { isObject } from '../../protocol/index.ts'
import type { Analysis } from './kinds.ts'
import type { Deed } from './mind.ts'

export const TOOLS: Readonly<Record<Deed, string>> = { calculate: 'calculate', write: 'write_file' }

/** What the mind wants to use next, if that is there, makes sense and has not been used yet. */
export async function nextDeed(
  { task, tools, mind }: Analysis,
  used: readonly Deed[],
  among: readonly Deed[] = ['calculate', 'write'],
): Promise<Deed | null> {
  const offered = among.filter((deed) => tools.includes(TOOLS[deed]))
  if (offered.every((deed) => used.includes(deed))) return null
  const wantsFile = task.file !== null
  const deed = await mind.tool({ offered, used, wantsFile })
  const makesSense = deed !== null && offered.includes(deed) && !used.includes(deed)
  return makesSense && (deed === 'calculate' || wantsFile) ? deed : null
}

/** What the tools are that were called, by their names. */
export function deedsOf(names: readonly unknown[]): Deed[] {
  return (['calculate', 'write'] as const).filter((deed) => names.includes(TOOLS[deed]))
}

/** What the calculator gave; null where that is nothing. */
export function calculated(value: unknown): Rational | null {
  return isObject(value) && typeof value.exact === 'string' ? parseRational(value.exact) : null
}
