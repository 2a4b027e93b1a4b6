/** Serves runs to other programs over HTTP, until it is told to end. */
import { existsSync } from 'node:fs'
import { serveSettings } from '../../config/index.ts'
import { stateFolder, storeState } from '../../files/state-folder.ts'
import { errorText } from '../../protocol/index.ts'
import type { Token } from '../../server/http/access.ts'
import { serviceApp } from '../../server/http/app.ts'
import { limitsOf } from '../../server/http/limits.ts'
import { listen } from '../../server/http/listen.ts'
import { LoginCodes } from '../../server/http/sessions.ts'
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
    // Its clients are the person at this machine.
    mayTrust: name === 'studio',
  })
  try {
    const entry = entryOf(name, setting, settings.tokens)
    warnOfIgnored(setting, onProblem)
    const { host, hosts, origins } = settings
    const onError = (thrown: unknown) =>
      onProblem(thrown instanceof Error ? (thrown.stack ?? errorText(thrown)) : errorText(thrown))
    const limits = limitsOf(settings.limits)
    const mounts = mountsOf(service, { limits, desk, onError })
    const app = serviceApp(service, {
      tokens: entry.tokens,
      hosts,
      origins,
      limits,
      mounts,
      page: studioPage,
      codes: entry.codes,
      onError,
    })
    const listening = await listen(app, { host, port: settings.port })
    try {
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`
      const warning =
        setting.cluster === null ? await sandboxWarning(setting, langOption(values) ?? 'en') : null
      if (warning !== null) out.remark(warning)
      const shown = `serves ${entry.shown(url)} (${chosen.spec}, ${setting.store})${entry.hint}`
      say(out, 'serving', shown, {
        url,
        port: listening.port,
        model: chosen.spec,
        store: setting.store,
        ...(entry.file !== undefined && { tokenFile: entry.file }),
      })
      if (name === 'studio' && process.stdout.isTTY && values['no-open'] !== true)
        open(entry.page(url), service.closing, onProblem)
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

interface Entry {
  readonly tokens: readonly (string | Token)[]
  readonly codes: LoginCodes
  /** Of the local token; absent if it is not kept, or tokens are configured. */
  readonly file?: string | undefined
  readonly hint: string
  /** An address for a browser, with a code that works once. */
  page(url: string): string
  /** The line to print. */
  shown(url: string): string
}

/** Who may. With configured tokens there is no other one, but the person at the terminal of Studio has a session until this process ends. */
function entryOf(name: string, setting: Setting, configured: readonly Token[]): Entry {
  const local: LocalToken | null = configured.length === 0 ? localToken(setting) : null
  const person = local ?? (name === 'studio' ? { token: newToken() } : null)
  const codes = new LoginCodes()
  const page = (url: string) => (person === null ? url : `${url}/?code=${codes.create(person.token)}`)
  const header = local === null ? '' : `, to clients that send "Authorization: Bearer ${local.token}"`
  return {
    tokens: [...configured, ...(person === null ? [] : [person.token])],
    codes,
    file: local?.file,
    hint: local?.file === undefined ? '' : `\nprograms send the token in ${local.file}`,
    page,
    shown: (url) => (name === 'mcp' ? `MCP at ${url}${MCP_PATH}${header}` : page(url)),
  }
}

/** The printed address remains if it can't be opened. */
function open(url: string, closing: AbortSignal, onProblem: (message: string) => void): void {
  try {
    openInBrowser(url, closing)
  } catch (thrown) {
    onProblem(errorText(thrown))
  }
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
