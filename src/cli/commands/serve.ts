/** Serves runs to other programs over HTTP, until it is told to end. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { serveSettings } from '../../config/index.ts'
import { stateFolder, storeState } from '../../files/state-folder.ts'
import { errorText } from '../../protocol/index.ts'
import { serviceApp } from '../../server/http/app.ts'
import { limitsOf } from '../../server/http/limits.ts'
import { listen } from '../../server/http/listen.ts'
import { type KeptToken, newToken, tokenIn } from '../../server/http/token-file.ts'
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
    const local = settings.tokens.length === 0 ? localToken(setting) : null
    warnOfIgnored(setting, onProblem)
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
      const shown = `serves ${shownAddress(name, url, local)} (${chosen.spec}, ${setting.store})${hintOf(local)}`
      say(out, 'serving', shown, {
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

/** A token without a file is good until this process ends. */
type LocalToken = Pick<KeptToken, 'token'> & Partial<KeptToken>

/** For a service without configured tokens. Throws STORE_IO if it can't be kept. */
function localToken({ store, workspace }: Setting): LocalToken {
  return store === MEMORY ? { token: newToken() } : tokenIn(storeState(workspace, store))
}

function hintOf(local: LocalToken | null): string {
  return local?.file === undefined ? '' : `\nprograms send the token in ${local.file}`
}

/** Earlier versions kept tokens and webhook records next to the store. A repository can bring such files. */
function warnOfIgnored({ store, cluster }: Setting, warn: (message: string) => void): void {
  if (cluster !== null || store === MEMORY) return
  for (const ending of ['token', 'webhooks']) {
    const file = `${store}.${ending}`
    if (existsSync(file)) warn(`${file} is ignored: tokens and webhook records are kept in ${stateFolder()}`)
  }
}

function portOption(values: Values): number | undefined {
  const given = textOption(values, 'port')
  if (given === undefined) return undefined
  const port = wholeNumber('--port', given)
  if (port > 65_535) throw badInput('--port must be from 0 to 65535')
  return port
}
