import type { Difference } from '../../hosts/local/replay.ts'
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
    const size = `${count(blocks, 'block')}, ${count(operations, 'operation')}, nothing was called`
    const end = outcome === null ? 'the run has not ended yet' : `it ended ${outcome.status}`
    out.print(`${equal ? 'equal' : `differs in ${count(differences.length, 'place')}`}: ${size}; ${end}`)
    for (const difference of differences) out.print(differenceText(difference))
    return code
  })

function differenceText({ path, n, seq, what }: Difference): string {
  const where = [...(n > 0 ? [`operation ${n}`] : []), ...(seq === null ? [] : [`event ${seq}`])]
  return `  ${path}${where.length > 0 ? ` (${where.join(', ')})` : ''}: ${what}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
