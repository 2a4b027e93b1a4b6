/** What a run needs of the process that resumes it: checked before anything is written, the same on both hosts. */
import type { Kernel, Missing } from '../../kernel/durable.ts'
import { cannotResume } from '../../kernel/missing-parts.ts'
import { blocksText, type EventOf, ThinkonError } from '../../protocol/index.ts'
import { FAILED_VERSION, strategyName } from './records.ts'

type BlockStart = EventOf<'block-start'>

/**
 * Throws one error with everything that is missing. `open` are the starts of the blocks that have not ended, `others` is what
 * else is missing.
 */
export function requireParts(
  run: string,
  open: Iterable<BlockStart>,
  kernel: Pick<Kernel, 'identify'>,
  others: readonly Missing[] = [],
): void {
  const missing = [...missingStrategies(open, kernel), ...others]
  if (missing.length > 0) throw cannotResume(run, missing)
}

function missingStrategies(open: Iterable<BlockStart>, kernel: Pick<Kernel, 'identify'>): Missing[] {
  const blocks = new Map<string, BlockStart[]>()
  for (const start of open) {
    // It failed because its strategy was not there, and ends so again.
    if (start.strategy.endsWith(FAILED_VERSION)) continue
    const same = blocks.get(start.strategy)
    if (same === undefined) blocks.set(start.strategy, [start])
    else same.push(start)
  }
  return [...blocks].flatMap(([identity, starts]) => missingStrategy(identity, starts, kernel) ?? [])
}

function missingStrategy(
  identity: string,
  starts: readonly BlockStart[],
  kernel: Pick<Kernel, 'identify'>,
): Missing | null {
  const name = strategyName(identity)
  const blocks = blocksText(starts.map(({ path }) => path))
  try {
    const here = kernel.identify(name)
    if (here === identity) return null
    const { run, seq } = starts[0] as BlockStart
    const older = `an older version of it, or fork before that: thinkon fork ${run} --at ${seq - 1}`
    return {
      code: 'VERSION_MISMATCH',
      what: `${identity}, which began ${blocks} (here is ${here}; use ${older})`,
    }
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown) || thrown.code !== 'NO_SUCH_STRATEGY') throw thrown
    return { code: 'NO_SUCH_STRATEGY', what: `the strategy "${name}" of ${blocks}` }
  }
}
