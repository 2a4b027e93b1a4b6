// `npm run api` writes api/*.md: everything that the package exports, as its declarations have it, without comments. A test compares
// them with the sources, so that no change of the public API goes unseen.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { packedTarball } from '../tests/package/packed.ts'
import { type Declaration, Declarations } from './read-declarations.ts'

const root = join(import.meta.dirname, '..')
export const reportFolder = join(root, 'api')

/** The text of each file, for a package that lies unpacked in `installed`. */
export function apiReport(installed: string): Map<string, string> {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const declarations = new Declarations()
  const report = new Map<string, string>()
  /** Where a declaration is written down: in the report of the first part that exports it. */
  const written = new Map<Declaration, string>()
  for (const [subpath, target] of Object.entries<{ types?: string }>(manifest.exports)) {
    if (target.types === undefined) continue
    const part = join('thinkon', subpath)
    report.set(
      `${basename(part)}.md`,
      partText(part, declarations.exportsOf(join(installed, target.types)), written),
    )
  }
  report.set('not-exported.md', reachedText(declarations.reached([...written.keys()])))
  return report
}

function partText(
  part: string,
  exported: Map<string, Declaration>,
  written: Map<Declaration, string>,
): string {
  const elsewhere: string[] = []
  const own: string[] = []
  for (const [name, declaration] of [...exported].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const place = written.get(declaration)
    if (place === undefined) {
      written.set(declaration, part)
      own.push(name === declaration.name ? declaration.text : `// as ${name}\n${declaration.text}`)
    } else elsewhere.push(`- \`${name}\`, as in \`${place}\``)
  }
  return [`# ${part}`, ...(elsewhere.length > 0 ? [elsewhere.join('\n')] : []), code(own)].join('\n\n')
}

/** Names of files are left out: they may change. */
function reachedText(reached: Declaration[]): string {
  const intro =
    'Types that the exported ones are made of. They have no name outside, but whoever uses the package sees their shape.'
  return `# Not exported\n\n${intro}\n\n${code(reached.map(({ text }) => text).sort())}`
}

function code(texts: string[]): string {
  return `\`\`\`ts\n${texts.join('\n\n')}\n\`\`\`\n`
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-api-'))
  execFileSync('tar', ['-xzf', packedTarball(), '-C', folder])
  rmSync(reportFolder, { recursive: true, force: true })
  mkdirSync(reportFolder)
  for (const [file, text] of apiReport(join(folder, 'package'))) writeFileSync(join(reportFolder, file), text)
  rmSync(folder, { recursive: true, force: true })
}
