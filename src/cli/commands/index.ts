/** The list of commands. */

import { STANDINGS } from '../../protocol/index.ts'
import type { Strategies } from '../../strategies/registry.ts'
import { FORMATS } from '../../views/format-names.ts'
import type { Command, OptionSpec, OptionSpecs } from '../command.ts'
import { SHELLS } from '../completion/shell-scripts.ts'
import { APPROVING, CONFIG_FORMATS } from '../init/config-text.ts'
import { LAB_OPTIONS } from '../lab/lab-options.ts'
import {
  BASIC_OPTIONS,
  LIMIT_OPTIONS,
  RAISE_OPTIONS,
  RESUME_OPTIONS,
  START_OPTIONS,
  WORK_OPTIONS,
} from '../options.ts'
import { BACKUP } from './backup-command.ts'
import { DOCTOR } from './doctor-command.ts'
import { SERVING } from './serving.ts'

const MESSAGE: OptionSpecs = {
  message: { type: 'string', short: 'm', value: '<text>', help: 'the message to the block, or the reason' },
}

const LIMIT_HELP = 'at most <n>; 0: all (50 on a terminal, otherwise all)'
const LIMIT: OptionSpec = { type: 'string', value: '<n>', help: LIMIT_HELP }

const STATUS_HELP = `only runs with this status; several with commas: ${STANDINGS.join(', ')}`
const STATUS: OptionSpec = { type: 'string', value: '<status>', values: STANDINGS, help: STATUS_HELP }

const UNASKED: OptionSpec = { type: 'boolean', short: 'y', help: 'do not ask' }

/** What the strategies offer to steer inside a block. */
function targetOptions(strategies: Strategies): OptionSpecs {
  const targets = [...strategies.values()].flatMap(({ targets = {} }) => Object.entries(targets))
  return Object.fromEntries(targets.map(([flag, target]) => [flag, { type: 'string', ...target }]))
}

