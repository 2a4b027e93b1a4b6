/**
 * Reads a shell command far enough to match patterns against it. It never guesses in a command's favour: a command that it
 * does not fully understand is not plain, and no pattern with a wildcard allows it.
 */

export interface ReadCommand {
  /** The simple commands it consists of, as words without quotes. */
  readonly parts: readonly (readonly string[])[]
  /**
   * Whether it does nothing else: no substitution, expansion, redirection to a file, assignment, subshell, compound command,
   * comment or unclosed quote.
   */
  readonly isPlain: boolean
}

export function readCommand(text: string): ReadCommand {
  const parts: string[][] = []
  let isPlain = true
  let at = 0
  let words: string[] = []
  let word: string | null = null
  let wordIsQuoted = false

  function step(char: string): void {
    const next = text[at]
    if (char === '\\') escaped(next)
    else if (char === "'") singleQuoted()
    else if (char === '"') doubleQuoted()
    else if (' \t'.includes(char)) endWord()
    else if ('<>'.includes(char) || `${char}${next}` === '&>') redirection(char)
    else if (';&|\n'.includes(char)) endPart()
    else {
      if ('$`()\0'.includes(char) || (char === '#' && word === null)) isPlain = false
      add(char)
    }
  }

  function escaped(next: string | undefined): void {
    at++
    if (next === undefined) isPlain = false
    else if (next !== '\n') add(next, true)
  }

  function singleQuoted(): void {
    const end = text.indexOf("'", at)
    if (end === -1) isPlain = false
    const close = end === -1 ? text.length : end
    add(text.slice(at, close), true)
    at = close + 1
  }

  function doubleQuoted(): void {
    add('', true)
    while (at < text.length) {
      const char = text[at++] as string
      if (char === '"') return
      if (char === '$' || char === '`') isPlain = false
      if (char === '\\') escapedInQuotes(text[at++])
      else add(char, true)
    }
    isPlain = false // not closed
  }

  function escapedInQuotes(next: string | undefined): void {
    if (next === undefined || next === '\n') return
    add('$`"\\'.includes(next) ? next : `\\${next}`, true)
  }

  /** A redirection that only moves or discards output changes nothing; any other may write or read a file. */
  function redirection(char: string): void {
    // The shell must end the word here, too: 2>&1x writes a file.
    const harmless = /^(?:>>?|<)(?:&[0-9]|[ \t]*\/dev\/null)(?=[ \t\n;&|]|$)/.exec(text.slice(at - 1))
    if (char === '&' || harmless === null) {
      isPlain = false
      endWord()
      return
    }
    if (word !== null && !wordIsQuoted && /^\d$/.test(word)) word = null // its number
    endWord()
    at += harmless[0].length - 1
  }

  function add(char: string, isQuoted = false): void {
    word = (word ?? '') + char
    if (isQuoted) wordIsQuoted = true
  }

  function endWord(): void {
    if (word !== null) words.push(word)
    word = null
    wordIsQuoted = false
  }

  function endPart(): void {
    endWord()
    if (words.length > 0) parts.push(words)
    words = []
  }

  while (at < text.length) step(text[at++] as string)
  endPart()
  return { parts, isPlain: isPlain && parts.every(isPlainPart) }
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
export function possibleCommands(command: string, { parts, isPlain }: ReadCommand): string[] {
  const found = new Set<string>()
  const addTails = (words: readonly string[]) => {
    for (let i = 0; i < words.length; i++) addOne(found, words.slice(i))
  }
  for (const words of parts) {
    if (RUNNERS.has(baseName(words[0] ?? ''))) {
      addTails(words)
      for (const word of words.slice(1)) for (const piece of loosePieces(word)) addTails(piece)
    } else addOne(found, words)
  }
  if (!isPlain) for (const piece of loosePieces(command)) addTails(piece)
  return [...found]
}

/** Programs that run their arguments. */
const RUNNERS = new Set(
  (
    'sh bash dash zsh ksh fish busybox eval exec command builtin env sudo doas su xargs nohup nice ionice time timeout setsid ' +
    'stdbuf watch find parallel chroot unshare script ssh flock strace trap source . node python python3 perl ruby npx'
  ).split(' '),
)

const KEYWORDS = new Set(
  'if then elif else fi for while until do done case esac function select time coproc in [[ { } !'.split(' '),
)

function isPlainPart(words: readonly string[]): boolean {
  const [first = ''] = words
  // An assignment, a glob or a brace in this place decides what is run.
  return first !== '' && !KEYWORDS.has(first) && !/[\s=*?[\]{}~]/.test(first)
}

/** Split wherever a command might begin, in quotes or not. */
function loosePieces(text: string): string[][] {
  return text
    .replace(/\\\n/g, '')
    .split(/[;&|\n`(){}<>"']|\$\(/)
    .map((piece) => piece.replaceAll('\\', '').split(/\s+/).filter(Boolean))
    .filter((words) => words.length > 0)
}

/** Under its bare name, too: /bin/rm is rm. */
function addOne(found: Set<string>, words: readonly string[]): void {
  found.add(words.join(' '))
  found.add([baseName(words[0] ?? ''), ...words.slice(1)].join(' '))
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}
