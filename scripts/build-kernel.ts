// Compiles the arithmetic of the embedded model from AssemblyScript to WebAssembly: `npm run kernel`. The result, a few kilobytes, is
// committed; a test demands that it is what the source compiles to.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const model = 'src/models/embedded/mini'

export const KERNEL = join(root, model, 'inference/kernel.wasm')

export function buildKernel(file: string): void {
  const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js')
  const options = [
    '-O3',
    '--noAssert',
    '--enable',
    'simd',
    '--runtime',
    'stub',
    '--importMemory',
    '--noExportMemory',
  ]
  const source = join(model, 'assembly/kernel.ts')
  execFileSync(process.execPath, [compiler, source, ...options, '-o', file], { cwd: root, stdio: 'inherit' })
}

if (import.meta.main) buildKernel(KERNEL)
