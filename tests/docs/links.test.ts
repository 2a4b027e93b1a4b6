/** Links between the pages lead somewhere: the file is there, and has the heading. Other sites are not asked. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './pages.ts'

const pages = globSync(['*.md', '{docs,examples,bench,tests}/**/*.md'], { cwd: root }).sort()

it.each(pages)('%s has links that lead somewhere', (page) => {
  expect(linksIn(textOf(page)).flatMap((link) => problemOf(page, link) ?? [])).toEqual([])
})

/** Every page can be found by clicking: from the README, without typing an address. */
it('every page of docs can be reached from the README', () => {
  const reached = new Set<string>()
  const open = ['README.md']
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (reached.has(page)) continue
    reached.add(page)
    if (!page.endsWith('.md') || !existsSync(join(root, page))) continue
    open.push(...linksIn(textOf(page)).flatMap((link) => targetOf(page ?? '', link)?.file ?? []))
  }
  const folders = [...reached].filter(
    (file) => existsSync(join(root, file)) && statSync(join(root, file)).isDirectory(),
  )
  const isFound = (page: string) => reached.has(page) || folders.some((folder) => dirname(page) === folder)
  expect(pages.filter((page) => page.startsWith('docs/') && !isFound(page))).toEqual([])
})

it('docs/README.md lists every page of docs', () => {
  const listed = new Set(
    linksIn(textOf('docs/README.md')).map((link) => targetOf('docs/README.md', link)?.file),
  )
  const isListed = (page: string) =>
    listed.has(page) || (dirname(page) !== 'docs' && listed.has(dirname(page)))
  const others = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
  expect(others.filter((page) => !isListed(page))).toEqual([])
})

function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

function linksIn(text: string): string[] {
  const prose = text
    .replaceAll(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?^\1\2/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/(`+)[^`][\s\S]*?\1/g, '')
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const named = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*(\S+)/gm)]
  const html = [...prose.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)]
  return [...inline, ...named, ...html].map(([, link = '']) => link)
}

function targetOf(page: string, link: string): { file: string; heading: string } | null {
  const [path = '', heading = ''] = link.split('#')
  if (/^[a-z]+:/i.test(link)) return null
  const file =
    path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path))).replace(/\/$/, '')
  return { file, heading }
}

function problemOf(page: string, link: string): string | null {
  const target = targetOf(page, link)
  if (target === null) return null
  const { file, heading } = target
  if (file.startsWith('..') || !existsSync(join(root, file))) return `${link}: there is no ${file}`
  if (heading === '' || !file.endsWith('.md')) return null
  return anchorsOf(textOf(file)).includes(decodeURIComponent(heading)) ? null : `${link}: no such heading`
}

/** As GitHub makes them: lower case, spaces to dashes, punctuation left out, a number behind the second of the same. */
function anchorsOf(text: string): string[] {
  const counts = new Map<string, number>()
  const prose = text.replaceAll(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?^\1\2/gm, '')
  return [...prose.matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) => {
    const plain = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
    const slug = plain.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '').replaceAll(' ', '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}
