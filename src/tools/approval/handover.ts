/**
 * Whether a simple command hands over: makes a known program run another, write a file, or talk to another host (see
 * launchers/launcher.ts). What hands over must be spelled out in the pattern that allows it: no wildcard stands for it.
 *
 * Where a word can be read in two ways, it is read in the one that hands over.
 */
import { isRunner, type Launcher, launcherOf } from './launchers/index.ts'

export interface Part {
  /** A simple command's words, without quotes. */
  readonly words: readonly string[]
  /** Which of them the shell may turn into others, options included: an unquoted `*` in front, `{-c,x}`. */
  readonly loose: ReadonlySet<number>
}

/** How many of its words, from the first on, must be spelled out; more than there are where that can't be told. */
export function wordsToSpell(part: Part, within: Within = { readings: 0 }): number {
  const launcher = launcherOf(part.words[0] ?? '')
  if (launcher === undefined) return 0
  within.readings++
  const isTooMuch = within.readings > MAX_READINGS || part.words.length > MAX_WORDS
  return isTooMuch ? UNTOLD : new Reading(part, launcher, within).read()
}

/** Launchers that run launchers are read so often, and no command that is longer: each of them may be read in two ways. */
const MAX_READINGS = 32
const MAX_WORDS = 1_000

/** Shared by all readings of a command. */
interface Within {
  readings: number
}

/** Whether its arguments may be a command: for rules that ask or deny. */
export function mayRunArguments(words: readonly string[]): boolean {
  return isRunner(words[0] ?? '') || wordsToSpell({ words, loose: new Set() }) > 0
}

const UNTOLD = Number.POSITIVE_INFINITY

class Reading {
  private readonly words: readonly string[]
  private readonly part: Part
  private readonly within: Within
  /** The program, then its subcommands. */
  private levels: readonly Launcher[]
  private at = 1
  private operands = 0
  private toSpell = 0
  private hasScript = false
  /** An option that is not known came before: an operand may be its value. */
  private isUnsure = false

  constructor(part: Part, launcher: Launcher, within: Within) {
    this.part = part
    this.within = within
    this.words = part.words
    this.levels = [launcher]
    if (launcher.always) this.spell(1)
  }

  read(): number {
    for (; this.at < this.words.length; this.at++) {
      const word = this.words[this.at] as string
      this.checkLoose()
      if (this.levels.some(({ words }) => words?.test(word))) this.spell(this.at + 1)
      if (this.isGroup(word)) this.group(word)
      else if (word.startsWith('-') && word !== '-' && word !== '--') this.long(word)
      else if (word !== '--' && this.operand(word)) break
    }
    return this.toSpell
  }

  private get level(): Launcher {
    return this.levels.at(-1) as Launcher
  }

  private isGroup(word: string): boolean {
    if (this.at === 1 && this.level.bareGroup && !word.startsWith('-')) return true
    return /^-[^-]/.test(word) && !this.levels.some(({ oneDash }) => oneDash)
  }

  private checkLoose(): void {
    if (this.part.loose.has(this.at) && this.levels.some(canHandOver)) this.spell(UNTOLD)
  }

  private spell(count: number): void {
    this.toSpell = Math.max(this.toSpell, count)
  }

  /** The option here hands over, with its value. */
  private spellOption(isAttached: boolean): void {
    this.spell(isAttached ? this.at + 1 : Math.min(this.at + 2, this.words.length))
    if (!isAttached) this.isUnsure = true
  }

  private long(word: string): void {
    const [name = ''] = word.split('=', 1)
    const attached = name === word ? null : word.slice(name.length + 1)
    const isKnown = this.isListed('flags', name) || this.option(name, attached) !== null
    if (!isKnown && attached === null) this.isUnsure = true
  }

  /** Each letter is an option, until one takes the rest as its value. */
  private group(word: string): void {
    if (this.isListed('options', word)) {
      this.spellOption(false)
      return
    }
    const isBare = !word.startsWith('-')
    const letters = isBare ? word : word.slice(1)
    for (let i = 0; i < letters.length; i++) {
      const name = `-${letters[i]}`
      const rest = isBare ? '' : letters.slice(i + 1)
      if (this.isListed('flags', name) || /\d$/.test(name)) continue
      const option = this.option(name, rest || null)
      if (option === 'takes a value' && !isBare) return
      if (option === null) this.isUnsure = true
    }
  }

