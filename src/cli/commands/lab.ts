import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Engine } from '../../engine.ts'
import { replaceFile } from '../../files/private-files.ts'
import { PERSON } from '../../kernel/model-spec.ts'
import { labPicture } from '../../lab/picture.ts'
import { cellsOf, type Plan } from '../../lab/plan.ts'
import { openResults, type ResultsFile } from '../../lab/results-file.ts'
import { runLab } from '../../lab/run-lab.ts'
import type { LabLimit } from '../../lab/sitting.ts'
import { MEASURES, tableOf } from '../../lab/table.ts'
import { cellText, tableText } from '../../lab/table-text.ts'
import { EXIT_CODES } from '../../protocol/index.ts'
import type { Strategies } from '../../strategies/registry.ts'
import { durationText } from '../../views/figures.ts'
import type { LabResult } from '../../views/lab-results.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { labPlan, listOption, wholeOption } from '../lab/lab-plan.ts'
import { labCommandWords } from '../lab/lab-words.ts'
import { timeLeft } from '../lab/time-left.ts'
import { localeLang } from '../locale.ts'
import { longWork } from '../long-work.ts'
import { badInput, budgetOptions, langOption, oneOfOption } from '../options.ts'
import type { Output } from '../output.ts'
import { engineOn, quote, workOptions } from '../session.ts'
import { prepareStore, readSetting, type Setting } from '../setting.ts'

const RESULTS = 'thinkon-lab.jsonl'

export const lab: CommandRun = async ({ values, out }) => {
  const lang = langOption(values) ?? localeLang()
  out.lang = lang
  const words = labCommandWords(lang)
  const setting = await readSetting(values)
  if (setting.cluster !== null) throw badInput('a lab runs in this process: leave --host out')
  const engines = enginesOf(values, setting)
  const models = await Promise.all(listOption(values, 'model', ['']).map(engines.specOf))
  const { strategies, loaded } = setting
  if (models.includes(PERSON)) throw badInput(`a lab asks nobody: it can't have the model "${PERSON}"`)
  if (textOption(values, 'judge') === PERSON) throw badInput(`a lab asks nobody: "${PERSON}" can't judge`)
  const plan = labPlan(values, { strategies, models, budget: loaded.config.budget ?? {} })
  const against = oneOfOption(values, 'against', MEASURES)
  const { depth: _, ...limits } = budgetOptions({ ...values, 'max-depth': undefined })
  const concurrency = wholeOption(values, 'concurrency', 4)
  const results = resolve(textOption(values, 'out') ?? RESULTS)
  for (const path of [results, pictureOf(values, results)])
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw badInput(`${path} is a folder: give a file`)
  prepareStore(setting)
  await checkParts(plan, strategies, engines)
  const file = openResults(results, plan, values.force === true)
  const total = cellsOf(plan).length * plan.tasks.length * plan.repeats
  announce(plan, file, total, out)

  let limit: LabLimit | null = null
  const code = await longWork(out, 'lab', async ({ signal, progress }) => {
    const left = timeLeft(plan, file.results, concurrency)
    const onResult = (result: LabResult) => {
      if (out.json) out.data(result)
      const text = words.progress(file.results.length, total, left(result))
      progress(text)
      if (process.stderr.isTTY !== true && isTenth(file.results.length, total)) out.remark(text)
    }
    try {
      limit = await runLab({ plan, file, limits, concurrency, signal, engineOf: engines.engineOf, onResult })
    } finally {
      await engines.close()
    }
    return limit === null ? 0 : EXIT_CODES.partial
  }).catch((thrown) => {
    out.remark(words.goOn(sameCommand()))
    throw thrown
  })
  const done = file.results.length
  if (code !== 0 && limit === null) {
    out.remark(words.stoppedAt(done, total))
    out.remark(words.goOn(sameCommand()))
    return code
  }
  show(values, plan, file, out, against)
  if (limit !== null) {
    out.remark(words.limit(limit, done, total))
    out.remark(words.raise(limit, sameCommand()))
  }
  return code
}

