/** The table of commands. */
import type { Strategies } from '../../strategies/registry.ts'
import type { Command, OptionSpecs } from '../command.ts'
import { BASIC_OPTIONS, LIMIT_OPTIONS, START_OPTIONS, WORK_OPTIONS } from '../options.ts'

const MESSAGE: OptionSpecs = {
  message: { type: 'string', short: 'm', value: '<text>', help: 'what to tell the block, or why' },
}

/** What can be steered inside a block, as the strategies say. */
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
      'On a terminal the tree is drawn live; in a pipe there is a line for each noteworthy',
      'event; with --json the events as NDJSON, the outcome as the last line.',
      'Ctrl-C stops, and leaves the run to be resumed; thinkon cancel ends a run for good.',
      'Tools read unasked, and ask leave for anything else; where nobody can be asked it is denied. The configuration',
      '(thinkon.config.ts or .json) says what is allowed, which models are used, and more; thinkon doctor shows what holds.',
    ],
    options: { ...START_OPTIONS, ...LIMIT_OPTIONS, ...BASIC_OPTIONS },
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'resume',
    usage: '<run>',
    takes: [1, 1],
    summary: 'goes on with a run that was stopped or killed',
    details: [
      'What was done is not done again. The model is the one the run was begun with, unless --model says otherwise.',
    ],
    options: { ...WORK_OPTIONS, ...BASIC_OPTIONS },
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'list',
    usage: '',
    takes: [0, 0],
    summary: 'lists the runs, the last first',
    options: BASIC_OPTIONS,
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'show',
    usage: '<run>',
    takes: [1, 1],
    summary: 'draws the tree of a run, with what it came to',
    details: [
      '[ ] not begun  [-] running  [?] asks a person  [x] completed  [~] partial  [/] skipped  [!] failed or cancelled',
    ],
    options: {
      watch: { type: 'boolean', short: 'w', help: 'redraw until the run ends' },
      lines: {
        type: 'string',
        value: '<n>',
        help: 'lines of the tree at most; larger trees are folded (200)',
      },
      audit: {
        type: 'boolean',
        help: 'instead: for each block, what every call was given and answered, what went into done',
      },
      format: {
        type: 'string',
        value: '<format>',
        help: 'instead: mermaid, dot, svg (a picture of the thoughts, or of the blocks), json, md, or a format of a strategy',
      },
      path: { type: 'string', value: '<path>', help: 'with --audit or --format: this block alone' },
      full: { type: 'boolean', help: 'with --audit: cut nothing' },
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./show.ts')).show,
  },
  {
    name: 'events',
    usage: '<run>',
    takes: [1, 1],
    summary: 'prints the journal of a run',
    options: {
      from: { type: 'string', value: '<seq>', help: 'the first event (1)' },
      follow: { type: 'boolean', short: 'f', help: 'go on until the run ends' },
      messages: {
        type: 'boolean',
        help: 'only the messages between agents, of strategies that have them (tot)',
      },
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./events.ts')).events,
  },
  {
    name: 'replay',
    usage: '<run>',
    takes: [1, 1],
    summary: 'runs the whole run again from its journal, calling nothing; fails if it differs',
    options: BASIC_OPTIONS,
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'fork',
    usage: '<run> --at <seq>',
    takes: [1, 1],
    summary: 'makes a new run that shares the past up to an event',
    details: ['Files and other effects on the world are not rolled back.'],
    options: {
      at: { type: 'string', value: '<seq>', help: 'the last event that is shared' },
      with: {
        type: 'string',
        value: '<json>',
        help: 'fields to change in that event; "value" is its result',
      },
      resume: { type: 'boolean', help: 'go on with the new run at once' },
      ...WORK_OPTIONS,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./fork.ts')).fork,
  },
  {
    name: 'skip',
    usage: '<run> <path>',
    takes: [1, 2],
    summary: 'ends a block now, with what it has; its parent goes on',
    options: { ...MESSAGE, ...targets, ...BASIC_OPTIONS },
    load: async () => (await import('./steer.ts')).skip,
  },
  {
    name: 'redo',
    usage: '<run> <path>',
    takes: [1, 2],
    summary: 'has a block solved again; in a run that has ended, by a fork',
    options: {
      ...MESSAGE,
      ...targets,
      resume: { type: 'boolean', help: 'go on with the fork at once' },
      ...WORK_OPTIONS,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./redo.ts')).redo,
  },
  {
    name: 'message',
    usage: '<run> <path>',
    takes: [2, 3],
    summary: 'tells a block something; it reads it before its next step',
    options: { ...MESSAGE, ...BASIC_OPTIONS },
    load: async () => (await import('./steer.ts')).message,
  },
  {
    name: 'answer',
    usage: '<run> <path> <choice>',
    takes: [3, 3],
    summary: 'answers a question that a block asks',
    options: {
      name: { type: 'string', value: '<name>', help: 'which question, where it has a name of its own' },
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./answer.ts')).answer,
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
    name: 'doctor',
    usage: '',
    takes: [0, 0],
    summary: 'tells what is configured, what is reachable, what is missing and how to get it',
    details: [
      'Exit code 0 when a run could start, 2 when not. Keys are named, never shown, and sent nowhere.',
    ],
    options: {
      deep: { type: 'boolean', help: 'start the MCP servers too' },
      model: WORK_OPTIONS.model as never,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'demo',
    usage: '["<goal>"]',
    takes: [0, 1],
    summary: 'shows a run on embedded:abacus, which computes: no key, no network',
    options: { yes: WORK_OPTIONS.yes as never, quiet: WORK_OPTIONS.quiet as never, ...BASIC_OPTIONS },
    load: async () => (await import('./demo.ts')).demo,
  },
]

/** Help, parsing and errors all read this; strategies add what they can be steered by. */
export function commandsFor(strategies: Strategies): ReadonlyMap<string, Command> {
  return new Map(table(targetOptions(strategies)).map((command) => [command.name, command]))
}