  /** Null for one that is not known. */
  private option(name: string, attached: string | null): 'takes a value' | 'hands over' | null {
    const isValue = this.takesValue(name)
    if (!isValue && this.isListed('runsAfter', name)) {
      this.command(this.at + 1)
      return 'hands over'
    }
    if (!isValue && this.isListed('switches', name)) {
      this.spell(this.at + 1)
      return 'hands over'
    }
    if (!isValue && (this.isListed('options', name) || this.isListed('globals', name))) {
      this.spellOption(attached !== null)
      return 'hands over'
    }
    if (!this.isValueHarmless(name, attached ?? this.words[this.at + 1] ?? ''))
      this.spell(attached === null ? this.at + 2 : this.at + 1)
    const isScript = this.isListed('script', name)
    this.hasScript ||= isScript
    if (!isValue && !isScript && this.conditions(name, WIDE).length === 0) return null
    if (attached === null) this.at++
    this.checkLoose()
    return 'takes a value'
  }

  private isValueHarmless(name: string, value: string): boolean {
    if (this.conditions(name, WIDE).some((fits) => fits.test(value))) return false
    return !this.isListed('script', name) || this.level.isHarmless?.(value) !== false
  }

  /** One that is known by its full name is not the abbreviation of another. */
  private takesValue(name: string): boolean {
    return this.isListed('values', name) || this.conditions(name, EXACT).length > 0
  }

  private conditions(name: string, spelling: Spelling): RegExp[] {
    return this.levels
      .flatMap(({ when = [] }) => when)
      .flatMap(([list, value]) => (isIn(list, name, spelling) ? value : []))
  }

  private isListed(
    kind: 'options' | 'switches' | 'globals' | 'runsAfter' | 'script' | 'values' | 'flags',
    name: string,
  ) {
    const isHarmless = kind === 'values' || kind === 'flags'
    return this.levels.some((level) =>
      isIn(level[kind], name, isHarmless ? EXACT : level.oneDash ? ONE_DASH : WIDE),
    )
  }

  /** Whether the rest is not the program's own: a command, or what a script is called with. */
  private operand(word: string): boolean {
    const { runs, subcommands, isHarmless, maxOperands, endsAtOperand } = this.level
    if (runs !== undefined) return this.runs(runs, word)
    const n = this.operands++
    if (subcommands !== undefined) this.enter(word, subcommands)
    else if (isHarmless !== undefined && !this.hasScript && (n === 0 || this.isUnsure)) {
      if (!isHarmless(word)) this.spell(this.at + 1)
    }
    if (maxOperands !== undefined && n >= maxOperands) this.spell(this.at + 1)
    return endsAtOperand === true && !this.isUnsure
  }

  private runs(own: number, word: string): boolean {
    if (/^\w+=/.test(word)) return false // of env
    if (this.operands++ < own) return false
    this.command(this.at)
    if (this.isUnsure && this.at + 1 < this.words.length) this.command(this.at + 1)
    return true
  }

  /** A command begins here: its name must be spelled out, and what that one hands over with. */
  private command(from: number): void {
    const words = this.words.slice(from)
    const loose = new Set([...this.part.loose].map((i) => i - from))
    const isBlind = this.levels.some(({ appends }) => appends) && launcherOf(words[0] ?? '') !== undefined
    const inner = isBlind || loose.has(0) ? UNTOLD : wordsToSpell({ words, loose }, this.within)
    this.spell(Math.min(from + 1, this.words.length))
    if (inner > 0) this.spell(from + inner)
  }

  private enter(word: string, subcommands: Readonly<Record<string, Launcher>>): void {
    const found = Object.entries(subcommands).find(([names]) => names.split(' ').includes(word))
    if (found === undefined && this.isUnsure) return
    const above = this.levels.map(afterSubcommand)
    this.levels = found === undefined ? above : [...above, found[1]]
    if (found?.[1].always) this.spell(this.at + 1)
    this.operands = 0
    this.isUnsure = false
  }
}

function afterSubcommand({ globals, subcommands: _, values, flags, ...level }: Launcher): Launcher {
  return globals === undefined ? { ...level, ...(values && { values }), ...(flags && { flags }) } : level
}

function canHandOver(launcher: Launcher): boolean {
  const { values: _, flags: __, oneDash: ___, ...rest } = launcher
  return Object.keys(rest).length > 0
}

/** How an option may be spelled: not otherwise than listed; abbreviated; or with two dashes, or a value attached. */
type Spelling = (listed: string, name: string) => boolean
const EXACT: Spelling = () => false
const WIDE: Spelling = (listed, name) => name.length > 2 && listed.startsWith('--') && listed.startsWith(name)
const ONE_DASH: Spelling = (listed, name) =>
  name === `-${listed}` || (listed.length === 2 && name.startsWith(listed))

function isIn(list: string | undefined, name: string, otherwise: Spelling): boolean {
  return list?.split(' ').some((listed) => listed === name || otherwise(listed, name)) ?? false
}
