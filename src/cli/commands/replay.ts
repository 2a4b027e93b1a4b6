import type { Difference } from '../../hosts/local/replay.ts'
import type { CommandRun } from '../command.ts'
import { type CommandWords, commandWords } from '../command-words.ts'
import { EXIT_DIFFERS } from '../exit-code.ts'
import { langFor, withRun } from '../session.ts'

export const replay: CommandRun = async ({ values, args, out }) =>
  withRun(values, args[0] as string, async (session, { id, goal }) => {
    const { engine } = session
    const { outcome, blocks, operations, differences } = await engine.replay(id)
    const equal = differences.length === 0
    const code = equal ? 0 : EXIT_DIFFERS
    if (out.json) {
      out.data({ type: 'replay', run: id, equal, outcome, blocks, operations, differences })
      return code
    }
    const words = commandWords(langFor(values, session, goal))
    out.print(words.replayed(differences.length, blocks, operations, outcome?.status ?? null))
    for (const difference of differences) out.print(differenceText(difference, words))
    return code
  })

function differenceText({ path, n, seq, what }: Difference, words: CommandWords): string {
  const where = [...(n > 0 ? [words.operation(n)] : []), ...(seq === null ? [] : [words.event(seq)])]
  return `  ${path}${where.length > 0 ? ` (${where.join(', ')})` : ''}: ${what}`
}
