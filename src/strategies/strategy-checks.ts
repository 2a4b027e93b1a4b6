/** What a strategy must be that somebody gives: an object that solves, or a module that loads one. */
import {
  anyText,
  anything,
  type Check,
  either,
  type Fields,
  fields,
  flag,
  func,
  list,
  must,
  record,
  text,
  whole,
} from '../protocol/check-arguments.ts'
import { isObject } from '../protocol/json.ts'
import type { StrategyModule } from './strategy-module.ts'

export const strategyName: Check = must(
  'a name in lower-case letters, digits and hyphens',
  (value) => typeof value === 'string' && /^[a-z][a-z0-9-]*$/.test(value),
)

const descriptionFields: Omit<Fields<StrategyModule>, 'load'> = {
  name: strategyName,
  version: whole(0),
  summary: anyText,
  flags: record(anything, 'flags and options'),
  signals: list(text, 'names of signals'),
  targets: record(anything, 'flags and texts'),
  view: func(),
  embedded: func(),
}
const descriptionNeeds = {
  name: 'what it is chosen by',
  version: 'a number, raised when a block that the old code began can not be resumed by the new',
}

const program = fields(
  { name: text, run: func() },
  { needs: { name: 'its name', run: 'what it does' }, open: true },
)

const solverFields = {
  options: func(),
  solve: func(),
  limits: func(),
  maxRepeats: func(),
  calls: func(),
  withoutModel: flag,
  programs: list(program, 'programs'),
}
const solverNeeds = {
  options: 'the function that checks its options and fills in defaults',
  solve: 'the function that solves a block',
}

/** What `load` of a module gives. */
export const solver: Check = fields(solverFields, { needs: solverNeeds, open: true })

/** Instances of classes have fields of their own. */
export const strategyObject: Check = fields(
  { ...descriptionFields, ...solverFields },
  { needs: { ...descriptionNeeds, ...solverNeeds }, open: true },
)

const strategyModule = fields({ ...descriptionFields, load: func() }, { needs: descriptionNeeds, open: true })

export const givenStrategy: Check = either(
  'a strategy: an object with a name, a version, and load() or solve()',
  [(value) => isObject(value) && 'load' in value, strategyModule],
  [isObject, strategyObject],
)
