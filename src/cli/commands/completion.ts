import { defined, goalTitle } from '../../protocol/index.ts'
import type { CommandRun, Values } from '../command.ts'
import { type Candidate, complete, type Known, type TypedOptions } from '../completion/complete.ts'
import { SCRIPTS, SHELLS, type Shell } from '../completion/shell-scripts.ts'
import { badInput, meant } from '../options.ts'

/** Prints the script of a shell; `next -- <words>`, which the script calls, prints what may follow on these words. */
export const completion: CommandRun = async ({ values, args, out, strategies, commands }) => {
  const [shell = '', ...words] = args
  if (shell === 'next') {
    const found = await complete(words, { ...knownIn(values), strategies, commands: commands() })
    const lines =
      typeof found === 'string' ? [`:${found}`] : found.map(({ text, help }) => `${text}\t${help}`)
    if (lines.length > 0) out.print(lines.join('\n'))
    return 0
  }
  if (words.length > 0 || !(SHELLS as readonly string[]).includes(shell))
    throw badInput(
      `thinkon completion takes ${SHELLS.join(', ')}, not "${args.join(' ')}"${meant(shell, SHELLS)}`,
    )
  const script = SCRIPTS[shell as Shell]
  if (out.json) out.data({ type: 'completion', shell, script })
  else out.print(script)
  return 0
}

const MAX_RUNS = 50

/** A key press must not ask, warn or fail: a store that can't be read has no runs. */
function knownIn(values: Values): Pick<Known, 'runs' | 'paths'> {
  const open = async (
    { store, workspace, host }: TypedOptions,
    read: (engine: import('../../engine.ts').Engine) => Promise<Candidate[]>,
  ) => {
    try {
      const { hasStore, placeOfRuns, readSetting } = await import('../setting.ts')
      const setting = await readSetting({
        ...values,
        ...defined({ store, workspace, host }),
        untrusted: 'defaults',
      })
      if (!hasStore(setting)) return []
      const { createEngine } = await import('../../engine.ts')
      const engine = createEngine(placeOfRuns(setting))
      try {
        return await read(engine)
      } finally {
        await engine.close()
      }
    } catch {
      return []
    }
  }
  return {
    runs: (typed, options) =>
      open(options, async (engine) => {
        const runs = await engine.list({ limit: MAX_RUNS, ...(typed !== '' && { search: typed }) })
        return runs.map(({ id, goal }) => ({ text: id, help: goalTitle(goal, 60) }))
      }),
    paths: (given, options) =>
      open(options, async (engine) => {
        const { findRun } = await import('../session.ts')
        const { id } = await findRun(engine, given)
        const { blocks } = await engine.state(id)
        return [...blocks.values()].map(({ path, goal }) => ({ text: path, help: goalTitle(goal, 60) }))
      }),
  }
}
