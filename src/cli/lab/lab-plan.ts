/** From the command line to the plan of a lab. */
import { existsSync } from 'node:fs'
import type { Setting as LabSetting, Plan } from '../../lab/plan.ts'
import { readTasks } from '../../lab/tasks/read-tasks.ts'
import { shippedTasks, TASK_SETS } from '../../lab/tasks/shipped-tasks.ts'
import { SPLITS, type Task } from '../../lab/tasks/task.ts'
import type { Limits } from '../../protocol/index.ts'
import type { Strategies } from '../../strategies/registry.ts'
import { textOption, type Values } from '../command.ts'
import {
  amount,
  badInput,
  checkStrategy,
  duration,
  meant,
  oneOfOption,
  strategyOptions,
  wholeNumber,
} from '../options.ts'

export interface Given {
  readonly strategies: Strategies
  readonly models: readonly string[]
  /** Of each run, from the configuration. */
  readonly budget: Partial<Limits>
}

const SETTINGS = ['best-of samples=1', 'best-of', 'tot', 'fractal']
const TASKS = ['expressions']
const COUNT = 24

export function labPlan(values: Values, { strategies, models, budget }: Given): Plan {
  const settings = listOption(values, 'strategy', SETTINGS).map((text) => settingOf(text, strategies))
  const seed = textOption(values, 'seed') ?? '1'
  const tasks = listOption(values, 'task', TASKS).flatMap((text) => tasksOf(text, seed, values))
  for (const [what, names] of [
    ['strategy', settings.map(({ name }) => name)],
    ['model', models],
    ['task', tasks.map(({ id }) => id)],
  ] as const) {
    const twice = names.find((name, i) => names.indexOf(name) !== i)
    if (twice !== undefined) throw badInput(`the ${what} "${twice}" is there twice`)
  }
  if (tasks.some(({ check }) => 'program' in check) && values.programs !== true)
    throw badInput('these tasks are checked by programs, which run with your rights: --programs permits it')
  return {
    seed,
    settings,
    models,
    tasks,
    repeats: wholeOption(values, 'repeat', 1),
    limits: { ...budget, ...limitsOfEach(values) },
    judge: textOption(values, 'judge') ?? (models[0] as string),
  }
}

/** "tot beam=3" */
function settingOf(text: string, strategies: Strategies): LabSetting {
  const { name, options } = named(text)
  checkStrategy(name, strategies)
  return { name: text.trim().replace(/\s+/g, ' '), strategy: name, options }
}

/** A set that ships, as "expressions depth=6", or a file. */
function tasksOf(text: string, seed: string, values: Values): Task[] {
  const { name, options } = named(text)
  if (!(name in TASK_SETS)) {
    if (existsSync(text)) return readTasks(text)
    const names = Object.keys(TASK_SETS)
    throw badInput(
      `there is no file and no set of tasks "${text}"${meant(name, names) || `; sets: ${names.join(', ')}`}`,
    )
  }
  const split = oneOfOption(values, 'split', SPLITS) ?? 'held-out'
  return shippedTasks({ set: name, options, count: wholeOption(values, 'count', COUNT), seed, split })
}

function named(text: string): { name: string; options: Record<string, unknown> } {
  const [name = '', ...option] = text.trim().split(/\s+/)
  const wrong = option.find((given) => given.indexOf('=') < 1)
  if (wrong !== undefined) throw badInput(`"${text}": an option must be key=value, not "${wrong}"`)
  return { name, options: strategyOptions({ option }) }
}

function limitsOfEach(values: Values): Partial<Limits> {
  const text = (name: string) => textOption(values, name)
  const [depth, calls, tokens] = [text('max-depth'), text('max-calls-each'), text('max-tokens-each')]
  const [time, cost] = [text('max-time-each'), text('max-cost-each')]
  return {
    ...(depth !== undefined && { depth: wholeNumber('--max-depth', depth) }),
    ...(calls !== undefined && { calls: wholeNumber('--max-calls-each', calls) }),
    ...(tokens !== undefined && { tokens: wholeNumber('--max-tokens-each', tokens) }),
    ...(time !== undefined && { timeMs: duration('--max-time-each', time) }),
    ...(cost !== undefined && { costUsd: amount('--max-cost-each', cost) }),
  }
}

export function wholeOption(values: Values, name: string, otherwise: number): number {
  const given = textOption(values, name)
  return given === undefined ? otherwise : wholeNumber(`--${name}`, given, 1)
}

export function listOption(values: Values, name: string, otherwise: readonly string[]): readonly string[] {
  const given = (values[name] ?? []) as readonly string[]
  return given.length === 0 ? otherwise : given
}
