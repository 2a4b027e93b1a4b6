import type { CommandRun } from '../command.ts'
import { EXIT_DIFFERS } from '../exit-code.ts'
import { withRun } from '../session.ts'

export const replay: CommandRun = async ({ values, args, out }) =>
  withRun(values, args[0] as string, async ({ engine }, { id }) => {
    const { outcome, blocks, operations, differences } = await engine.replay(id)
    const equal = differences.length === 0
    const code = equal ? 0 : EXIT_DIFFERS
    if (out.json) {
      out.data({ type: 'replay', run: id, equal, outcome, blocks, operations, differences })
      return code
    }
    const size = `${blocks} blocks, ${operations} operations, nothing was called`
    const end = outcome === null ? 'the run has not ended yet' : `it ended ${outcome.status}`
    out.print(equal ? `equal: ${size}; ${end}` : `differs in ${differences.length} places: ${size}; ${end}`)
    for (const { path, n, seq, what } of differences) {
      const where = [n > 0 ? `operation ${n}` : '', seq === null ? '' : `event ${seq}`].filter(
        (text) => text !== '',
      )
      out.print(`  ${path}${where.length > 0 ? ` (${where.join(', ')})` : ''}: ${what}`)
    }
    return code
  })
