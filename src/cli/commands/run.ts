import { type Core4, core4Problem, type Goal, languageOf } from '../../protocol/index.ts'
import { goalWithFiles } from '../../tools/given-files.ts'
import type { Lang } from '../../views/words.ts'
import { type CommandRun, textOption } from '../command.ts'
import { driveRun } from '../drive-run.ts'
import { givenFiles } from '../file-option.ts'
import { localeLang } from '../locale.ts'
import { badInput, budgetOptions, checkStrategy, langOption, strategyOptions } from '../options.ts'
import { remark } from '../output.ts'
import { outputOption } from '../output-option.ts'
import { langFor, openSession } from '../session.ts'
import { prepareStore, readSetting } from '../setting.ts'

export const run: CommandRun = async ({ values, args, out, strategies }) => {
  langOption(values)
  const strategy = textOption(values, 'strategy')
  const start = {
    budget: budgetOptions(values),
    ...(await outputOption(values)),
    options: strategyOptions(values, strategies.get(strategy ?? '')?.flags),
    ...(strategy === undefined ? {} : { strategy }),
  }
  // Before stdin is read: a person may be asked to trust the configuration.
  const setting = await readSetting(values)
  const text = args[0] === '-' ? await readGoal(langOption(values) ?? localeLang()) : (args[0] as string)
  // Checked before the store's folder is made: a wrong call leaves nothing behind.
  out.lang = langOption(values) ?? setting.loaded.config.lang ?? languageOf(text.slice(0, 1_000))
  const goal = goalOf(text)
  if (text.trim() === '') throw badInput('the goal is empty: say what you want done')
  const named = strategy ?? setting.loaded.config.strategy ?? process.env.THINKON_STRATEGY
  if (named) checkStrategy(named, setting.strategies)
  prepareStore(setting)
  const session = await openSession(values)
  const { config, approval, workspace } = session
  const { options, routes, fallbacks } = config
  const whole = goalWithFiles(goal, await givenFiles(values, workspace))
  const configured = {
    ...(named && { strategy: named }),
    ...start,
    ...(options && { strategyOptions: options }),
    ...(routes && { routes }),
    ...(fallbacks && { fallbacks }),
    budget: { ...config.budget, ...start.budget },
  }
  try {
    return await driveRun({
      out,
      session,
      lang: langFor(values, session, goal),
      yes: values.yes === true,
      quiet: values.quiet === true,
      begin: (listening) => session.engine.start(whole, { ...configured, workspace, approval, ...listening }),
    })
  } finally {
    await session.engine.close()
  }
}

/** The text of a JSON object is a goal in four parts; anything else is a plain text. */
function goalOf(text: string): Goal {
  if (!text.trimStart().startsWith('{')) return text
  let value: object
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  const problem = core4Problem(value)
  if (problem === null) return value as Core4
  throw badInput(`a goal as JSON has the four parts intent, deliverable, metric, constraint: ${problem}`)
}

/** Far above the engine's limit, whose error names the real maximum. */
const MAX_READ_BYTES = 16 * 1024 * 1024

async function readGoal(lang: Lang): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) remark(lang === 'zh' ? '请输入目标，再按 Ctrl-D：' : 'type the goal, then Ctrl-D:')
  const chunks: Buffer[] = []
  let bytes = 0
  // By events: a question on the terminal has left stdin paused, and an iteration would not resume it.
  await new Promise((resolve, reject) => {
    stdin.on('end', resolve).on('error', reject)
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_READ_BYTES) resolve(stdin.pause())
    })
    stdin.resume()
  })
  return Buffer.concat(chunks).toString('utf8')
}
