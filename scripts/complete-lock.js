// Completes package-lock.json: npm leaves out the optional packages of other systems when it cannot fetch them, and
// `npm ci` then refuses the lock file. An entry that names version, system and processor is enough for `npm ci` to
// skip the package here and to fetch it there. Everything is read from the lock file and from the packages' names, so
// the result is the same everywhere. Plain JavaScript, because it has to run before Node 24 is installed.
//
//   node scripts/complete-lock.js           adds what is missing
//   node scripts/complete-lock.js --check   fails if something is missing

import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.includes('--check'))

function main(checkOnly) {
  const file = new URL('../package-lock.json', import.meta.url)
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingPackages(lock.packages)
  const paths = Object.keys(missing)
  if (paths.length === 0) return
  if (checkOnly) {
    console.error(
      `package-lock.json lacks ${paths.length} optional packages of other systems, so npm ci fails:`,
    )
    console.error(`${paths.join('\n')}\nRun node scripts/complete-lock.js and commit the lock file.`)
    process.exitCode = 1
    return
  }
  const entries = Object.entries({ ...lock.packages, ...missing })
  // npm's order, so that `npm install` leaves the file as it is.
  entries.sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2)}\n`)
  console.log(`package-lock.json: added ${paths.length} optional packages`)
}

/** The entries that `packages` (of a lock file) lacks, by their paths. */
export function missingPackages(packages) {
  const missing = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const found = findInstalled(packages, path, name)
      if (found?.version === version || (found && !isExact(version))) continue
      if (!isExact(version)) {
        throw new Error(
          `${path} wants ${name}@${version}, which names no single version: add it to package-lock.json by hand`,
        )
      }
      // Beside its dependent, unless another version is there already.
      const target = found ? `${path}/node_modules/${name}` : `node_modules/${name}`
      missing[target] = lockEntry(name, version, entry)
    }
  }
  return missing
}

/** The entry that Node's resolution would find from `path`. */
function findInstalled(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]
    if (found || folder === '') return found
  }
}

function isExact(version) {
  return /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)
}

/** In npm's order of keys: the version, then the rest by name. */
function lockEntry(name, version, dependent) {
  const words = name.split(/[^a-z0-9]+/)
  const cpu = processors.filter((processor) => words.includes(processor))
  const os = systems.filter((system) => words.includes(system))
  const libc = words.filter((word) => word in libraries).map((word) => libraries[word])
  if (cpu.length + os.length === 0) {
    throw new Error(
      `the name of ${name} tells neither system nor processor: add it to package-lock.json by hand`,
    )
  }
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(dependent.dev && { dev: true }),
    ...(os.includes('linux') && libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
    ...(dependent.peer && { peer: true }),
  }
}
