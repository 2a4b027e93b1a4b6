/**
 * What may follow on a command line that is being typed, from the same table as help and parsing. The shells' scripts
 * (shell-scripts.ts) ask for it at every Tab, so nothing is loaded that the answer does not need.
 */
import { MODEL_KINDS } from '../../kernel/model-spec.ts'
import type { Strategies } from '../../strategies/registry.ts'
import type { Command, OptionSpec } from '../command.ts'

export interface Candidate {
  readonly text: string
  readonly help: string
}

/** `files`, `folders`: the shell knows better. */
export type Completion = readonly Candidate[] | 'files' | 'folders'

/** The commands, with those of strategies, and what is in the store: empty if there is none. */
export interface Known {
  readonly commands: ReadonlyMap<string, Command>
  readonly strategies: Strategies
  /** The newest runs whose ids begin with what is typed; `options`: those that were typed before, such as `store`. */
  runs(typed: string, options: TypedOptions): Promise<readonly Candidate[]>
  paths(run: string, options: TypedOptions): Promise<readonly Candidate[]>
}

export type TypedOptions = Readonly<Record<string, string>>

/** `words` come after `thinkon`; the last one is being typed, and may be empty. */
export async function complete(words: readonly string[], known: Known): Promise<Completion> {
  const typed = words.at(-1) ?? ''
  const found = await candidates(words, known)
  return typeof found === 'string' ? found : found.filter(({ text }) => text.startsWith(typed))
}

async function candidates(words: readonly string[], known: Known): Promise<Completion> {
  const [name = '', ...rest] = words
  if (words.length < 2) return firstWords(known)
  if (name === 'help') return words.length === 2 ? commandNames(known) : []
  const command = known.commands.get(name)
  if (command === undefined) return []
  const typed = rest.at(-1) as string
  const { given, valued, isOver, options } = readWords(command, rest.slice(0, -1))
  if (valued !== null) return optionValues(valued, known)
  const [, option, sofar] = /^--([^=]+)=(.*)$/.exec(typed) ?? []
  if (option !== undefined && sofar !== undefined && !isOver) return joined(option, command, known)
  if (typed.startsWith('-') && !isOver) return optionNames(command, rest.slice(0, -1))
  return positional(command, { given, typed, options }, known)
}

/** The words before: positional ones, options with their values, and the option whose value comes next. */
function readWords(command: Command, words: readonly string[]) {
  const given: string[] = []
  const options: Record<string, string> = {}
  let valued: { name: string; spec: OptionSpec } | null = null
  let isOver = false
  for (const word of words) {
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(word) ?? []
    if (valued !== null) {
      options[valued.name] = word
      valued = null
    } else if (isOver || !word.startsWith('-') || word === '-') given.push(word)
    else if (word === '--') isOver = true
    else if (name !== undefined && value !== undefined) options[name] = value
    else valued = optionOf(command, word)
  }
  return { given, valued, isOver, options }
}

/** The option that takes the next word as its value. */
function optionOf({ options }: Command, word: string): { name: string; spec: OptionSpec } | null {
  const found = Object.entries(options).find(
    ([name, { short }]) => word === `--${name}` || word === `-${short}`,
  )
  return found === undefined || found[1].type === 'boolean' ? null : { name: found[0], spec: found[1] }
}

function firstWords(known: Known): Candidate[] {
  return [
    ...commandNames(known),
    { text: 'help', help: 'prints the help of a command' },
    { text: '--help', help: 'prints the commands' },
    { text: '--version', help: 'prints the version' },
  ]
}

function commandNames({ commands }: Known): Candidate[] {
  return [...commands.values()].map(({ name, summary }) => ({ text: name, help: summary }))
}

function strategyNames(strategies: Strategies): Candidate[] {
  return [...strategies].map(([text, { summary = '' }]) => ({ text, help: summary }))
}

/** Those that were not given, or may be given again. */
function optionNames({ options }: Command, words: readonly string[]): Candidate[] {
  return Object.entries(options)
    .filter(([name, { multiple }]) => multiple === true || !words.includes(`--${name}`))
    .map(([name, { help }]) => ({ text: `--${name}`, help }))
}

function optionValues({ name, spec }: { name: string; spec: OptionSpec }, { strategies }: Known): Completion {
  if (name === 'strategy') return strategyNames(strategies)
  if (name === 'model') return modelPrefixes()
  const { value = '', help } = spec
  if (value === '<file>') return 'files'
  if (value === '<folder>') return 'folders'
  const listed = value.startsWith('<') ? (spec.values ?? []) : value.split('|')
  return listed.map((text) => ({ text, help }))
}

function modelPrefixes(): Candidate[] {
  return [...MODEL_KINDS.map((kind) => `${kind}:`), 'http://127.0.0.1:'].map((text) => ({
    text,
    help: 'a model',
  }))
}

/** `--option=value`: the whole word is replaced; of a file, the shells know that it begins after the `=`. */
function joined(option: string, command: Command, known: Known): Completion {
  const spec = command.options[option]
  if (spec === undefined) return []
  const values = optionValues({ name: option, spec }, known)
  if (typeof values === 'string') return values
  return values.map(({ text, help }) => ({ text: `--${option}=${text}`, help }))
}

/** By the command's usage, such as `<run> <path>`. */
async function positional(
  { usage, takes }: Command,
  {
    given,
    typed,
    options,
  }: { readonly given: readonly string[]; readonly typed: string; readonly options: TypedOptions },
  known: Known,
): Promise<Completion> {
  if (given.length >= takes[1]) return []
  const places = usage.replaceAll(/[[\]]/g, '').split(/\s+/)
  const place = places[given.length] ?? places.at(-1) ?? ''
  if (place.startsWith('<run>'))
    return [{ text: 'last', help: 'the newest run' }, ...(await known.runs(typed, options))]
  if (place === '<path>') return known.paths(given[0] as string, options)
  if (place === '<file>' || place === 'file') return 'files'
  return /^[\w|]+\|[\w|]+$/.test(place) ? place.split('|').map((text) => ({ text, help: '' })) : []
}
