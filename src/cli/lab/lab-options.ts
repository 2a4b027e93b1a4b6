/** The options of `thinkon lab`. */
import { MEASURES } from '../../lab/table.ts'
import { SPLITS } from '../../lab/tasks/task.ts'
import type { OptionSpecs } from '../command.ts'
import { LIMIT_OPTIONS, WORK_OPTIONS } from '../options.ts'

const { 'max-depth': depth, ...WHOLE } = LIMIT_OPTIONS as Required<typeof LIMIT_OPTIONS>

const plain = (help: string) => help.replace(/ \([^)]*\)$/, '')

export const LAB_OPTIONS: OptionSpecs = {
  task: {
    type: 'string',
    multiple: true,
    value: '<set|file>',
    help: 'tasks: expressions, puzzles, words, logic, with options as in "expressions depth=6", or a file; may be repeated (expressions)',
  },
  strategy: {
    type: 'string',
    multiple: true,
    value: '<name …>',
    help: 'a strategy with options, as in "tot beam=3"; may be repeated; the others are compared with the first',
  },
  model: { ...WORK_OPTIONS.model, type: 'string', multiple: true, help: 'a model; may be repeated' },
  seed: {
    type: 'string',
    value: '<text>',
    help: 'the same seed gives the same tasks and the same table (1)',
  },
  count: { type: 'string', value: '<n>', help: 'tasks of each set that ships (24)' },
  split: {
    type: 'string',
    value: SPLITS.join('|'),
    help: 'tasks that nothing was trained or tuned on, or the others (held-out)',
  },
  repeat: { type: 'string', value: '<n>', help: 'runs of each task with each setting (1)' },
  judge: {
    type: 'string',
    value: '<spec>',
    help: 'the model that judges, where a task asks for it (the first model)',
  },
  programs: { type: 'boolean', help: 'let tasks be checked by the programs that their file names' },
  out: {
    type: 'string',
    short: 'o',
    value: '<file>',
    help: 'the results, as JSON Lines (thinkon-lab.jsonl)',
  },
  picture: { type: 'string', value: '<file>', help: 'the picture, as SVG (beside the results)' },
  against: {
    type: 'string',
    value: MEASURES.join('|'),
    help: 'what quality is weighed against (cost if there is any, otherwise tokens)',
  },
  concurrency: { type: 'string', value: '<n>', help: 'runs at once (4)' },
  force: { type: 'boolean', help: 'begin anew: overwrite the results' },
  ...Object.fromEntries(
    Object.entries(WHOLE).map(([name, option]) => [
      name,
      { ...option, help: `of the whole lab: ${plain(option.help)}` },
    ]),
  ),
  'max-depth': { ...depth, type: 'string', help: 'of each run: levels below the root (8)' },
  ...Object.fromEntries(
    Object.entries(WHOLE).map(([name, option]) => [
      `${name}-each`,
      { ...option, help: `of each run: ${option.help}` },
    ]),
  ),
}
