/**
 * Files that hold keys, passwords and the like outside the workspace: a command in the sandbox can't read them. Folders are
 * empty there, files can't be opened.
 */
import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf, homeFolder, isWithin } from '../files/look.ts'
import { stateFolder } from '../files/state-folder.ts'

/** In every home folder. */
const IN_HOME: readonly string[] = [
  ...['.ssh', '.gnupg', '.config', '.password-store', '.local/share/keyrings', '.local/share/kwalletd'],
  ...['.aws', '.azure', '.gcloud', '.oci', '.kube', '.docker', '.boto', '.s3cfg', '.rclone.conf', '.fly'],
  ...['.terraform.d', '.terraformrc', '.vault-token', '.databrickscfg', '.snowsql', '.kaggle'],
  ...[
    '.netrc',
    '.git-credentials',
    '.subversion/auth',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.gem/credentials',
  ],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.m2/settings.xml', '.gradle/gradle.properties'],
  ...['.nuget/NuGet/NuGet.Config', '.composer/auth.json', '.cache/huggingface/token', '.huggingface'],
  ...['.pgpass', '.my.cnf', '.mylogin.cnf', '.mozilla', '.thunderbird', '.purple'],
  ...['.thinkon', '.local/state/thinkon', '.claude', '.claude.json', '.codex', '.gemini', '.cursor'],
  ...['.bash_history', '.zsh_history', '.sh_history', '.local/share/fish', '.python_history'],
  ...['.node_repl_history', '.psql_history', '.mysql_history', '.sqlite_history', '.rediscli_history'],
]

/** Readable only for root. */
const OF_THE_SYSTEM: readonly string[] = [
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/ssl/private', '/etc/wireguard'],
  ...['/etc/kubernetes', '/etc/rancher', '/etc/NetworkManager/system-connections', '/var/spool/cron'],
  ...['/var/lib/kubelet', '/var/lib/docker', '/var/lib/containerd'],
]

/** Not secret, and git needs them: without a name, no commit. */
const SHOWN_IN_HOME: readonly string[] = [
  ...['.config/git/config', '.config/git/ignore', '.config/git/attributes'],
]

/** Variables whose value is the path of a file with a key, by what is in their name. */
const NAMES_A_SECRET = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH)(_|$)/
/** Variables whose value is the path of a file or folder with keys. */
const NAMES: readonly string[] = [
  ...['KUBECONFIG', 'AWS_CONFIG_FILE', 'PGPASSFILE', 'NETRC', 'GNUPGHOME', 'DOCKER_CONFIG', 'XAUTHORITY'],
  ...['AZURE_CONFIG_DIR', 'CLOUDSDK_CONFIG', 'NPM_CONFIG_USERCONFIG', 'npm_config_userconfig'],
]
const MAX_HOMES = 50

export interface SecretFiles {
  /** Real paths. */
  readonly folders: readonly string[]
  readonly files: readonly string[]
  /** To be shown although they are hidden with one of the folders. */
  readonly shown: readonly string[]
}

/** Those that exist and that we could read. `passed`: variables that the configuration passes on, and what they name. */
export function secretFiles(env: NodeJS.ProcessEnv, passed: readonly string[]): SecretFiles {
  const homes = homeFolders(env)
  const inHomes = homes.flatMap((home) => IN_HOME.map((name) => join(home, name)))
  const found = new Map<string, Stats>()
  for (const path of [...inHomes, ...OF_THE_SYSTEM, stateFolder(env), ...namedByVariables(env, passed)]) {
    const real = readable(path)
    // A folder that holds a home (a variable or a link may lead anywhere) would take the programs with it.
    const isTooMuch =
      real?.stats.isDirectory() && homes.some((home) => `${home}/`.startsWith(`${real.path}/`))
    if (real !== null && !isTooMuch) found.set(real.path, real.stats)
  }
  const paths = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  const folders = paths.filter(([, stats]) => stats.isDirectory()).map(([path]) => path)
  const isHidden = (path: string) => folders.some((folder) => isWithin(folder, path))
  return {
    folders: folders.filter((path) => !isHidden(path)),
    files: paths.filter(([path, stats]) => !stats.isDirectory() && !isHidden(path)).map(([path]) => path),
    shown: [
      ...homes.flatMap((home) => SHOWN_IN_HOME.map((name) => join(home, name))),
      ...programFolders(env.PATH ?? '', folders),
      ...passed.flatMap((name) => pathsIn(env[name], env)),
    ].filter((path) => isHidden(path) && readable(path) !== null),
  }
}

function homeFolders({ HOME }: NodeJS.ProcessEnv): string[] {
  const others = entriesOf('/home').slice(0, MAX_HOMES)
  const homes = [HOME, homeFolder(), '/root', ...others.map(({ name }) => join('/home', name))]
  const real = homes.map((home) => (home?.startsWith('/') ? readable(home)?.path : undefined))
  return [...new Set(real.filter((home) => home !== undefined))]
}

function namedByVariables(env: NodeJS.ProcessEnv, passed: readonly string[]): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const isFolderToo = NAMES.includes(name)
    if (passed.includes(name) || !(isFolderToo || NAMES_A_SECRET.test(name.toUpperCase()))) return []
    return pathsIn(value, env).filter((path) => isFolderToo || !isFolder(path))
  })
}

function pathsIn(value = '', { HOME = '' }: NodeJS.ProcessEnv): string[] {
  const paths = value.split(':').map((path) => path.replace(/^~(?=\/)/, HOME))
  return paths.filter((path) => path.startsWith('/'))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Programs that are installed in a hidden folder (nvm in ~/.config), with the libraries beside their `bin`. */
function programFolders(path: string, hidden: readonly string[]): string[] {
  return path.split(':').flatMap((folder) => {
    const within = hidden.find((one) => isWithin(one, folder))
    if (within === undefined) return []
    const prefix = folder.replace(/\/s?bin\/?$/, '')
    return [isWithin(within, prefix) ? prefix : folder]
  })
}

function readable(path: string): { path: string; stats: Stats } | null {
  try {
    accessSync(path, constants.R_OK)
    const real = realpathSync(path)
    return real === '/' ? null : { path: real, stats: statSync(real) }
  } catch {
    return null
  }
}
