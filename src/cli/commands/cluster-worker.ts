/** `thinkon cluster worker`: takes whole runs of a cluster and executes them, until SIGTERM. */
import { clusterWorker } from '../../cluster.ts'
import { clusterSettings } from '../../config/index.ts'
import { defined } from '../../protocol/index.ts'
import type { CommandRun } from '../command.ts'
import type { Output } from '../output.ts'
import { ownKey } from '../own-key.ts'
import { workOptions } from '../session.ts'
import { readSetting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'
import { telemetryFor } from '../telemetry.ts'

export const worker: CommandRun = async ({ values, out }) => {
  const setting = await readSetting({ ...values, host: 'cluster' })
  const { loaded, workspace } = setting
  const { postgres, version, runs, drainMs } = clusterSettings({ config: loaded.config, workspace })
  const { chosen, options } = await workOptions(values, setting)
  const { model, models, promptTokens, onOutage, tools } = options
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const stopping = listenForStop(out, stop)
  const say = sayOn(out)
  const telemetry = await telemetryFor(setting)
  try {
    const started = await clusterWorker({
      ...defined({ model, models, promptTokens, onOutage, tools, key: ownKey }),
      strategies: [...setting.strategies.values()],
      ...{ postgres, version },
      ...(runs !== undefined && { capacity: { runs } }),
      ...(telemetry !== null && { observer: telemetry }),
      onProblem: (problem) => say('problem', problem),
    })
    say('serving', `takes runs, answered by ${chosen.spec}`, { model: chosen.spec })
    await stopped
    say('draining', 'takes no new runs and hands its runs over; the second time it ends at once')
    const late = AbortSignal.timeout(drainMs)
    await started.drain(late)
    if (late.aborted) say('late', `has aborted the calls that were under way after ${drainMs / 1000} s`)
    await started.close()
    say('ended', 'has ended')
    return 0
  } finally {
    await telemetry?.close()
    stopping.release()
  }
}

type Say = (state: string, text: string, data?: object) => void

function sayOn(out: Output): Say {
  return (state, text, data = {}) => {
    if (out.json) out.data({ type: 'worker', state, text, ...data })
    else out.print(text)
  }
}
