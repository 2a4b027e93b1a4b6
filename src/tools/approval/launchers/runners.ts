/** Programs that run their arguments; shells and interpreters; builtins that change what later words mean. */
import { ALL, type Launchers, RUN } from './launcher.ts'

/** Variables that decide which program is run, what it loads, or where its settings are. */
const DECIDING = [
  'PATH|HOME|LD_|DYLD_|BASH_|ENV|SHELL|IFS|PS\\d|PROMPT_|GIT_|NODE_|PYTHON|PERL|RUBY|npm_|CC|CXX|XDG_|CDPATH|ZDOTDIR',
  'GCC_|CARGO|RUST|GO[A-Z]|JAVA|JDK_|_JAVA|MAVEN|GRADLE|PIP_|UV_|SSH_|RSYNC_|DOCKER_|KUBE|CURL_|WGET|TAR_|LESS|MAKE',
  '\\w*(COMMAND|PAGER|EDITOR|VISUAL|BROWSER|PRELOAD|WRAPPER|OPTIONS|OPTS|FLAGS|CONFIG|ASKPASS|PROXY)',
].join('|')
export const SET_BY_EXPORT = new RegExp(`^(${DECIDING})\\w*\\+?=`)
const SET_BY_NAME = new RegExp(`^(${DECIDING})\\w*(\\[|=|$)`)

export const RUNNERS: Launchers = {
  'nohup setsid eval exec command builtin busybox toybox pkexec systemd-run fakeroot catchsegv entr ssh-agent dbus-run-session xvfb-run ltrace valgrind proot firejail bwrap trap npx pnpx bunx uvx hyperfine nodemon corepack cross-env concurrently dotenv env-cmd setarch linux32 linux64 prlimit choom sg setpriv capsh ld-linux-x86-64.so ld-linux-aarch64.so tini dumb-init chpst pm2 forever foreman honcho overmind hivemind pixi':
    RUN,
  env: { options: '-S --split-string', values: '-u --unset -C --chdir', runs: 0 },
  sudo: { options: '-s --shell -i --login -e --edit', values: '-u -g -h -p -C -T -r -t -D -R', runs: 0 },
  doas: { options: '-s -C', values: '-u', runs: 0 },
  'su runuser': ALL,
  'nice ionice time': { values: '-n -c -f -o', runs: 0 },
  stdbuf: { values: '-i -o -e', runs: 0 },
  watch: { values: '-n --interval -q', flags: '-d -t -c -e -g -b -x', runs: 0 },
  timeout: { values: '-s --signal -k --kill-after', flags: '--foreground --preserve-status -v', runs: 1 },
  'chroot chrt taskset': { runs: 1 },
  'unshare nsenter numactl sshpass': RUN,
  flock: { options: '-c --command', values: '-w -E', runs: 1 },
  'strace gdb lldb perf': { options: '-o -x -ex --command --eval-command', values: '-e -p -s -u', runs: 0 },
  script: { options: '-c --command', words: /^[^-]/ },
  'xargs parallel': {
    options: '-a --arg-file',
    values: '-d -E -I -L -n -P -s -j',
    flags: '-0 -r -t -p -x --null --no-run-if-empty',
    runs: 0,
    appends: true,
  },
  find: {
    oneDash: true,
    runsAfter: '-exec -execdir -ok -okdir',
    switches: '-delete',
    options: '-fprint -fprint0 -fprintf -fls -files0-from',
  },
  'fd fdfind': { runsAfter: '-x --exec -X --exec-batch' },
  // A script in a file is what they are for; code in an argument is not.
  'sh bash dash zsh ksh fish ash': {
    options: '-c -s -i -l -O --rcfile --init-file --login',
    words: /^-$|^\+O/,
    flags: '-e -u -x -n -v -f --norc --noprofile',
    endsAtOperand: true,
  },
  'source .': {},
  'node nodejs tsx ts-node': {
    options:
      '-e --eval -p --print -pe -r --require --import --loader --experimental-loader -i --interactive --env-file --openssl-config --build-snapshot --experimental-sea-config --run --diagnostic-dir --cpu-prof-dir --heap-prof-dir --inspect --inspect-brk --inspect-wait --test-reporter --test-reporter-destination --test-global-setup --snapshot-blob --redirect-warnings',
    flags: '--test --watch',
    words: /^-$/,
    endsAtOperand: true,
  },
  'python pypy': {
    endsAtOperand: true,
    options: '-c -m -i',
    words: /^-$/,
    values: '-W -X',
    flags: '-u -B -E -s -S -O -v -q -I',
  },
  perl: { endsAtOperand: true, options: '-e -E -M -m -I -d -D -s -S -i -x', words: /^-$/ },
  ruby: { endsAtOperand: true, options: '-e -r -I -x -S -i -C', words: /^-$/ },
  php: { endsAtOperand: true, options: '-r -B -R -E -F -d -S -c -z -a -t', words: /^-$/ },
  'lua luajit texlua': { endsAtOperand: true, options: '-e -l -i', words: /^-$/ },
  'r rscript julia ghc runghc elixir erl groovy scala kotlin clojure guile racket sbcl swipl osascript tclsh jshell':
    { options: '-e -E -L -x -l --eval --load -r -s -i', words: /^-$/ },
  'pwsh powershell': { words: /^-(c|e|command|encodedcommand|ec)/i },
  bun: { options: '-e --eval -r --preload --print -p', subcommands: { x: RUN, create: ALL } },
  deno: {
    options: '--config -c --import-map --preload',
    words: /:\/\//,
    subcommands: { 'eval repl install upgrade': ALL },
  },
  java: {
    oneDash: true,
    options: '-cp -classpath --class-path --module-path -p',
    words: /^@|^-(agent|javaagent|XX:On|XX:Flags|Xrun|Xbootclasspath)/,
  },
  'ed ex at batch socat xdg-open open expect screen tmux run-parts': ALL,
  hash: { options: '-p' },
  enable: { options: '-f' },
  'bind complete compgen fc': { options: '-C -x -F -f -e -s' },
  alias: { words: /=/ },
  'export declare typeset local readonly': { words: SET_BY_EXPORT },
}

/** Builtins and programs that run nothing of their arguments, unless told so. */
export const SETTERS: Launchers = {
  'mapfile readarray': { options: '-C', words: SET_BY_NAME },
  printf: { options: '-v' },
  'read getopts unset wait let': { words: SET_BY_NAME },
  fzf: { options: '--preview --bind --listen --with-shell' },
  emacsclient: { options: '-e --eval' },
}
