/** As much of a shell's language as the docs use: which commands a line has, and their words. */

/** The commands of a snippet, a line each: comments are left out, lines that end in a backslash joined. */
export function linesOf(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => withoutComment(line).trim())
    .filter((line) => line !== '')
}

/** Something in it stands for what the reader has: `<run>`, `…`. */
export function hasPlaceholder(line: string): boolean {
  return PLACEHOLDER.test(line) || line.includes('…')
}

const PLACEHOLDER = /<[a-z][\w -]*>/

/** The commands of a line, each as its words: separated by pipes, `&&` and `;`, without redirections; what is read from with `<( )` is one more. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]]
  const token = /\s+|(&&|\|\||[|;&])|(\d?>{1,2}\s*\S+|<\s*\S+)|((?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s|;&'"])+)/gy
  const plain = line.replaceAll(new RegExp(PLACEHOLDER, 'g'), 'placeholder').replaceAll(/<\((.*?)\)/g, '; $1')
  for (const [, separator, , word] of plain.matchAll(token)) {
    if (separator !== undefined) commands.push([])
    else if (word !== undefined) commands.at(-1)?.push(unquoted(word))
  }
  return commands.filter((words) => words.length > 0)
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
    (_, single, double) => single ?? double.replaceAll(/\\(.)/g, '$1'),
  )
}

function withoutComment(line: string): string {
  return /^(?:'[^']*'|"(?:\\.|[^"\\])*"|(?<!\s)#|[^'"#])*/.exec(line)?.[0] ?? line
}