const table = (targets: OptionSpecs): readonly Command[] => [
  {
    name: 'run',
    usage: '"<goal>"',
    takes: [1, 1],
    summary: 'solves a goal',
    details: [
      '"-" reads the goal from stdin. A goal may be JSON: {"intent":…,"deliverable":…,"metric":…,"constraint":…}.',
      'On a terminal the tree is drawn live; in a pipe there is a line for each noteworthy event;',
      'with --json the events come as NDJSON, the outcome as the last line.',
      'Ctrl-C stops the run, and thinkon resume continues it; thinkon cancel ends a run for good.',
      'Tools may read without asking, and ask for permission for anything else; if nobody can be asked, it is denied.',
      'The configuration (thinkon.config.ts or .json) sets what is allowed, the models, and more; thinkon doctor shows',
      'what is in effect.',
    ],
    options: { ...START_OPTIONS, ...LIMIT_OPTIONS, ...BASIC_OPTIONS },
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'resume',
    usage: '<run>',
    takes: [1, 1],
    summary: 'resumes a run that was stopped or killed, or waits for its model',
    details: [
      'Completed work is not repeated. The model is the one the run used last, unless --model is given.',
    ],
    options: { ...RESUME_OPTIONS, ...RAISE_OPTIONS, ...WORK_OPTIONS, ...BASIC_OPTIONS },
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'list',
    usage: '',
    takes: [0, 0],
    summary: 'lists the runs, newest first',
    options: {
      limit: LIMIT,
      status: STATUS,
      search: { type: 'string', value: '<text>', help: 'only runs with this text in their goal or id' },
      ...BASIC_OPTIONS,
    },
    untrusted: 'defaults',
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'show',
    usage: '<run>',
    takes: [1, 1],
    summary: 'draws the tree of a run and its result',
    details: [
      '[ ] not started  [-] running  [?] asks a person  [x] completed  [~] partial  [/] skipped  [!] failed or cancelled',
    ],
    options: {
      watch: { type: 'boolean', short: 'w', help: 'redraw until the run ends' },
      lines: {
        type: 'string',
        value: '<n>',
        help: 'maximum lines of the tree; larger trees are folded (200)',
      },
      audit: {
        type: 'boolean',
        help: 'instead of the tree: requests, replies and results, block by block',
      },
      format: {
        type: 'string',
        value: '<format>',
        values: FORMATS,
        help: `instead of the tree: ${FORMATS.join(', ')}, or a format of the strategy`,
      },
      path: { type: 'string', value: '<path>', help: 'with --audit or --format: only this block' },
      full: { type: 'boolean', help: 'with --audit: shorten nothing' },
      ...BASIC_OPTIONS,
    },
    untrusted: 'defaults',
    load: async () => (await import('./show.ts')).show,
  },
  {
    name: 'events',
    usage: '<run>',
    takes: [1, 1],
    summary: 'prints the journal of a run',
    options: {
      from: { type: 'string', value: '<seq>', help: 'the first event (1)' },
      follow: { type: 'boolean', short: 'f', help: 'print new events until the run ends' },
      messages: {
        type: 'boolean',
        help: 'only the messages between agents, for strategies that have them (tot)',
      },
      ...BASIC_OPTIONS,
    },
    untrusted: 'defaults',
    load: async () => (await import('./events.ts')).events,
  },
  {
    name: 'trace',
    usage: '<run>',
    takes: [1, 1],
    summary: 'prints the OpenTelemetry trace of a run, or sends it',
    details: [
      'As OTLP in JSON: spans for the run, its blocks, model calls and tool calls. The same run always gives the same ids.',
      'OTEL_EXPORTER_OTLP_ENDPOINT or telemetry in the configuration names the receiver; with either of them, runs are also sent as they go on.',
    ],
    options: {
      send: { type: 'boolean', help: 'send it to the configured receiver instead' },
      content: {
        type: 'boolean',
        help: 'also what was said: prompts, replies, goals, input and results of tools',
      },
      ...BASIC_OPTIONS,
    },
    untrusted: 'defaults',
    load: async () => (await import('./trace.ts')).trace,
  },
  {
    name: 'replay',
    usage: '<run>',
    takes: [1, 1],
    summary: 'executes a run again from its journal, calling nothing; fails if it differs',
    options: BASIC_OPTIONS,
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'fork',
    usage: '<run> --at <seq>',
    takes: [1, 1],
    summary: 'makes a new run that shares the journal up to an event',
    details: [
      'Files and other side effects are not rolled back.',
      'A prompt is edited at its model-start, as --with \'{"request":{"messages":[{"role":"user","content":"…"}]}}\', or in a file with the',
      'whole event (thinkon events last --from 42 --json | head -1 > prompt.json). "settings" can be edited, too; nothing else of a request.',
    ],
    options: {
      at: { type: 'string', value: '<seq>', help: 'the last shared event' },
      with: {
        type: 'string',
        value: '<file>',
        help: 'fields to change in that event, as JSON or in a file; "value" is its result, "request" a prompt',
      },
      resume: { type: 'boolean', help: 'resume the new run at once' },
      ...RESUME_OPTIONS,
      ...RAISE_OPTIONS,
      ...WORK_OPTIONS,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./fork.ts')).fork,
  },
  {
    name: 'skip',
    usage: '<run> <path>',
    takes: [1, 2],
    summary: 'ends a block now, with what it has; its parent continues',
    options: { ...MESSAGE, ...targets, ...BASIC_OPTIONS },
    load: async () => (await import('./steer.ts')).skip,
  },
  {
    name: 'redo',
    usage: '<run> <path>',
    takes: [1, 2],
    summary: 'solves a block again; if the run has ended, in a fork of it',
    options: {
      ...MESSAGE,
      ...targets,
      resume: { type: 'boolean', help: 'resume the fork at once' },
      ...RESUME_OPTIONS,
      ...RAISE_OPTIONS,
      ...WORK_OPTIONS,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./redo.ts')).redo,
  },
  {
    name: 'message',
    usage: '<run> <path>',
    takes: [2, 3],
    summary: 'sends a message to a block, which reads it before its next step',
    options: { ...MESSAGE, ...BASIC_OPTIONS },
    load: async () => (await import('./steer.ts')).message,
  },
  {
    name: 'answer',
    usage: '<run> [<question>] <answer>',
    takes: [2, 3],
    summary: 'answers an open question, by its number',
    options: BASIC_OPTIONS,
    load: async () => (await import('./answer.ts')).answer,
  },
  {
    name: 'questions',
    usage: '[<run>]',
    takes: [0, 1],
    summary: 'lists the open questions of all runs, oldest first',
    options: {
      whole: { type: 'boolean', help: 'all of each question, and of each call that asks for permission' },
      limit: LIMIT,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./questions.ts')).questions,
  },
  {
    name: 'cancel',
    usage: '<run>',
    takes: [1, 1],
    summary: 'ends a run for good, with what it has',
    options: { ...MESSAGE, ...BASIC_OPTIONS },
    load: async () => (await import('./cancel.ts')).cancel,
  },
  {
    name: 'lab',
    usage: '',
    takes: [0, 0],
    summary: 'compares strategies, settings and models on tasks: a table and a picture',
    details: [
      'A file of tasks has a line for each: {"goal": "…", "check": {"exact": "…"}}; other checks: numeric, regex, schema, program, judge.',
      'The first strategy is what the others are compared with; best-of samples=1 asks the model once.',
      'Results are written as they come. The same command again goes on after Ctrl-C, a kill or a limit, and gives the same table.',
      'Runs have no tools, and nobody is asked anything.',
    ],
    options: { ...LAB_OPTIONS, ...BASIC_OPTIONS },
    load: async () => (await import('./lab.ts')).lab,
  },
  {
    name: 'delete',
    usage: '<run>…',
    takes: [1, 1_000],
    summary: 'deletes runs and frees what only they needed',
    details: [
      'A run that a process works on is refused. Forks of a deleted run stay whole; files in the workspace stay as they are.',
      'On a terminal you are asked first. Freed space is used by later runs; thinkon prune --vacuum makes the file smaller.',
    ],
    options: { yes: UNASKED, ...BASIC_OPTIONS },
    load: async () => (await import('./delete.ts')).deleteRuns,
  },
  {
    name: 'prune',
    usage: '--older-than <age> | --keep <n>',
    takes: [0, 0],
    summary: 'deletes old runs that have ended',
    details: ['With both, the newest runs stay, however old. A run that a process works on always stays.'],
    options: {
      'older-than': {
        type: 'string',
        value: '<age>',
        help: 'only runs in which nothing has happened for so long: 30d, 2w, 12h, 90m',
      },
      keep: { type: 'string', value: '<n>', help: 'the newest so many stay' },
      status: { ...STATUS, help: 'only runs with this status; several with commas (all that have ended)' },
      'dry-run': { type: 'boolean', help: 'only list what would be deleted' },
      vacuum: { type: 'boolean', help: "make the store's file smaller, while nobody works on a run" },
      yes: UNASKED,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./prune.ts')).prune,
  },
  BACKUP,
  {
    name: 'export',
    usage: '<run> [file]',
    takes: [1, 2],
    summary: 'writes a run to one file, to be imported elsewhere or shown to somebody',
    details: [
      'The file has everything that showing, replaying, resuming and forking the run needs. "-" writes to stdout.',
      'Without a file: thinkon-<run>.jsonl in the current folder.',
      '--html writes a web page instead, to stdout unless a file is given: one file that shows the run as Studio does, without a service.',
      'A run under way is exported as it is so far. Both have everything that the run was told and has said.',
    ],
    options: {
      html: { type: 'boolean', help: 'a web page that shows the run; any browser opens it from disk' },
      out: { type: 'string', short: 'o', value: '<file>', help: 'where it is written; "-" is stdout' },
      force: { type: 'boolean', help: 'overwrite the file' },
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./export.ts')).exportRun,
  },
  {
    name: 'import',
    usage: '<file>',
    takes: [1, 1],
    summary: 'adds a run from a file of thinkon export',
    details: [
      '"-" reads from stdin. A file that is not whole is refused, and nothing is written.',
      'A resume of a run that was not started here says what it would do, and asks (--trust: does not ask).',
    ],
    options: { as: { type: 'string', value: '<id>', help: "the run's new id" }, ...BASIC_OPTIONS },
    load: async () => (await import('./import.ts')).importRun,
  },
  {
    name: 'init',
    usage: '',
    takes: [0, 0],
    summary: 'writes a configuration for this folder',
    details: [
      'Asks for the model, the store and what tools may do, and offers the models that are within reach: of keys in the environment,',
      'and of servers on this machine. In a pipe, with --yes or with --json, it asks nothing. Overwrites nothing unasked.',
    ],
    options: {
      model: WORK_OPTIONS.model as OptionSpec,
      approval: {
        type: 'string',
        value: APPROVING.join('|'),
        help: 'tools may read and ask for anything else (ask), also write files here, or only read',
      },
      format: {
        type: 'string',
        value: CONFIG_FORMATS.join('|'),
        help: 'thinkon.config.json or .ts (ts where there is a tsconfig.json)',
      },
      force: { type: 'boolean', help: 'overwrite the configuration' },
      yes: UNASKED,
      ...BASIC_OPTIONS,
    },
    untrusted: 'defaults',
    load: async () => (await import('./init.ts')).init,
  },
  DOCTOR,
  {
    name: 'trust',
    usage: '',
    takes: [0, 0],
    summary: 'shows what the configuration of the folder would do, and trusts it',
    details: [
      'A configuration can run code, start MCP servers and send keys, so the first time and whenever it changes you are asked;',
      'without a terminal a command is refused. --trust with any command does the same as this one; THINKON_TRUST=1 trusts',
      'for one process. Trust covers what the configuration imports, the executors and the blueprints.',
    ],
    options: {
      list: { type: 'boolean', help: 'list the folders that you trust' },
      forget: { type: 'boolean', help: 'trust the folder no longer' },
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./trust.ts')).trust,
  },
  ...SERVING,
  {
    name: 'completion',
    usage: SHELLS.join('|'),
    takes: [1, 10_000],
    summary: 'prints a script that makes a shell complete thinkon',
    details: [
      'Completes commands, strategies, options, their values, runs and paths.',
      '  bash: source <(thinkon completion bash)   in ~/.bashrc',
      '  zsh:  source <(thinkon completion zsh)    in ~/.zshrc, after compinit',
      '  fish: thinkon completion fish > ~/.config/fish/completions/thinkon.fish',
    ],
    options: BASIC_OPTIONS,
    untrusted: 'defaults',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'demo',
    usage: '',
    takes: [0, 0],
    summary: 'shows what strategies make of embedded:mini, a small language model: no key, no network',
    options: { quiet: WORK_OPTIONS.quiet as never, ...BASIC_OPTIONS },
    load: async () => (await import('./demo.ts')).demo,
  },
]

/** The commands by name. Strategies add flags for what can be steered inside their blocks. */
export function commandsFor(strategies: Strategies): ReadonlyMap<string, Command> {
  return new Map(table(targetOptions(strategies)).map((command) => [command.name, command]))
}
