/** The package as users get it: compiled, in its own folder. Node's type stripping would distort both sides. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from './measure.ts'

const root = resolve(import.meta.dirname, '..')

export interface Built {
  folder: string
  /** The median time and memory over several runs of `node <file> …`. */
  measure(file: string, args: readonly string[], times: number): { ms: number; rssKb: number }
  /** What `node <file> …` prints. */
  output(file: string, args: readonly string[]): string
  remove(): void
}

export function build(): Built {
  const folder = mkdtempSync(join(tmpdir(), 'tb-'))
  const config = join(folder, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        rewriteRelativeImportExtensions: true,
        outDir: folder,
        rootDir: root,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: [
        'src/index.ts',
        'bench/overhead-child.ts',
        'bench/overhead-memory.ts',
        'bench/overhead-lengths.ts',
      ].map((file) => join(root, file)),
    }),
  )
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'empty.js'), '')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { stdio: 'inherit' })
  const output = (file: string, args: readonly string[]) => {
    const run = spawnSync(process.execPath, [join(folder, file), ...args], { encoding: 'utf8' })
    if (run.status !== 0) throw new Error(`${file} failed: ${run.stderr}`)
    return run.stdout
  }
  return {
    folder,
    measure(file, args, times) {
      const ms: number[] = []
      const rssKb: number[] = []
      for (let i = 0; i < times; i++) {
        const start = process.hrtime.bigint()
        const printed = output(file, args)
        ms.push(Number(process.hrtime.bigint() - start) / 1e6)
        rssKb.push(Number(printed.trim() || 0))
      }
      return { ms: median(ms), rssKb: median(rssKb) }
    },
    output,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
