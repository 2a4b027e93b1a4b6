/** Serves runs to other programs over HTTP, until it is told to end. */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { serveSettings } from '../../config/index.ts'
import { errorText } from '../../protocol/index.ts'
import { serviceApp } from '../../server/http/app.ts'
import { limitsOf } from '../../server/http/limits.ts'
import { listen } from '../../server/http/listen.ts'
import { tokenIn } from '../../server/http/token-file.ts'
import { studioPage } from '../../server/studio/studio-page.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { MCP_PATH, mountsOf } from '../mounts.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { openService } from '../open-service.ts'
import { badInput, langOption, wholeNumber } from '../options.ts'
import type { Output } from '../output.ts'
import { MEMORY, readSetting, type Setting } from '../setting.ts'
import { listenForStop } from '../stopping.ts'
import { sandboxWarning } from '../tools.ts'

export const serve: CommandRun = async ({ name, values, out }) => {
  const setting = await readSetting(values)
  const settings = serveSettings({
    listen: textOption(values, 'listen'),
    port: portOption(values),
    config: setting.loaded.config.serve ?? {},
  })
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  const stopping = listenForStop(out, () => stop())
  const onProblem = (message: string) => say(out, 'problem', message)
  const { maxRuns } = settings
  const { service, chosen, desk } = await openService(values, setting, {
    onProblem,
    ...(maxRuns !== undefined && { maxRuns }),
  })
  try {
    const local = settings.isLocal ? localToken(setting) : null
    const { host, hosts, origins, tokens } = settings
    const onError = (thrown: unknown) =>
      onProblem(thrown instanceof Error ? (thrown.stack ?? errorText(thrown)) : errorText(thrown))
    const limits = limitsOf(settings.limits)
    const mounts = mountsOf(service, { limits, desk, onError })
    const app = serviceApp(service, {
      tokens: [...tokens, ...(local === null ? [] : [local.token])],
      hosts,
      origins,
      limits,
      mounts,
      page: studioPage,
      // Cookies are shared by all ports of a machine.
      cookie: `thinkon-${createHash('sha256').update(setting.store).digest('hex').slice(0, 8)}`,
      onError,
    })
    const listening = await listen(app, { host, port: settings.port })
    try {
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`
      const warning =
        setting.cluster === null ? await sandboxWarning(setting, langOption(values) ?? 'en') : null
      if (warning !== null) out.remark(warning)
      say(out, 'serving', `serves ${shownAddress(name, url, local)} (${chosen.spec}, ${setting.store})`, {
        url,
        port: listening.port,
        model: chosen.spec,
        store: setting.store,
        ...(local?.file && { tokenFile: local.file }),
      })
      if (name === 'studio' && process.stdout.isTTY && values['no-open'] !== true)
        openInBrowser(shownAddress(name, url, local))
      // Runs that were open go on while requests are answered.
      service.open().catch((thrown) => onProblem(errorText(thrown)))
      await stopped
      say(out, 'stopping', 'stops; open runs can be resumed, and go on when it is started again')
    } finally {
      await service.close()
      for (const { close } of Object.values(mounts)) await close?.()
      await listening.close()
    }
    say(out, 'ended', 'has ended')
    return 0
  } finally {
    await service.close()
    stopping.release()
  }
}

/** Browsers get the token in the address, MCP clients are told to send it. */
function shownAddress(name: string, url: string, local: LocalToken | null): string {
  if (name === 'mcp')
    return `MCP at ${url}${MCP_PATH}${local === null ? '' : `, to clients that send "Authorization: Bearer ${local.token}"`}`
  return local === null ? url : `${url}/?token=${local.token}`
}

function say(out: Output, state: string, text: string, data: object = {}): void {
  if (out.json) out.data({ type: 'serve', state, text, ...data })
  else if (state === 'problem') out.remark(text)
  else out.print(text)
}

interface LocalToken {
  readonly token: string
  /** Absent if it is not kept. */
  readonly file?: string
}

/** Beside the store, so that pages and streams outlive a restart. */
function localToken({ store, cluster, workspace }: Setting): LocalToken {
  if (cluster === null && store === MEMORY) return { token: randomBytes(32).toString('base64url') }
  const file = cluster === null ? `${store}.token` : join(workspace, '.thinkon', 'serve.token')
  return { token: tokenIn(file), file }
}

function portOption(values: Values): number | undefined {
  const given = textOption(values, 'port')
  if (given === undefined) return undefined
  const port = wholeNumber('--port', given)
  if (port > 65_535) throw badInput('--port must be from 0 to 65535')
  return port
}
