/** A cluster on this machine. */
import { relative } from 'node:path'
import { type RunningCluster, startDevCluster } from '../../cluster/dev.ts'
import { clusterSettings } from '../../config/index.ts'
import { type Line, segment } from '../../views/line.ts'
import type { CommandRun } from '../command.ts'
import { badInput } from '../options.ts'
import type { Output } from '../output.ts'
import { readSetting, type Setting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'
import { workerCommand, workersOption } from './cluster-options.ts'

export const cluster: CommandRun = async (call) => {
  const { values, args, out } = call
  if (args[0] === 'worker') return (await import('./cluster-worker.ts')).worker(call)
  if (args[0] !== 'dev')
    throw badInput(`thinkon cluster ${args[0]}: there are thinkon cluster dev and thinkon cluster worker`)
  if (values.host === 'cluster') return (await import('./cluster-dev.ts')).clusterDev(call)
  const setting = await readSetting(values)
  const workers = workersOption(values)
  const stopped = new AbortController()
  const stopping = listenForStop(out, () => stopped.abort())
  const say = (part: string, line: string) => sayLine(out, part, line)
  try {
    const running = await startDevCluster({
      workspace: setting.workspace,
      workers,
      worker: workerCommand(['worker'], values, setting.workspace),
      say,
    })
    const restart = () => void running.restartWorkers()
    process.on('SIGUSR2', restart)
    try {
      if (!stopped.signal.aborted) report(running, setting, out)
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

/** What the parts say goes to stderr: stdout has what programs read. */
function sayLine(out: Output, part: string, line: string): void {
  if (line.trim() !== '') out.remark(`${part.padEnd(9)} │ ${line}`)
}

function report(running: RunningCluster, { workspace, loaded }: Setting, out: Output): void {
  const { ingress, admin, address, postgres, folder, workers } = running
  const database = `postgres://${new URL(postgres).host}${new URL(postgres).pathname}`
  if (out.json) {
    const pids = workers.map((worker) => worker.pid())
    out.data({ type: 'cluster', ingress, admin, address, postgres: database, folder, workers: pids })
    return
  }
  const row = (name: string, text: string, more = ''): Line => [
    segment(`  ${name.padEnd(11)}`, 'dim'),
    segment(text),
    segment(more && `  ${more}`, 'dim'),
  ]
  const first = workers[0]?.pid()
  const prefix = isElsewhere({ workspace, loaded }, running) ? 'THINKON_CLUSTER=dev ' : ''
  const host = loaded.config.host === 'restate' ? '' : ' --host restate'
  out.printLines([
    [],
    [segment('  A cluster on this machine', 'strong')],
    [],
    row('Restate', ingress, `admin ${admin}`),
    row('PostgreSQL', database),
    row('workers', `${workers.length} behind ${address}`, workers.map((worker) => worker.pid()).join(', ')),
    row('state', relative(process.cwd(), folder) || folder),
    [],
    [segment('  Try, in another terminal', 'strong')],
    [],
    ...[
      `${prefix}thinkon run${host} "What is 17 * 23?"`,
      `${prefix}thinkon list${host}`,
      `kill -9 ${first ?? '<pid>'}`,
    ].map((line) => [segment(`  ${line}`, 'active')]),
    [segment('    a worker: another one takes over, and it is started again', 'dim')],
    [],
    [segment('  Ctrl-C ends all of it; the next start goes on from the same state.', 'dim')],
    [],
  ])
}

/** The configuration names another cluster, which commands would use. */
function isElsewhere(
  { workspace, loaded }: Pick<Setting, 'workspace' | 'loaded'>,
  running: RunningCluster,
): boolean {
  try {
    return clusterSettings({ config: loaded.config, workspace }).ingress !== running.ingress
  } catch {
    return true
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
