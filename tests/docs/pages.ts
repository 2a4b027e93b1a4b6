/**
 * The pages that users read, and the snippets in them. What a snippet needs beyond its text stands in HTML comments right before its
 * fence, which no reader sees:
 *
 *   <!-- continues -->            goes on where the code snippet before it on the page ended
 *   <!-- given: model, tools -->  values that the surrounding program would have, from given.ts
 *   <!-- before: … -->            code that comes first; `after` comes last
 *   <!-- with: name … -->         a file beside it: its name, then its text from the next line on
 *   <!-- beside: folder -->       with the files of this folder of the checkout beside it
 *   <!-- file: name -->           the snippet is this file; configurations are read as what their name says
 *   <!-- part of: path -->        its text is a part of this file of the checkout, which is run elsewhere
 *   <!-- prints -->               what the code before it prints; `…` stands for anything
 *   <!-- types only: why -->      compiled, not run
 *   <!-- flags only: why -->      commands are parsed, not run
 *   <!-- not run: why -->         shown only
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export const PAGES = globSync(['README*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root })
  .map((page) => page.replaceAll('\\', '/'))
  .sort()

const MARKS = [
  'continues',
  'given',
  'before',
  'after',
  'with',
  'beside',
  'file',
  'part of',
  'prints',
  'types only',
  'flags only',
  'not run',
] as const

export interface Mark {
  readonly name: (typeof MARKS)[number]
  readonly text: string
}

export interface Snippet {
  readonly page: string
  /** The line of its opening fence. */
  readonly line: number
  readonly language: string
  readonly text: string
  readonly marks: readonly Mark[]
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

export function snippetsOf(page: string, text = readPage(page)): Snippet[] {
  const fence = /^([ \t]*)(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^[ \t]*\2[ \t]*$/gm
  return [...text.matchAll(fence)].map((match) => {
    const [, indent = '', , info = '', body = ''] = match
    const above = text.slice(0, match.index)
    return {
      page,
      line: above.split('\n').length,
      language: info.trim(),
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      // A picture is made by a command, which leaves comments of its own.
      marks: info.trim() === 'mermaid' ? [] : marksAtEnd(above, page),
    }
  })
}

export function marksOf(snippet: Snippet, name: Mark['name']): string[] {
  return snippet.marks.filter((mark) => mark.name === name).map(({ text }) => text)
}

export function markOf(snippet: Snippet, name: Mark['name']): string | undefined {
  return marksOf(snippet, name)[0]
}

export function placeOf({ page, line }: Snippet): string {
  return `${page}:${line}`
}

/** The pattern that matches just this text. */
export function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The comments that a text ends with, in their order. */
function marksAtEnd(text: string, page: string): Mark[] {
  const marks: Mark[] = []
  for (let rest = text.trimEnd(); rest.endsWith('-->'); ) {
    const start = rest.lastIndexOf('<!--')
    marks.unshift(markIn(rest.slice(start + 4, -3).trim(), page))
    rest = rest.slice(0, start).trimEnd()
  }
  return marks
}

function markIn(comment: string, page: string): Mark {
  const name = MARKS.find((known) => new RegExp(`^${known}(:|$)`).test(comment))
  if (name === undefined) throw new Error(`${page}: nothing is known about <!-- ${comment} -->`)
  return { name, text: comment.slice(name.length + 1).trim() }
}
