/** Compilers, build tools, package managers, containers. */
import { ALL, type Launcher, type Launchers, RUN } from './launcher.ts'

const CONTAINER_OPTIONS =
  '-v --volume --mount --privileged --device --cap-add --pid --net --network --ipc --uts --userns --security-opt --entrypoint --env-file --volumes-from --add-host --cgroup-parent --runtime'
const COMPOSE: Launcher = {
  options: '-f --file --env-file --project-directory',
  subcommands: { 'run exec cp create': { options: CONTAINER_OPTIONS, runs: 0 } },
}
const PIP: Launcher = {
  options:
    '-i --index-url --extra-index-url -e --editable -f --find-links --trusted-host --proxy -t --target --prefix --root --global-option --config-settings --python --src --log --cert --client-cert --report -c --constraint --build-option --install-option',
  words: /:\/\/|^git\+|^\.{0,2}\/|^[^=]*@ ?/,
}

export const BUILD_LAUNCHERS: Launchers = {
  'make gmake bmake': {
    options: '--eval -f --file --makefile -I --include-dir -E',
    words:
      /^(SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKEFILES|MAKE|CC|CXX|LD|AR|PATH|LD_\w+|.*(COMMAND|WRAPPER|LAUNCHER))\s*:{0,3}[+?!]?=/,
    values: '-C -j -l -o -W --directory --jobs',
    flags: '-B -k -n -s -q -t -w -d -p -i -r -R',
  },
  'cmake ctest': {
    options: '-P -E --script --toolchain --build-and-test',
    words: /^-D.*(COMPILER|LAUNCHER|COMMAND|TOOLCHAIN|PROGRAM|INCLUDE)/i,
    values: '-S -B -C',
  },
  'ninja meson': { options: '-f -t' },
  'just task rake ant invoke fab sbt lein': {
    options:
      '-f --file --justfile --shell --shell-arg -c --command -e --execute -E -r --require -I --libdir --buildfile --taskfile -t --dir -d --working-directory --chooser',
  },
  'gradle gradlew': {
    options:
      '-I --init-script -c --settings-file -b --build-file --include-build -p --project-dir -D -g --gradle-user-home',
  },
  'mvn mvnw': {
    options: '-s --settings -gs -f --file -t --toolchains',
    words: /exec:|^-D.*(exec|repositor|plugin|agent|argLine)/i,
  },
  'bazel bazelisk': {
    options: '--override_repository --run_under --bazelrc --host_jvm_args --shell_executable',
    subcommands: { run: RUN },
  },
  cargo: {
    options: '--config -Z --git --registry --index --manifest-path -C',
    words: /^\+/,
    subcommands: { 'install login publish': { options: '--path', words: /^[^-]/ } },
  },
  rustc: { options: '-C --codegen -Z --sysroot -L --extern -l', words: /^@/ },
  rustup: { subcommands: { run: { runs: 1 }, 'toolchain override': ALL } },
  go: {
    oneDash: true,
    options: '-toolexec -exec -overlay -modfile -vettool -ldflags -gccgoflags -C',
    words: /@/,
    subcommands: { 'generate tool': ALL, env: { oneDash: true, options: '-w' } },
  },
  'gcc g++ cc c++ clang clang++ tcc cpp gfortran nvcc': {
    oneDash: true,
    options: '-wrapper -specs -B -Xclang -load -fuse-ld -Xlinker -iplugindir',
    words: /^@|^-Wl,.*(plugin|@)|^-f(plugin|pass-plugin)/,
  },
  'ld lld gold as': {
    oneDash: true,
    options: '-plugin -plugin-opt -dynamic-linker -rpath -T -I',
    words: /^@/,
  },
  pip: PIP,
  uv: { ...PIP, subcommands: { 'run tool x': RUN } },
  'pipx poetry pipenv hatch conda mamba pdm rye bundle direnv asdf mise rbenv pyenv nvm volta fnm devbox nix-shell composer dotnet flatpak snap':
    {
      options: '--index-url --run --command -c --expr -E --repository',
      subcommands: { 'exec run x tool script': RUN },
    },
  nix: {
    options: '--expr --impure --command -c --option',
    words: /:/,
    subcommands: { 'run shell develop': ALL },
  },
  'npm pnpm yarn': {
    options:
      '--node-options --script-shell --shell --registry --userconfig --globalconfig --prefix -g --global --git --proxy --https-proxy --init-module --editor --viewer --browser --call -c --cwd -C --dir --cache-folder --modules-folder',
    words: /:\/\/|^git[+@]|^(github|gitlab|bitbucket|gist|file|link|portal):/,
    flags:
      '-s -w -D -E -q -d -y --silent --workspaces --if-present --save-dev --yes --no-audit --no-fund --json',
    subcommands: {
      'exec exe x dlx node': RUN,
      // Of a folder, an archive, or user/repository: not a package of the registry.
      'install i add link ln': { words: /^(?!@)[^=]*\/|\.tgz$|^\.\.?$/ },
      'init create innit explore edit set': ALL,
      'config c pkg': { subcommands: { 'set edit delete fix': ALL } },
    },
  },
  gem: {
    options: '-s --source --clear-sources -P -i --install-dir',
    words: /:\/\//,
    subcommands: { exec: RUN },
  },
  'apt apt-get aptitude apt-cache': { options: '-o --option -c --config-file', words: /^\.{0,2}\// },
  'dpkg rpm dnf yum brew pacman apk': {
    options:
      '-i --install --pre-invoke --post-invoke --admindir --root -E --eval --pipe -D --define --setopt --config -c --hookdir',
    words: /:\/\//,
  },
  'lerna nx turbo': { subcommands: { exec: RUN } },
  'eslint vitest vite jest mocha webpack rollup prettier babel stylelint tsc esbuild swc lint-staged ava nyc c8':
    {
      options:
        '-c --config --rulesdir --resolve-plugins-relative-to --plugin --plugins --presets --config-file --parser -o --output-file -r --require --import --loader --globalSetup --setupFiles --setupFilesAfterEnv --testEnvironment --testRunner --transform --reporter --reporters --format -f --outputFile --package --root --rootDir --resolver --runner --environment --execArgv',
    },
  pytest: {
    options:
      '-p -c --config-file --rootdir --confcutdir --pdbcls --basetemp --log-file --junitxml --junit-xml -o --override-ini',
    values: '-k -m -n',
    flags: '-v -q -x -s -l',
  },
  'docker podman nerdctl': {
    globals: '-H --host -c --context --config --tlscacert --url --connection',
    values: '-l --log-level',
    subcommands: {
      'run create': { options: CONTAINER_OPTIONS, runs: 0 },
      exec: { options: '--privileged', runs: 0 },
      'cp import load save export plugin buildx context machine swarm service stack': ALL,
      'compose container': COMPOSE,
      'build image': {
        options: '-f --file --secret --ssh --build-context -o --output --allow --add-host --network',
        words: /:\/\//,
      },
    },
  },
  'docker-compose podman-compose': COMPOSE,
  'kubectl oc': {
    options:
      '--kubeconfig --server -s --token --as --as-group --cluster --user --client-certificate --client-key',
    values: '-n --namespace --context -o --output -l --selector -c --container',
    words: /:\/\//,
    subcommands: { 'exec debug run attach': { runs: 1 }, 'cp port-forward proxy plugin': ALL },
  },
  helm: {
    options: '--post-renderer --kubeconfig --kube-apiserver',
    words: /:\/\//,
    subcommands: { plugin: ALL },
  },
  'terraform tofu': {
    oneDash: true,
    options: '-chdir -plugin-dir -var-file -from-module -backend-config',
    subcommands: { console: ALL },
  },
  'ansible ansible-playbook': {
    options: '-a -m -e -i -M --args --module-name --extra-vars --inventory --module-path',
  },
  vagrant: { subcommands: { 'ssh provision plugin': ALL } },
  ip: { subcommands: { netns: { subcommands: { exec: { runs: 1 } } } } },
  'systemctl journalctl': {
    options: '-H --host -M --machine',
    subcommands: { 'edit link enable import-environment set-environment': ALL },
  },
}
