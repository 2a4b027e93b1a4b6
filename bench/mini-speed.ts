/**
 * How fast the embedded model is, and what it takes: as the package has it, compiled, in a process of its own that does nothing else.
 * Of each process the fastest round counts, since others use the machine, too; of three processes the median.
 *
 *     node bench/mini-speed.ts src/models/embedded/mini/mini.gguf
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from './measure.ts'

export interface MiniSpeed {
  /** Of prompts and of texts, all that are computed; those that earlier requests have left don't count. 64 at once. */
  tokensPerSecond: number
  /** One request at a time. */
  aloneTokensPerSecond: number
  /** Above the process before it loads anything of Thinkon, at most. */
  rssMb: number
  /** Until the model can be asked. */
  loadMs: number
  /** Of the file. */
  bytes: number
}

const root = resolve(import.meta.dirname, '..')
const model = 'src/models/embedded/mini'
const TIMES = 3

export async function measureMiniSpeed(file: string): Promise<MiniSpeed> {
  const folder = build()
  try {
    const runs = Array.from({ length: TIMES }, () => {
      const child = execFileSync(process.execPath, [join(folder, 'bench/mini-speed-child.js'), resolve(file)])
      return JSON.parse(child.toString()) as Omit<MiniSpeed, 'bytes'>
    })
    const of = (key: keyof Omit<MiniSpeed, 'bytes'>) => median(runs.map((run) => run[key]))
    return {
      tokensPerSecond: Math.round(of('tokensPerSecond')),
      aloneTokensPerSecond: Math.round(of('aloneTokensPerSecond')),
      rssMb: Math.round(of('rssMb')),
      loadMs: Math.round(of('loadMs')),
      bytes: statSync(file).size,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** With what the package has of it. */
function build(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-mini-speed-'))
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
      include: ['bench/mini-speed-child.ts', `${model}/inference/text-worker.ts`].map((file) =>
        join(root, file),
      ),
    }),
  )
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { stdio: 'inherit' })
  const kernel = `${model}/inference/kernel.wasm`
  cpSync(join(root, kernel), join(folder, kernel))
  return folder
}

if (import.meta.main) {
  const [file] = process.argv.slice(2)
  if (file === undefined) throw new Error('usage: node bench/mini-speed.ts <file of weights>')
  process.stdout.write(`${JSON.stringify(await measureMiniSpeed(file))}\n`)
}
