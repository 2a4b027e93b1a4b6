/**
 * Reads a shell command far enough to match patterns against it. It never guesses in a command's favour: a command that it
 * does not fully understand is not plain, and no pattern with a wildcard allows it.
 */
import { expandBraces, globBudget } from '../glob.ts'
import { mayRunArguments, wordsToSpell } from './handover.ts'

export interface ReadCommand {
  /** The simple commands it consists of, as words without quotes. */
  readonly parts: readonly (readonly string[])[]
  /**
   * Whether it does nothing else: no substitution, expansion, redirection to a file, assignment, subshell, compound command,
   * comment or unclosed quote.
   */
  readonly isPlain: boolean
  /** Of each part, how many of its first words a pattern must spell out in order to allow it (see handover.ts). */
  readonly toSpell: readonly number[]
}

export function readCommand(command: string): ReadCommand {
  const reader = new Reader(command)
  reader.read()
  const { parts } = reader
  return {
    parts,
    isPlain: reader.isPlain && parts.every(isPlainPart),
    toSpell: parts.map((words, i) => wordsToSpell({ words, loose: reader.loose[i] ?? new Set() })),
  }
}

/** Trims only what a shell treats as blank: to a shell, other white space is part of a word. */
export function trimCommand(command: string): string {
  let [start, end] = [0, command.length]
  while (start < end && BLANK.includes(command[start] as string)) start++
  while (end > start && BLANK.includes(command[end - 1] as string)) end--
  return command.slice(start, end)
}

const BLANK = ' \t\n'

/**
 * Every sequence of words in it that might be run as a command, for rules that deny or ask. For a plain command these are its
 * parts, and what follows the name of a program that runs another (`sudo rm`); otherwise, every sequence from any word on.
 */
export function possibleCommands(
  command: string,
  { parts, isPlain }: Omit<ReadCommand, 'toSpell'>,
): string[] {
  const found: string[] = []
  const addTails = (words: readonly string[]) => {
    const text = words.join(' ')
    let from = 0
    for (const word of words) {
      addOne(found, text.slice(from), word)
      from += word.length + 1
    }
  }
  for (const words of parts) {
    if (mayRunArguments(words)) {
      addTails(words)
      for (const piece of words.slice(1).flatMap(withAttached).flatMap(argumentPieces)) addTails(piece)
    } else addOne(found, words.join(' '), words[0] ?? '')
  }
  if (isPlain) return found
  for (const piece of loosePieces(command)) addTails(piece)
  // {rm,x} is rm x, and r{m,} x, too.
  for (const words of parts.flatMap(alternatives)) addOne(found, words.join(' '), words[0] ?? '')
  return found
}

/** The value of an option may be attached to it. */
function withAttached(word: string): string[] {
  return /^-\w./.test(word) ? [word, word.slice(2)] : [word]
}

function argumentPieces(word: string): string[][] {
  return loosePieces(word, IN_ARGUMENTS)
}

/** More than a shell command can hold. */
const MAX_BRACES = 1024 * 1024

function alternatives([name = '', ...words]: readonly string[]): string[][] {
  try {
    return name.includes('{')
      ? expandBraces(name, globBudget(name, MAX_BRACES)).map((one) => [one, ...words])
      : []
  } catch {
    return [] // too many
  }
}

const KEYWORDS = new Set(
  'if then elif else fi for while until do done case esac function select time coproc in [[ { } !'.split(' '),
)

function isPlainPart(words: readonly string[]): boolean {
  const [first = ''] = words
  // An assignment, a glob or a brace in this place decides what is run.
  return first !== '' && !KEYWORDS.has(first) && !/[\s=*?[\]{}~]/.test(first)
}

class Reader {
  readonly parts: string[][] = []
  /** Of each part, the words that the shell may turn into others, options included. */
  readonly loose: Set<number>[] = []
  isPlain = true
  private readonly text: string
  private at = 0
  private words: string[] = []
  private word: string | null = null
  private wordIsQuoted = false
  private wordIsLoose = false
  private wordHasBrace = false
  private looseWords = new Set<number>()

  constructor(text: string) {
    this.text = text
  }

