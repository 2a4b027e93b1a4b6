import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { CONFIG_FILES, PACKAGE } from '../../config/config.ts'
import { DEFAULT_STORE } from '../../config/work-places.ts'
import { readFileText } from '../../files/open-file.ts'
import { specProblem } from '../../kernel/model-spec.ts'
import { defined, isObject, parseJson } from '../../protocol/index.ts'
import { wrapProse } from '../../views/text-width.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { askText, askYesNo, canAsk, tell } from '../confirm.ts'
import { EXIT_STOPPED } from '../exit-code.ts'
import {
  APPROVING,
  type Approving,
  CONFIG_FORMATS,
  type ConfigFormat,
  configText,
  configValue,
  type NewConfig,
} from '../init/config-text.ts'
import { type ModelOffer, modelOffers } from '../init/model-offers.ts'
import { type InitWords, initWords } from '../init/words.ts'
import { localeLang } from '../locale.ts'
import { badInput, langOption, oneOfOption } from '../options.ts'
import type { Output } from '../output.ts'
import { isFolder, MEMORY } from '../setting.ts'

/** Writes a configuration: what flags don't say is asked on a terminal, and otherwise detected or left at its default. */
export const init: CommandRun = async ({ values, out }) => {
  const lang = langOption(values) ?? localeLang()
  const words = initWords(lang)
  out.lang = lang
  const folder = resolve(textOption(values, 'workspace') ?? '.')
  if (!isFolder(folder)) throw badInput(words.notFolder(folder))
  const asks = canAsk() && !out.json && values.yes !== true
  const given = givenConfig(values)
  const format = formatOf(values, folder)
  const file = await fileToWrite(folder, format, { isForced: values.force === true, asks, words })
  if (file === null) return nothingWritten(out, words)
  const offers = given.model === undefined ? await modelOffers(process.env, words) : []
  const answers = asks
    ? await askConfig(given, offers, words)
    : { ...defined({ model: offers[0]?.spec }), ...given }
  if (answers === null) return nothingWritten(out, words, EXIT_STOPPED)
  const config = configValue(answers)
  writeFileSync(join(folder, file), configText(config, format, isInstalled(folder)))
  const ignored = ignoreStore(folder, answers.store ?? DEFAULT_STORE)
  const next = nextSteps(answers, words)
  if (out.json) out.data({ type: 'init', folder, file, config, gitignore: ignored, next })
  else {
    out.print(words.written(file))
    if (ignored !== null) out.print(words.written(`.gitignore (${ignored})`))
    const said = ['', ...next].join('\n')
    out.print(out.live ? wrapProse(said, out.width() - 1) : said)
  }
  return 0
}

function givenConfig(values: Values): NewConfig {
  const model = textOption(values, 'model')
  const problem = model === undefined ? undefined : modelProblem(model)
  if (problem !== undefined) throw badInput(`--model "${model}" ${problem}`)
  const store = textOption(values, 'store')
  if (store === '') throw badInput('--store is empty: give a file')
  return defined({ model, store, approval: oneOfOption(values, 'approval', APPROVING) })
}

function modelProblem(spec: string): string | undefined {
  return spec
    .split(/,(?=\w+:)/)
    .map((one) => specProblem(one.trim()))
    .find((problem) => problem !== undefined)
}

function formatOf(values: Values, folder: string): ConfigFormat {
  const detected = existsSync(join(folder, 'tsconfig.json')) ? 'ts' : 'json'
  return oneOfOption(values, 'format', CONFIG_FORMATS) ?? detected
}

function nothingWritten(out: Output, words: InitWords, code = 0): number {
  out.remark(words.nothing)
  return code
}

/** What is there is never overwritten unasked; two configurations would be an error. Null if it shall stay. */
async function fileToWrite(
  folder: string,
  format: ConfigFormat,
  { isForced, asks, words }: { isForced: boolean; asks: boolean; words: InitWords },
): Promise<string | null> {
  const wanted = `thinkon.config.${format}`
  const there = CONFIG_FILES.find((name) => existsSync(join(folder, name)))
  if (there === undefined && !isInPackage(folder)) return wanted
  if (there !== wanted) throw badInput(words.otherConfig(there ?? words.inPackage(PACKAGE)))
  if (isForced) return wanted
  if (!asks) throw badInput(words.exists(wanted))
  return (await askYesNo(words.overwrite(wanted))) === 'yes' ? wanted : null
}

function isInPackage(folder: string): boolean {
  const path = join(folder, PACKAGE)
  const value = existsSync(path) ? parseJson(readFileText(path)) : undefined
  return isObject(value) && value.thinkon !== undefined
}

/** Null if the person left. */
async function askConfig(
  given: NewConfig,
  offers: readonly ModelOffer[],
  words: InitWords,
): Promise<NewConfig | null> {
  const model = given.model ?? (await askModel(offers, words))
  if (model === null) return null
  const store = given.store ?? (await askText(words.whereRuns(DEFAULT_STORE), () => undefined))
  if (store === null) return null
  const approval = given.approval ?? (await askApproval(words))
  if (approval === null) return null
  return {
    ...(model !== '' && { model }),
    ...(store !== '' && store !== DEFAULT_STORE && { store }),
    approval,
  }
}

async function askModel(offers: readonly ModelOffer[], words: InitWords): Promise<string | null> {
  for (const [i, { spec, why }] of offers.entries()) tell(`  ${i + 1} ${spec} (${why})`)
  if (offers.length === 0) tell(`  ${words.noOffers}`)
  const [first] = offers
  const hint = first === undefined ? words.later : `1: ${first.spec}`
  const chosen = (text: string) =>
    text === '' ? (first?.spec ?? '') : (offers[Number(text) - 1]?.spec ?? text)
  const answer = await askText(words.which(hint), (text) => {
    const spec = chosen(text)
    const problem = spec === '' ? undefined : modelProblem(spec)
    return problem === undefined ? undefined : `"${spec}" ${problem}`
  })
  return answer === null ? null : chosen(answer)
}

async function askApproval(words: InitWords): Promise<Approving | null> {
  for (const [i, [name, what]] of words.approvals.entries()) tell(`  ${i + 1} ${name.padEnd(9)}  ${what}`)
  const chosen = (text: string) =>
    text === '' ? APPROVING[0] : (APPROVING[Number(text) - 1] ?? APPROVING.find((name) => name === text))
  const answer = await askText(words.whichApproval, (text) =>
    chosen(text) === undefined ? words.noApproval(text, APPROVING) : undefined,
  )
  return answer === null ? null : (chosen(answer) as Approving)
}

function isInstalled(folder: string): boolean {
  try {
    createRequire(join(folder, 'x.js')).resolve('thinkon/package.json')
    return true
  } catch {
    return false
  }
}

/** The line that was added to .gitignore; null if there is no need. */
function ignoreStore(folder: string, store: string): string | null {
  const path = join(folder, '.gitignore')
  const inside = relative(folder, resolve(folder, store))
  if (store === MEMORY || inside.startsWith('..')) return null
  if (!existsSync(path) && !existsSync(join(folder, '.git'))) return null
  const line = store === DEFAULT_STORE ? '.thinkon/' : `${inside}*`
  const text = existsSync(path) ? readFileText(path) : ''
  if (
    text
      .split(/\r?\n/)
      .some((one) => one.trim().replace(/^\//, '').replace(/\/$/, '') === line.replace(/\/$/, ''))
  )
    return null
  writeFileSync(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`)
  return line
}

function nextSteps({ model }: NewConfig, words: InitWords): string[] {
  return [...(model === undefined ? [words.noModel] : []), ...words.next]
}