function pictureOf(values: Values, results: string): string {
  return resolve(textOption(values, 'picture') ?? `${results.replace(/\.jsonl$/, '')}.svg`)
}

/** Before the results of another lab are overwritten: the options of its strategies are right, and its models can be opened. */
async function checkParts(
  { settings, models, tasks, judge }: Plan,
  strategies: Strategies,
  engines: ReturnType<typeof enginesOf>,
): Promise<void> {
  for (const { strategy, options } of settings) (await strategies.get(strategy)?.load())?.options(options)
  const judges = tasks.some(({ check }) => 'judge' in check) ? [judge] : []
  try {
    for (const model of [...models, ...judges]) await (await engines.engineOf(model)).list({ limit: 1 })
  } catch (thrown) {
    await engines.close()
    throw thrown
  }
}

function announce(plan: Plan, file: ResultsFile, total: number, out: Output): void {
  const words = labCommandWords(out.lang)
  const { settings, models, tasks } = plan
  const done = file.results.length
  out.remark(words.begins(total, settings.length, models.length, tasks.length * plan.repeats, file.path))
  if (done === total) out.remark(words.complete(file.path))
  else if (done > 0) out.remark(words.goesOn(done, total))
}

/** The table is the same for the same seed; how long it took is not, and is said apart. */
function show(
  values: Values,
  plan: Plan,
  file: ResultsFile,
  out: Output,
  against: (typeof MEASURES)[number] | undefined,
): void {
  const table = tableOf(plan, file.results, against)
  const picture = pictureOf(values, file.path)
  replaceFile(picture, `${labPicture(table, out.lang)}\n`)
  const times = cellsOf(plan).map(({ setting, model }) => {
    const own = file.results.filter((one) => one.setting === setting.name && one.model === model)
    const timeMs = own.reduce((sum, one) => sum + one.timeMs, 0) / Math.max(1, own.length)
    return { setting: setting.name, model, timeMs: Math.round(timeMs) }
  })
  if (out.json) {
    out.data({ type: 'table', ...table })
    out.data({ type: 'times', rows: times, results: file.path, picture })
    return
  }
  const words = labCommandWords(out.lang)
  out.print(tableText(table, out.lang))
  const hasModels = plan.models.length > 1
  const shown = times.map((one) => words.time(cellText(one, hasModels), timeText(one.timeMs)))
  out.remark(words.times(shown))
  const refused = file.results.filter(({ run }) => run === null)
  if (refused.length > 0) out.remark(words.refused(refused.length, refused[0]?.why ?? ''))
  out.remark(words.picture(picture))
}

/** An engine for each model, without tools: a lab compares ways of reasoning, and its runs work side by side. */
function enginesOf(values: Values, setting: Setting) {
  const engines = new Map<string, Promise<Engine>>()
  const optionsOf = (model: string) =>
    workOptions({ ...values, model: model === '' ? undefined : model }, setting)
  return {
    specOf: async (model: string) => (await optionsOf(model)).chosen.spec,
    engineOf(model: string): Promise<Engine> {
      const known = engines.get(model)
      if (known !== undefined) return known
      const opened = optionsOf(model).then(({ options: { tools: _, ...options } }) =>
        engineOn(setting, options),
      )
      engines.set(model, opened)
      return opened
    },
    async close() {
      for (const engine of engines.values()) await (await engine).close()
    },
  }
}

function timeText(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : durationText(ms)
}

/** Once for each tenth of the way. */
function isTenth(done: number, of: number): boolean {
  return Math.floor((10 * done) / of) > Math.floor((10 * (done - 1)) / of)
}

/** The same command again goes on: it finds its results. */
function sameCommand(): string {
  const words = process.argv.slice(2).filter((word) => word !== '--force')
  return `thinkon ${words.map(quote).join(' ')}`
}
