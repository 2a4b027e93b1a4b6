/** `thinkon cluster dev` and `thinkon cluster worker`. */
import type { CommandRun } from '../command.ts'
import { badInput } from '../options.ts'

export const cluster: CommandRun = async (call) => {
  const [what] = call.args
  if (what === 'worker') return (await import('./cluster-worker.ts')).worker(call)
  if (what === 'dev') return (await import('./cluster-dev.ts')).clusterDev(call)
  throw badInput(`thinkon cluster ${what}: there are thinkon cluster dev and thinkon cluster worker`)
}
