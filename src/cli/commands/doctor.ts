import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { chooseModel, type LoadedConfig, probeServers, workPlaces } from '../../config/index.ts'
import { redactError } from '../../models/secrets.ts'
import { errorData, ThinkonError } from '../../protocol/index.ts'
import { VERSION } from '../../version.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import {
  checkEmbedding,
  checkKeys,
  checkModels,
  checkProviders,
  checkServers,
} from '../doctor/check-models.ts'
import { checkStore, checkSystem, checkTerminal, hasUnicode } from '../doctor/check-system.ts'
import { checkApproval, checkExecutors, checkMcp, checkSandbox, checkTools } from '../doctor/check-tools.ts'
import { checkWebhooks } from '../doctor/check-webhooks.ts'
import { type Finding, finding } from '../doctor/finding.ts'
import { reportLines } from '../doctor/report.ts'
import { type DoctorWords, doctorWords } from '../doctor/words.ts'
import { EXIT_USAGE } from '../exit-code.ts'
import { badInput, langOption } from '../options.ts'
import { trustOptions } from '../setting.ts'
import { loadTrusted } from '../trust/load-trusted.ts'

/** What is configured, what is reachable, what is missing and how to get it. */
export const doctor: CommandRun = async ({ values, out }) => {
  const given = langOption(values)
  const { loaded, notUsed, problems } = await configuration(values)
  const lang = given ?? loaded.config.lang ?? 'en'
  const words = doctorWords(lang)
  const { config } = loaded
  const { env } = process
  const flags = { workspace: textOption(values, 'workspace'), store: textOption(values, 'store') }
  const { workspace, store } = workPlaces({ ...flags, loaded })
  const servers = await probeServers(env)
  const chosen = await chooseModel({
    flag: textOption(values, 'model'),
    loaded,
    env,
    probe: async () => servers,
  })
  const areas = await Promise.all([
    checkSystem(words),
    notUsed === undefined
      ? configFindings(loaded, problems, workspace, words)
      : finding('config', 'bad', words.untrusted(notUsed), { data: { source: notUsed, trusted: false } }),
    checkStore(store, words, values['accept-loss'] === true),
    checkModels(chosen, config, servers, words),
    checkKeys(env, words),
    checkProviders(words),
    checkServers(servers, words),
    checkTools(config, workspace, words),
    checkApproval(config, workspace, words),
    checkSandbox(config, words),
    checkMcp(config, values.deep === true, words),
    checkExecutors(config, workspace, words),
    checkEmbedding(config, servers, words),
    checkWebhooks(config, words),
    checkTerminal(out, words),
  ])
  const findings = areas.flat()
  const ok = findings.every(({ level }) => level !== 'bad')
  if (out.json) out.data({ type: 'doctor', ok, version: VERSION, workspace, findings })
  else out.printLines(reportLines(findings, { words, width: out.width(), unicode: hasUnicode(env) }))
  return ok ? 0 : EXIT_USAGE
}

/** A broken configuration is reported; the rest is checked as if there were no configuration. */
async function configuration(
  values: Values,
): Promise<{ loaded: LoadedConfig; notUsed?: string; problems: string[] }> {
  const folder = resolve(textOption(values, 'workspace') ?? '.')
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw badInput(`the workspace ${folder} is not a folder`)
  // A deep look starts MCP servers.
  const isDeep = values.deep === true
  try {
    const trusted = await loadTrusted(folder, {
      ...trustOptions(values),
      ...(isDeep && { untrusted: 'ask' }),
    })
    if (isDeep) await trusted.confirm()
    return { ...trusted, problems: [] }
  } catch (thrown) {
    if (!ThinkonError.isInstance(thrown)) throw thrown
    const problems = redactError(errorData(thrown, 'BAD_INPUT').message).split('\n')
    return { loaded: { config: {}, source: null, path: null }, problems }
  }
}

function configFindings(
  { source, path, config, warnings = [] }: LoadedConfig,
  problems: readonly string[],
  workspace: string,
  words: DoctorWords,
): Finding[] {
  if (problems.length > 0) return problems.map((problem) => finding('config', 'bad', problem))
  if (source === null) return [finding('config', 'note', words.noConfig(workspace), { data: { source } })]
  const keys = Object.keys(config)
  return [
    finding('config', 'good', `${source} · ${keys.join(', ') || words.none}`, {
      data: { source, path, keys },
    }),
    ...warnings.map((warning) => finding('config', 'note', warning)),
  ]
}
