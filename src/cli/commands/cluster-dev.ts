/** `thinkon cluster dev`: PostgreSQL and workers that take whole runs, on this machine. */
import { relative } from 'node:path'
import { type RunningWorkers, startDevWorkers } from '../../cluster/dev-workers.ts'
import { postgresPlace } from '../../kernel/postgres-place.ts'
import { type Line, segment } from '../../views/line.ts'
import type { CommandRun } from '../command.ts'
import type { Output } from '../output.ts'
import { readSetting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'
import { workerCommand, workersOption } from './cluster-options.ts'

export const clusterDev: CommandRun = async ({ values, out }) => {
  // The database is not there yet.
  const { workspace } = await readSetting({ ...values, host: 'local' })
  const workers = workersOption(values)
  const stopped = new AbortController()
  const stopping = listenForStop(out, () => stopped.abort())
  const say = (part: string, line: string) => {
    if (line.trim() !== '') out.remark(`${part.padEnd(9)} │ ${line}`)
  }
  try {
    const command = workerCommand(['cluster', 'worker'], values, workspace)
    const running = await startDevWorkers({ workspace, workers, worker: command, say })
    const restart = () => void running.restartWorkers()
    process.on('SIGUSR2', restart)
    try {
      if (!stopped.signal.aborted) report(running, out)
      await aborted(stopped.signal)
      say('cluster', 'ends')
    } finally {
      process.off('SIGUSR2', restart)
      await running.end()
    }
    say('cluster', 'has ended; its state is kept')
    return 0
  } finally {
    stopping.release()
  }
}

function report({ postgres, folder, workers }: RunningWorkers, out: Output): void {
  const database = postgresPlace(postgres).address
  const pids = workers.map((worker) => worker.pid())
  if (out.json) {
    out.data({ type: 'cluster', postgres: database, folder, workers: pids })
    return
  }
  const row = (name: string, text: string): Line => [segment(`  ${name.padEnd(11)}`, 'dim'), segment(text)]
  const commands = [
    'thinkon run --host cluster "What is 17 * 23?"',
    'thinkon list --host cluster',
    `kill -9 ${pids[0]}`,
  ]
  out.printLines([
    [],
    [segment('  A cluster on this machine', 'strong')],
    [],
    row('PostgreSQL', database),
    row('workers', pids.join(', ')),
    row('state', relative(process.cwd(), folder) || folder),
    [],
    [segment('  Try, in another terminal', 'strong')],
    [],
    ...commands.map((line) => [segment(`  ${line}`, 'active')]),
    [segment('    a worker: another one takes over its runs, and it is started again', 'dim')],
    [],
    [segment('  Ctrl-C ends all of it; the next start continues from the same state.', 'dim')],
    [],
  ])
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
