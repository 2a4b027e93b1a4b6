/** Works on the runs of a cluster. */
import { readFileSync } from 'node:fs'
import { clusterSettings, type WorkerSettings } from '../../config/index.ts'
import type { ClusterWorker } from '../../engine/cluster-worker.ts'
import { orMissing } from '../../kernel/optional-package.ts'
import { defined, errorText, ThinkonError } from '../../protocol/index.ts'
import type { CommandRun } from '../command.ts'
import { EXIT_LOST, EXIT_STOPPED, reportError } from '../exit-code.ts'
import type { Output } from '../output.ts'
import { workOptions } from '../session.ts'
import { readSetting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'
import { telemetryFor } from '../telemetry.ts'

export const worker: CommandRun = async ({ values, out }) => {
  const setting = await readSetting(values)
  const {
    ingress,
    admin,
    postgres,
    worker: own,
  } = clusterSettings({
    config: setting.loaded.config,
    workspace: setting.workspace,
  })
  requireAddress(own)
  const { clusterWorker } = await orMissing(
    '@restatedev/restate-sdk',
    () => import('../../engine/cluster-worker.ts'),
    (advice, data) => new ThinkonError('BAD_INPUT', `thinkon worker ${advice}`, { data }),
  )
  const { chosen, options } = await workOptions(values, setting)
  const { model, models, promptTokens, onOutage, tools } = options
  const told = stopOrLoss(out)
  const say = sayOn(out)
  const telemetry = await telemetryFor(setting)
  try {
    const started = await clusterWorker({
      ...defined({ model, models, promptTokens, onOutage, tools }),
      strategies: [...setting.strategies.values()],
      postgres,
      ingress,
      admin,
      ...own.listen,
      ...(own.address !== undefined && { address: own.address }),
      version: own.version,
      ...(own.workers !== undefined && { workers: own.workers }),
      identityKeys: own.identityKeys,
      ...(own.tls && { tls: readTls(own.tls) }),
      ...(telemetry !== null && { observer: telemetry }),
      onLost: told.lose,
      onWait: (why) => say('waiting', why),
      signal: told.stopped,
    })
    say('serving', `serves ${started.address} on ${own.listen.host}:${own.listen.port}`, {
      address: started.address,
      model: chosen.spec,
    })
    return await untilTold(started, told, own, say, out)
  } catch (thrown) {
    if (told.stopped.aborted) return EXIT_STOPPED
    throw thrown
  } finally {
    await telemetry?.close()
    told.release()
  }
}

type Say = (state: string, text: string, data?: object) => void

function sayOn(out: Output): Say {
  return (state, text, data = {}) => {
    if (out.json) out.data({ type: 'worker', state, text, ...data })
    else out.print(text)
  }
}

interface Told {
  /** Aborted when somebody wants it to end. */
  readonly stopped: AbortSignal
  /** Resolves with why it ends. */
  readonly end: Promise<'stopped' | ThinkonError>
  lose(error: ThinkonError): void
  release(): void
}

function stopOrLoss(out: Output): Told {
  const stopping = new AbortController()
  const { promise, resolve } = Promise.withResolvers<'stopped' | ThinkonError>()
  const { release } = listenForStop(out, () => {
    stopping.abort()
    resolve('stopped')
  })
  return { stopped: stopping.signal, end: promise, lose: resolve, release }
}

async function untilTold(
  started: ClusterWorker,
  told: Told,
  { drainMs }: WorkerSettings,
  say: Say,
  out: Output,
): Promise<number> {
  const why = await told.end
  if (why !== 'stopped') {
    // Others have taken over what it does: nothing of it may go on.
    reportError(why, out)
    return EXIT_LOST
  }
  say('draining', 'takes no new work, and finishes what it has begun; the second time it ends at once')
  const late = AbortSignal.timeout(drainMs)
  await started.drain(late)
  if (late.aborted)
    say('late', `gives up what is still under way after ${drainMs / 1000} s; another worker begins it again`)
  await started.close()
  say('ended', 'has ended')
  return 0
}

/** An address that listens to all is none that can be found. */
function requireAddress({ address, listen: { host } }: WorkerSettings): void {
  if (address === undefined && (host === '0.0.0.0' || host === '::'))
    throw new ThinkonError(
      'BAD_INPUT',
      `a worker that listens on ${host} has to be told where the Restate server finds it: set cluster.address (THINKON_WORKER_ADDRESS)`,
    )
}

function readTls({ cert, key }: { cert: string; key: string }) {
  try {
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } catch (cause) {
    throw new ThinkonError('BAD_INPUT', `cluster.tls: a file can't be read: ${errorText(cause)}`, { cause })
  }
}
