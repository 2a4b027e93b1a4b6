/**
 * The command line without a process for each command: a child that runs those it is told, one after the other, and writes a mark
 * after each. What they write comes through the same pipes as from bin/thinkon.js, and what ends the process ends it here too.
 */
import { cleanCrashes, cleanWarnings } from '../../src/cli/node-output.ts'
import { MARK, type Told } from './cli-many.ts'

cleanWarnings()
cleanCrashes()
const { runCommandLine } = await import('../../src/cli/command-line.ts')

// Each command listens, and none of them forgets: its process would end.
process.setMaxListeners(0)
const { stdout, stderr } = process

process.on('disconnect', () => process.exit())
process.on('message', async ({ args, cwd, env }: Told) => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  const code = await runCommandLine(args)
  for (const stream of [stdout, stderr]) {
    stream.write(`${MARK}${code}\n`)
    stream.removeAllListeners('error')
  }
})
