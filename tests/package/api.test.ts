// What the package exports: all that is documented, nothing else, each in one place.

import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiReport, reportFolder } from '../../scripts/api-report.ts'
import { Declarations } from '../../scripts/read-declarations.ts'
import { checkout, freshProject, manifest, type Project, parts } from './packed.ts'

let project: Project
beforeAll(() => {
  project = freshProject()
})
afterAll(() => project?.remove())

describe('the public API', () => {
  const exportsOf = (part: string): string[] => {
    const target = join(project.installed, manifest.exports[part.replace('thinkon', '.')])
    return [
      ...new Declarations().exportsOf(target.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts')).keys(),
    ]
  }
  const pages = globSync(['README*.md', 'docs/**/*.md', 'examples/**/*.ts'], { cwd: checkout })
  const texts = new Map(pages.map((page) => [page, readFileSync(join(checkout, page), 'utf8')]))

  it('has every name that the docs and the examples import', () => {
    const known = new Map(parts.map((part) => [part, new Set(exportsOf(part))]))
    const missing: string[] = []
    for (const [page, text] of texts) {
      for (const [, list = '', part = ''] of text.matchAll(
        /import (?:type )?\{([^}]*)\} from '(thinkon[^']*)'/g,
      )) {
        const names = list.split(',').map((name) => name.trim().replace(/^type | as .*$/g, ''))
        for (const name of names)
          if (name !== '' && !known.get(part)?.has(name)) missing.push(`${page}: ${name} of ${part}`)
      }
    }
    expect(missing).toEqual([])
  })

  it('has no value that the docs leave out', () => {
    const script = `for (const name of ${JSON.stringify(parts)}) console.log(...Object.keys(await import(name)))`
    const values = project.printed(['--input-type=module', '-e', script]).split(/\s+/)
    const docs = [...texts].map(([page, text]) => (page.endsWith('.md') ? text : '')).join('\n')
    expect(values.filter((name) => !new RegExp(`\\b${name}\\b`).test(docs))).toEqual([])
  })

  it('is what api/ says: after a change that is meant, run `npm run api` and look at the difference', () => {
    const report = apiReport(project.installed)
    expect(readdirSync(reportFolder).sort()).toEqual([...report.keys()].sort())
    for (const [file, text] of report) expect(readFileSync(join(reportFolder, file), 'utf8'), file).toBe(text)
  })

  it('has each value in one place, and the class of its errors also where there is no Node', () => {
    const script = `const places = new Map()
      for (const name of ${JSON.stringify(parts)})
        for (const key of Object.keys(await import(name))) places.set(key, [...(places.get(key) ?? []), name])
      console.log(JSON.stringify([...places].filter(([, list]) => list.length > 1)))`
    expect(JSON.parse(project.printed(['--input-type=module', '-e', script]))).toEqual([
      ['ThinkonError', ['thinkon', 'thinkon/client']],
    ])
  })
})
