/** What would control a terminal, one of each kind. NUL is left out: a command line can't contain it. */
const ESC = '\u001b'
export const ATTACKS: readonly string[] = [
  `${ESC}[31m`,
  `${ESC}[2J${ESC}[H`,
  `${ESC}[?1049h`,
  `${ESC}[6n`,
  `${ESC}]0;title\u0007`,
  `${ESC}]8;;http://localhost/${ESC}\\`,
  `${ESC}]52;c;cm0=\u0007`,
  `${ESC}P+q544e${ESC}\\`,
  `${ESC}_G${ESC}\\`,
  `${ESC}c`,
  `${ESC}(0`,
  ESC,
  '\u009b2J',
  '\u009d0;title\u009c',
  '\u0085',
  '\b\b\b',
  '\u0007',
  '\r',
  '\u000e',
  '\u007f',
  '\u202e',
  '\u2066',
  '\ud800',
]

/** The words with an attack before each letter; the same words, harmless, in a process with HARMLESS set. */
export function evil(words: string): string {
  if (process.env.HARMLESS) return words
  const at = (i: number) => ATTACKS[i % ATTACKS.length] as string
  return `${[...words].map((char, i) => at(i) + char).join('')}${ATTACKS.join('.')}`
}

/** For names of files, which have to be short and may not contain a slash. */
export const EVIL_NAME = `n${ESC}[31mm${ESC}]0;t\u0007\u009b2J\r\b\u202e\u007f`

/** Characters that no output has, except the sequences of our own colours and of the live view. */
export const CONTROLS = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u
