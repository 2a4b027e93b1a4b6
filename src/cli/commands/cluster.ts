/** A cluster on this machine. */
import { relative } from 'node:path'
import { type RunningCluster, startDevCluster } from '../../cluster/dev.ts'
import { MOST_WORKERS } from '../../cluster/dev-folder.ts'
import { clusterSettings } from '../../config/index.ts'
import { type Line, segment } from '../../views/line.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { badInput, wholeNumber } from '../options.ts'
import type { Output } from '../output.ts'
import { readSetting, type Setting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'

const WORKERS = 3

export const cluster: CommandRun = async ({ values, args, out }) => {
  if (args[0] !== 'dev') throw badInput(`thinkon cluster ${args[0]}: there is only thinkon cluster dev`)
  const setting = await readSetting(values)
  const workers = workersOption(values)
  const stopped = new AbortController()
  const stopping = listenForStop(out, () => stopped.abort())
  const say = (part: string, line: string) => sayLine(out, part, line)
  try {
    const running = await startDevCluster({
      workspace: setting.workspace,
      workers,
      worker: workerCommand(values, setting),
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

function workersOption(values: Values): number {
  const given = textOption(values, 'workers')
  const workers = given === undefined ? WORKERS : wholeNumber('--workers', given)
  if (workers < 1 || workers > MOST_WORKERS) throw badInput(`--workers must be 1 to ${MOST_WORKERS}`)
  return workers
}

/** This program, as it was started. */
function workerCommand(values: Values, { workspace }: Setting): [string, ...string[]] {
  const model = textOption(values, 'model')
  return [
    process.execPath,
    ...process.execArgv,
    process.argv[1] as string,
    'worker',
    ...['--workspace', workspace],
    ...(model === undefined ? [] : ['--model', model]),
    ...((values.mcp ?? []) as readonly string[]).flatMap((server) => ['--mcp', server]),
  ]
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
