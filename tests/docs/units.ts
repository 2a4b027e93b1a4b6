/** From the code snippets of a page to programs: one for each snippet and those that continue it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markOf, marksOf, placeOf, root, type Snippet } from './pages.ts'

export interface Unit {
  /** `docs/library.md:12` */
  readonly name: string
  /** Where its files are, below the project. */
  readonly folder: string
  readonly main: string
  readonly files: Readonly<Record<string, string>>
  /** For each line of the main file, the line of the page, or 0 where it was added. */
  readonly lines: readonly number[]
  readonly isRun: boolean
  /** What it must print. */
  readonly prints: readonly string[]
}

interface Draft {
  first: Snippet
  main: string
  lines: { text: string; line: number }[]
  last: string[]
  files: Record<string, string>
  isRun: boolean
  prints: string[]
}

const CODE = ['ts', 'tsx', 'js']

export function isCode({ language }: Snippet): boolean {
  return CODE.includes(language)
}

export function unitsOf(snippets: readonly Snippet[]): Unit[] {
  const drafts: Draft[] = []
  for (const snippet of snippets) {
    const before = drafts.at(-1)
    if (markOf(snippet, 'prints') !== undefined) need(before, snippet).prints.push(snippet.text)
    if (!isCode(snippet) || isShownOnly(snippet)) continue
    if (markOf(snippet, 'continues') === undefined) drafts.push(draft(snippet))
    else add(need(before, snippet), snippet)
  }
  return drafts.map(unit)
}

/** Neither compiled nor run here. */
export function isShownOnly(snippet: Snippet): boolean {
  return markOf(snippet, 'not run') !== undefined || markOf(snippet, 'part of') !== undefined
}

function need(before: Draft | undefined, snippet: Snippet): Draft {
  if (before?.first.page === snippet.page) return before
  throw new Error(`${placeOf(snippet)}: there is no code before it on the page`)
}

function draft(first: Snippet): Draft {
  const main = markOf(first, 'file') ?? `main.${first.language}`
  const made: Draft = { first, main, lines: [], last: [], files: {}, isRun: true, prints: [] }
  add(made, first)
  return made
}

function add(made: Draft, snippet: Snippet): void {
  for (const names of marksOf(snippet, 'given'))
    made.lines.push({ text: `import { ${names} } from '../../given.ts'`, line: 0 })
  for (const code of marksOf(snippet, 'before')) made.lines.push(...added(code))
  made.lines.push(...snippet.text.split('\n').map((text, n) => ({ text, line: snippet.line + 1 + n })))
  made.last.push(...marksOf(snippet, 'after'))
  Object.assign(made.files, filesWith(snippet))
  if (markOf(snippet, 'types only') !== undefined) made.isRun = false
}

/** Files that a snippet has beside it. */
export function filesWith(snippet: Snippet): Record<string, string> {
  const files = marksOf(snippet, 'with').map((text) => {
    const [name = '', ...lines] = text.split('\n')
    return [name.trim(), `${lines.join('\n')}\n`]
  })
  return {
    ...Object.fromEntries(files),
    ...Object.assign({}, ...marksOf(snippet, 'beside').map(filesBeside)),
  }
}

function filesBeside(folder: string): Record<string, string> {
  const names = globSync('**/*.*', { cwd: join(root, folder) })
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]))
}

function added(code: string): Draft['lines'] {
  return code.split('\n').map((text) => ({ text, line: 0 }))
}

function unit({ first, main, lines, last, files, isRun, prints }: Draft): Unit {
  const all = [...lines, ...last.flatMap(added)]
  const text = `${all.map((line) => line.text).join('\n')}\nexport {}\n`
  return {
    name: placeOf(first),
    folder: `pages/${placeOf(first).replaceAll(/[^\w-]/g, '_')}`,
    main,
    files: { ...files, [main]: text },
    lines: all.map(({ line }) => line),
    isRun,
    prints,
  }
}