  read(): void {
    while (this.at < this.text.length) this.step(this.text[this.at++] as string)
    this.endPart()
  }

  private step(char: string): void {
    const next = this.text[this.at]
    if (char === '\\') this.escaped(next)
    else if (char === "'") this.singleQuoted()
    else if (char === '"') this.doubleQuoted()
    else if (' \t'.includes(char)) this.endWord()
    else if ('<>'.includes(char) || `${char}${next}` === '&>') this.redirection(char)
    else if (';&|\n'.includes(char)) this.endPart()
    else this.unquoted(char)
  }

  private unquoted(char: string): void {
    if ('$`()\0'.includes(char) || (char === '#' && this.word === null)) this.isPlain = false
    if ('*?['.includes(char) && /^(?:-|$)/.test(this.word ?? '')) this.wordIsLoose = true
    if (char === '{') this.wordHasBrace = true
    this.add(char)
  }

  private escaped(next: string | undefined): void {
    this.at++
    if (next === undefined) this.isPlain = false
    else if (next !== '\n') this.add(next, true)
  }

  private singleQuoted(): void {
    const end = this.text.indexOf("'", this.at)
    if (end === -1) this.isPlain = false
    const close = end === -1 ? this.text.length : end
    this.add(this.text.slice(this.at, close), true)
    this.at = close + 1
  }

  private doubleQuoted(): void {
    this.add('', true)
    while (this.at < this.text.length) {
      const char = this.text[this.at++] as string
      if (char === '"') return
      if (char === '$' || char === '`') this.isPlain = false
      if (char === '\\') this.escapedInQuotes(this.text[this.at++])
      else this.add(char, true)
    }
    this.isPlain = false // not closed
  }

  private escapedInQuotes(next: string | undefined): void {
    if (next === undefined || next === '\n') return
    this.add('$`"\\'.includes(next) ? next : `\\${next}`, true)
  }

  /** A redirection that only moves or discards output changes nothing; any other may write or read a file. */
  private redirection(char: string): void {
    // The shell must end the word here, too: 2>&1x writes a file.
    const harmless = /^(?:>>?|<)(?:&[0-9]|[ \t]*\/dev\/null)(?=[ \t\n;&|]|$)/.exec(
      this.text.slice(this.at - 1),
    )
    if (char === '&' || harmless === null) {
      this.isPlain = false
      this.endWord()
      return
    }
    if (this.word !== null && !this.wordIsQuoted && /^\d$/.test(this.word)) this.word = null // its number
    this.endWord()
    this.at += harmless[0].length - 1
  }

  private add(char: string, isQuoted = false): void {
    this.word = (this.word ?? '') + char
    if (isQuoted) this.wordIsQuoted = true
  }

  private endWord(): void {
    const isExpanded = this.wordHasBrace && /,|\.\./.test(this.word ?? '')
    if (this.wordIsLoose || isExpanded) this.looseWords.add(this.words.length)
    if (this.word !== null) this.words.push(this.word)
    this.word = null
    this.wordIsQuoted = false
    this.wordIsLoose = false
    this.wordHasBrace = false
  }

  private endPart(): void {
    this.endWord()
    if (this.words.length > 0) {
      this.parts.push(this.words)
      this.loose.push(this.looseWords)
    }
    this.words = []
    this.looseWords = new Set()
  }
}

const IN_COMMANDS = /[;&|\n`(){}<>"']|\$\(/
/** As in `alias.x=!rm`. */
const IN_ARGUMENTS = /[;&|\n`(){}<>"'!=:,]|\$\(/

/** Split wherever a command might begin, in quotes or not. */
function loosePieces(text: string, at = IN_COMMANDS): string[][] {
  return text
    .replace(/\\\n/g, '')
    .split(at)
    .map((piece) => piece.replaceAll('\\', '').split(/\s+/).filter(Boolean))
    .filter((words) => words.length > 0)
}

/** Under its bare name, too: /bin/rm is rm. */
function addOne(found: string[], text: string, first: string): void {
  found.push(text)
  const folder = first.length - baseName(first).length
  if (folder > 0) found.push(text.slice(folder))
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}
