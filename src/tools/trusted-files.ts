/**
 * Files that a program executes or trusts later, outside the sandbox and without being told to: they are read-only for a
 * command in the sandbox, and the file tools ask before they write to them, whatever the rules allow in general.
 *
 * Not here, because they are what a project is about: source code, tests, Makefiles, lock files, node_modules. They run when
 * you build or test, and that is for you to decide.
 */

interface TrustedFile {
  /** In any folder of the workspace, in any case; with a `/`, the end of a path; `*` is any text. */
  readonly name: string
  readonly trustedBy: string
  /**
   * Read-only at the top of the workspace even where it does not exist. Meanwhile an empty folder is in its place, which the
   * programs that read the file must tolerate: Node and npm do, Yarn and mise don't. Others are reported when they appear.
   */
  readonly evenMissing?: true
}

export const TRUSTED_FILES: readonly TrustedFile[] = [
  ...['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => ({
    name: `thinkon.config.${ending}`,
    trustedBy: 'Thinkon: runs code, starts MCP servers, names the hosts that keys are sent to',
    evenMissing: true as const,
  })),
  { name: 'thinkon.config.*', trustedBy: 'Thinkon: endings that are refused or may be read one day' },
  { name: '.thinkon', trustedBy: 'Thinkon: journals, executors, blueprints', evenMissing: true },

  { name: 'thinkon/trust', trustedBy: 'Thinkon: which configurations you trust' },

  { name: '.git', trustedBy: 'git: hooks, and programs named in its configuration', evenMissing: true },
  { name: '.gitmodules', trustedBy: 'git: what is fetched, and to where' },
  { name: '.husky', trustedBy: 'git hooks' },
  { name: '.githooks', trustedBy: 'git hooks' },
  { name: '.pre-commit-config.yaml', trustedBy: 'git hooks' },
  { name: 'lefthook.yml', trustedBy: 'git hooks' },
  { name: 'lefthook.yaml', trustedBy: 'git hooks' },
  { name: '.lefthook.yml', trustedBy: 'git hooks' },
  { name: '.github/workflows', trustedBy: 'GitHub, with the secrets of the repository' },
  { name: '.gitlab-ci.yml', trustedBy: 'GitLab, with the secrets of the repository' },

  { name: 'package.json', trustedBy: 'npm: scripts that an install runs; Thinkon', evenMissing: true },
  { name: '.npmrc', trustedBy: 'npm: registry, shell, options of Node', evenMissing: true },
  { name: '.yarnrc', trustedBy: 'Yarn: the program it runs' },
  { name: '.yarnrc.yml', trustedBy: 'Yarn: the program it runs, plugins' },
  { name: '.yarn/releases', trustedBy: 'Yarn: the program it runs' },
  { name: '.yarn/plugins', trustedBy: 'Yarn: plugins' },
  { name: '.pnpmfile.cjs', trustedBy: 'pnpm: code that an install runs' },
  { name: 'bunfig.toml', trustedBy: 'Bun: modules that it loads first' },

  { name: '.envrc', trustedBy: 'direnv: run when a shell enters the folder', evenMissing: true },
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_aliases',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
  ].map((name) => ({ name, trustedBy: 'a shell, when it starts' })),
  { name: '.gitconfig', trustedBy: 'git: programs named in its configuration' },
  { name: '.ssh', trustedBy: 'ssh: who may log in, programs named in its configuration' },
  { name: '.tool-versions', trustedBy: 'asdf, mise: which programs a shell starts' },
  { name: 'mise.toml', trustedBy: 'mise: run when a shell enters the folder' },
  { name: '.mise.toml', trustedBy: 'mise: run when a shell enters the folder' },

  { name: '.vscode', trustedBy: 'VS Code: tasks, programs named in settings', evenMissing: true },
  { name: '*.code-workspace', trustedBy: 'VS Code: tasks, programs named in settings' },
  { name: '.idea', trustedBy: 'JetBrains: run configurations', evenMissing: true },
  { name: '.zed', trustedBy: 'Zed: tasks, programs named in settings', evenMissing: true },
  { name: '.devcontainer', trustedBy: 'VS Code and others: commands of a container', evenMissing: true },
  { name: '.devcontainer.json', trustedBy: 'VS Code and others: commands of a container' },
  { name: '.exrc', trustedBy: 'Vim' },
  { name: '.nvimrc', trustedBy: 'Neovim' },
  { name: '.nvim.lua', trustedBy: 'Neovim' },
  { name: '.dir-locals.el', trustedBy: 'Emacs' },

  { name: '.mcp.json', trustedBy: 'agents: MCP servers, which are programs', evenMissing: true },
  { name: '.claude', trustedBy: 'Claude Code: hooks, permissions, commands', evenMissing: true },
  { name: '.cursor', trustedBy: 'Cursor: MCP servers, rules', evenMissing: true },
  { name: 'CLAUDE.md', trustedBy: 'agents: instructions' },
  { name: 'AGENTS.md', trustedBy: 'agents: instructions' },
]

/** Read-only at the top of a workspace that is a home folder, also where they don't exist, or because keys are in them. */
export const TRUSTED_IN_HOME: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_aliases', '.bash_logout', '.profile', '.inputrc'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.login', '.cshrc', '.tcshrc'],
  ...['.xprofile', '.xsession', '.xsessionrc', '.xinitrc', '.pam_environment', '.tmux.conf', '.screenrc'],
  ...['.gitconfig', '.vimrc', '.vim', '.emacs', '.emacs.d', '.curlrc', '.wgetrc', '.gdbinit', '.pythonrc'],
  ...['.m2', '.gradle', '.gem', '.nuget', '.composer', '.subversion', '.cache'],
  ...['.local', 'bin', '.cargo', '.nvm', '.pyenv', '.rbenv', '.asdf', '.bun', '.deno', '.node_modules'],
]

/** Who trusts a path relative to the workspace, or a folder that it is in; null if nobody does. */
export function trustedBy(path: string): string | null {
  const found = path.split('/').map((part, i, parts) => entryOf(part, parts[i - 1]))
  return found.find((entry) => entry !== null)?.trustedBy ?? null
}

/** Whether an entry of a folder of this name is trusted. */
export function isTrustedName(name: string, folder?: string): boolean {
  return entryOf(name, folder) !== null
}

function entryOf(name: string, folder = ''): TrustedFile | null {
  const own = plain(name)
  const exact = EXACT.get(own) ?? EXACT.get(`${plain(folder)}/${own}`)
  return exact ?? PATTERNS.find(({ pattern }) => pattern.test(own))?.file ?? null
}

/** As a file system sees it that ignores case or trailing dots. */
export function plain(path: string): string {
  return path
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<![. ])[. ]+(?=\/|$)/g, '')
}

const EXACT = new Map(TRUSTED_FILES.map((file) => [plain(file.name), file]))
const PATTERNS = TRUSTED_FILES.filter(({ name }) => name.includes('*')).map((file) => ({
  pattern: new RegExp(`^${plain(file.name).replaceAll('.', '\\.').replaceAll('*', '.*')}$`),
  file,
}))
