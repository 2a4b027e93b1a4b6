import { ALL, type Launcher, type Launchers, RUN } from './launcher.ts'

const ADDRESS = /:\/\/|::|@[^@]*:/
const isRemoteName = (operand: string) => /^[A-Za-z0-9][\w./-]*$/.test(operand)

const TRANSFER: Launcher = {
  options: '--upload-pack --receive-pack --exec --repo',
  words: ADDRESS,
  isHarmless: isRemoteName,
  values:
    '-o --push-option --server-option --depth --deepen --shallow-since --shallow-exclude -j --jobs --refmap --filter --negotiation-tip -X --strategy-option',
  flags:
    '-a -f -k -n -p -P -q -t -u -v -d -4 -6 --all --append --force --force-with-lease --tags --no-tags --prune --quiet --verbose --dry-run --rebase --no-rebase --ff-only --ff --no-ff --set-upstream --atomic --delete --progress --unshallow --no-verify --follow-tags --autostash --heads --refs --recurse-submodules --no-recurse-submodules --ipv4 --ipv6 --update-shallow --keep --mirror --porcelain',
}

/** Sections and keys of its configuration that name a program, a file of configuration, or an address. */
const CONFIG_KEYS =
  /^(alias|core|include|includeif|credential|diff|difftool|merge|mergetool|filter|gpg|pager|sequence|uploadpack|url|https?|protocol|submodule|sendemail|browser|web|man|help|interactive|init|receive|trailer|gui|guitool|instaweb|ssh|safe|transfer|fetch|extensions|remote\..*\.(?!url$|fetch$)[a-z]+)\b|::/i

const GIT: Launcher = {
  globals: '-c --config-env --exec-path --git-dir --super-prefix --attr-source',
  values: '-C --work-tree --namespace',
  flags:
    '-p -P --paginate --no-pager --no-optional-locks --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice --version --help -v -h',
  subcommands: {
    'fetch pull push ls-remote fetch-pack send-pack': TRANSFER,
    clone: {
      options:
        '--upload-pack -u --template --config -c --recurse-submodules --recursive --reference --bundle-uri',
      words: ADDRESS,
      isHarmless: isRemoteName,
      values: '-b --branch -o --origin --depth -j --jobs --filter',
    },
    remote: { words: ADDRESS },
    archive: { options: '-o --output --remote --exec', values: '--format --prefix' },
    submodule: { words: ADDRESS, subcommands: { foreach: RUN, 'add set-url': ALL } },
    config: {
      options: '-f --file --blob',
      switches: '-e --edit --global --system',
      words: CONFIG_KEYS,
      flags: '-l --get --get-all --list --local --show-origin --unset',
    },
    grep: { options: '-O --open-files-in-pager', values: '-e -f -A -B -C -m' },
    difftool: { options: '-x --extcmd -t --tool --output' },
    mergetool: { options: '-t --tool' },
    'diff log show shortlog whatchanged diff-tree diff-index diff-files stash reflog range-diff rev-list': {
      options: '--output',
      switches: '--ext-diff',
    },
    'format-patch': { options: '-o --output-directory --output --ext-diff' },
    rebase: { options: '-x --exec', values: '-s -X --onto' },
    bisect: { subcommands: { run: RUN } },
    apply: { options: '--unsafe-paths' },
    init: { options: '--template --separate-git-dir' },
    'checkout-index': { options: '--prefix' },
    'cat-file': { options: '--textconv --filters' },
    'merge-index': RUN,
    help: { options: '-w --web -i --info -m --man' },
    bundle: { subcommands: { create: ALL } },
    maintenance: { subcommands: { 'start register': ALL } },
    'filter-branch for-each-repo daemon http-backend shell remote-ext remote-fd upload-pack receive-pack upload-archive credential credential-store credential-cache send-email imap-send instaweb web--browse hook fast-import fast-export cvsserver cvsimport svn p4 request-pull':
      ALL,
  },
}

export const GIT_LAUNCHERS: Launchers = {
  git: GIT,
  'gh glab hub': {
    options: '--hostname',
    subcommands: {
      'alias config': { subcommands: { 'set import': ALL } },
      'extension ext': { subcommands: { 'install exec upgrade': ALL } },
      'api codespace cs': ALL,
    },
  },
}
