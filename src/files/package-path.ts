/**
 * Files that are installed with Thinkon and are not imported: workers, WebAssembly, the weights of a model, Studio. In a bundle they
 * are not next to the code; then they are read from the installed package.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const THIS_FILE = 'src/files/package-path.ts'

/**
 * The file or folder at a path of the package, such as `src/models/embedded/mini/mini.gguf`. The build has `dist/….js` for `src/….ts`.
 * Throws if the code is in a bundle and no `node_modules` above the bundle contains the package.
 */
export function packagePath(path: string): string {
  // Undefined in a bundle that is CommonJS.
  const here: string | undefined = import.meta.dirname
  if (here !== undefined) {
    const inPackage = pathsIn(join(here, '../..'), basename(dirname(here)) === 'dist')
    if (existsSync(inPackage(THIS_FILE))) return inPackage(path)
  }
  for (const start of [here, process.argv[1] && dirname(process.argv[1])]) {
    for (let folder = start; folder; folder = parentOf(folder)) {
      const inPackage = pathsIn(join(folder, 'node_modules/thinkon'), true)
      if (existsSync(inPackage(THIS_FILE))) return inPackage(path)
    }
  }
  throw new Error(
    `${path} of the package thinkon was not found: a bundle contains only code. Don't bundle thinkon (esbuild: ` +
      `--external:thinkon, Next.js: serverExternalPackages: ['thinkon']), or install it in a folder above the bundle`,
  )
}

function pathsIn(root: string, isBuilt: boolean): (path: string) => string {
  return (path) => join(root, isBuilt ? path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js') : path)
}

function parentOf(folder: string): string | undefined {
  const parent = dirname(folder)
  return parent === folder ? undefined : parent
}
