/** Attacks from inside the sandbox, with bubblewrap: each would make something run or be trusted outside, or reads a key. */
import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../tests/conformance/async.ts'
import { toolIo } from '../testing/tool-io.ts'
import { type ShellOptions, shellTool } from './builtin/shell.ts'
import { openTools } from './open-tools.ts'
import { sandboxStatus } from './sandbox.ts'
import { TRUSTED_FILES } from './trusted-files.ts'

interface Ran {
  exitCode: number | null
  stdout: string
  stderr: string
  sandboxed: boolean
  note?: string
  timedOut?: string
}

const hasSandbox = (await sandboxStatus()).kind === 'bubblewrap'
/** Not in /tmp, which is another one inside. */
let base: string
let workspace: string

beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/thinkon-sandbox-'))
  workspace = join(base, 'workspace')
  mkdirSync(workspace)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe.skipIf(!hasSandbox)('what other programs execute or trust, in the sandbox', () => {
  it('a command that writes thinkon.config.ts is refused, and nothing is left behind', async () => {
    const ran = await run('echo "evil()" > thinkon.config.ts')
    expect(ran).toMatchObject({ sandboxed: true, exitCode: 1 })
    expect(ran.note).toContain('thinkon.config.ts is read-only for commands in the sandbox')
    expect(readdirSync(workspace)).toEqual([])
  })

  const always = TRUSTED_FILES.filter(({ evenMissing }) => evenMissing).map(({ name }) => name)

  it('what does not exist can neither be created as a file, a folder or a link, nor moved into place', async () => {
    const attacks = (name: string) => [
      `echo evil > ${name}`,
      `mkdir -p ${name}/sub`,
      `echo evil > ${name}/evil`,
      `ln -s /etc/passwd ${name}`,
      `ln -sfn /etc ${name}`,
      `mv -f other ${name}`,
      `mv -fT other ${name}`,
      `cp other ${name}`,
      `rmdir ${name}; rm -rf ${name}; umount ${name}`,
      `mv ${name} away; mkdir ${name}; echo evil > ${name}`,
      `mv -T folder ${name}`,
      `unshare -Urm sh -c 'umount ${name}; rmdir ${name}; echo evil > ${name}'`,
    ]
    const prepare = ['echo evil > other', 'mkdir folder', 'echo evil > folder/evil']
    await run([...prepare, ...always.flatMap(attacks)].join('\n'))
    expect(readdirSync(workspace).sort()).toEqual(['folder', 'other'])
  })

  it('what exists stays as it is', async () => {
    const names = TRUSTED_FILES.map(({ name }) => name.replace('*', 'x')).filter((name) => name !== '.git')
    for (const name of names) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      writeFileSync(join(workspace, name), 'truth')
    }
    const attacks = (name: string) => {
      const [top] = name.split('/')
      return [
        `echo evil > ${name}; echo evil >> ${name}`,
        `rm -rf ${name}; rm -rf ${top}`,
        `rm -f hard; ln ${name} hard; echo evil > hard`,
        `echo evil > other; mv -f other ${name}; cp -f other ${name}; sed -i s/truth/evil/ ${name}`,
        `mv ${name} away; mv ${top} away; mkdir -p ${dirname(name)}; echo evil > ${name}`,
        `chmod 777 ${name}; truncate -s0 ${name}; umount ${name}; umount ${top}`,
        `unshare -Urm sh -c 'umount -l ${name}; rm ${name}; echo evil > ${name}'`,
      ]
    }
    await run(names.flatMap(attacks).join('\n'))
    const texts = names.map((name) => [name, readFileSync(join(workspace, name), 'utf8')])
    expect(texts).toEqual(names.map((name) => [name, 'truth']))
  })

  it('what is under a mount can not be reached by another mount', async () => {
    await run(
      [
        'mkdir -p /tmp/x upper work',
        `unshare -Urm sh -c 'mount --bind . /tmp/x && echo evil > /tmp/x/thinkon.config.ts'`,
        `unshare -Urm sh -c 'mount --rbind . /tmp/x; umount -l /tmp/x/package.json; rmdir /tmp/x/package.json; echo evil > /tmp/x/package.json'`,
        `unshare -Urm sh -c 'mount -t overlay -o lowerdir=/usr,upperdir=$PWD,workdir=$PWD/work x /tmp/x && echo evil > /tmp/x/.envrc'`,
        `unshare -Urm sh -c 'mount -t tmpfs x . && echo evil > package.json'`,
      ].join('\n'),
    )
    expect(readdirSync(workspace).sort()).toEqual(['upper', 'work'])
  })

  it('what is in folders below stays as it is, too', async () => {
    const names = [
      'packages/a/package.json',
      'packages/a/.npmrc',
      'b/.vscode/tasks.json',
      'b/thinkon.config.ts',
    ]
    for (const name of names) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      writeFileSync(join(workspace, name), 'truth')
    }
    await run(names.map((name) => `echo evil > ${name}; rm ${name}; echo evil > ${name}`).join('\n'))
    for (const name of names) expect(readFileSync(join(workspace, name), 'utf8')).toBe('truth')
  })

  it('what appears in folders below is reported', async () => {
    mkdirSync(join(workspace, 'packages/a'), { recursive: true })
    writeFileSync(join(workspace, 'packages/a/package.json'), 'truth')
    const created = await run('mkdir -p new/.vscode && echo evil > new/.vscode/tasks.json')
    expect(created.note).toContain('new/.vscode')
    const swapped = await run(
      'mv packages/a packages/b; mkdir packages/a; echo evil > packages/a/package.json',
    )
    expect(swapped.note).toMatch(/packages\/a\/package\.json.*packages\/b\/package\.json/)
    const root = await run('mkdir objects refs; echo ref: refs/heads/x > HEAD; echo evil > config')
    expect(root.note).toContain('config')
    const bare = await run('git init -q --bare x && git -C x config core.fsmonitor /tmp/evil')
    expect(bare.note).toContain('x/config')
    // A name that is marked like a placeholder is not overlooked if there is something in it.
    const hidden = await run('mkdir -p y/.git/hooks && touch -d @7777777 y/.git')
    expect(hidden.note).toContain('y/.git')
    const trust = await run('mkdir -p state/thinkon/trust; echo evil > .bashrc')
    expect(trust.note).toMatch(/\.bashrc.*state\/thinkon\/trust/)
    expect((await run('echo 1 > ordinary; mkdir -p src; echo 1 > src/a.ts')).note).toBeUndefined()
  })

  it('what only stands in for a missing file is named where it is listed', async () => {
    writeFileSync(join(workspace, '.npmrc'), '')
    const { note } = await run('ls -A')
    expect(note).toMatch(/^There is no thinkon\.config\.ts, .*package\.json.*: empty, read-only folders/)
    expect(note).not.toContain('.npmrc')
    expect((await run('ls -d .npmrc; echo done')).note).toBeUndefined()
  })

  it('another command that swaps a folder for a link gains nothing while a sandbox is set up', async () => {
    const outside = join(base, 'outside')
    for (const folder of [outside, join(workspace, 'v')]) {
      mkdirSync(join(folder, '.git/hooks'), { recursive: true })
      writeFileSync(join(folder, '.git/config'), folder === outside ? 'secret' : '')
      writeFileSync(join(folder, 'package.json'), folder === outside ? 'secret' : '')
    }
    const swap = `ln -s ${outside} link; while :; do mv -T v real; mv -T link v; mv -T v link; mv -T real v; done 2>/dev/null`
    const swapping = run(swap, { timeoutMs: 8_000 })
    await isThere('link')
    const stop = performance.now() + 6_000
    let tried = 0
    for (; performance.now() < stop; tried++) {
      const attack = `for d in v real link ${outside}; do touch $d/.git/evil; echo evil > $d/package.json; done; cat v/package.json real/package.json`
      await run(attack).catch((error) =>
        expect(error.message).toContain('changed while the sandbox was set up'),
      )
    }
    await swapping
    expect(tried).toBeGreaterThan(0)
    expect(readdirSync(join(outside, '.git')).sort()).toEqual(['config', 'hooks'])
    expect(readFileSync(join(outside, 'package.json'), 'utf8')).toBe('secret')
  })

  it('where the file is a link, what it leads to stays as it is, and a change of the link is reported', async () => {
    writeFileSync(join(workspace, 'real.json'), 'truth')
    symlinkSync('real.json', join(workspace, 'package.json'))
    const ran = await run(
      'echo evil > package.json; echo evil > real.json; rm package.json; echo evil > package.json',
    )
    expect(readFileSync(join(workspace, 'real.json'), 'utf8')).toBe('truth')
    expect(ran.note).toContain('package.json')
  })

  it('a change by another name of the same file is reported', async () => {
    writeFileSync(join(workspace, 'package.json'), 'truth')
    linkSync(join(workspace, 'package.json'), join(workspace, 'other'))
    expect((await run('echo evil > other')).note).toContain('package.json')
  })

  it('what is not trusted works as before: links, moves, folders, git without a repository', async () => {
    const command =
      'mkdir -p a/b && echo 1 > a/b/c && ln -s b a/d && mv a e && ln e/b/c f && cat e/d/c f && rm -r e f'
    expect(await run(command)).toMatchObject({ exitCode: 0, stdout: '1\n1\n' })
    writeFileSync(join(workspace, 'x.mjs'), "console.log('node works')")
    // A Node in /tmp is not there inside.
    const copy = join(workspace, 'node-copy')
    const isHidden = process.execPath.startsWith('/tmp/')
    if (isHidden) copyFileSync(process.execPath, copy)
    const node = JSON.stringify(isHidden ? copy : process.execPath)
    expect(await run(`${node} x.mjs`)).toMatchObject({ exitCode: 0, stdout: 'node works\n' })
  })

  describe('git', () => {
    beforeEach(() => {
      git('init', '-q')
      git('config', 'user.name', 'A')
      git('config', 'user.email', 'a@example.com')
      writeFileSync(join(workspace, 'a'), '1')
      git('add', 'a')
      git('commit', '-qm', 'first')
    })

    it('works: add, commit, branch, switch, stash, merge, tag, gc', async () => {
      const ran = await run(
        [
          'set -e',
          'echo 2 > b; git add -A; git commit -qm second',
          'git branch x; git switch -q x; echo 3 > c; git add -A; git commit -qm third',
          'git switch -q -; echo 4 > d; git add d; git stash -q; git stash pop -q; git commit -qm fourth',
          'git merge -q -m merged x; git tag v1; git gc -q; git status --short; git diff HEAD~1 --stat',
          'git log --oneline | wc -l',
        ].join('\n'),
      )
      expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/5\n$/) })
      expect(git('status', '--short')).toBe('')
      // Nothing that only stood in for a file was committed.
      expect(git('ls-files').trim().split('\n')).toEqual(['a', 'b', 'c', 'd'])
      expect(git('fsck', '--no-dangling')).toBe('')
    })

    it.each([
      ['writing a hook', 'echo evil > .git/hooks/post-checkout'],
      [
        'replacing the hooks',
        'rm -rf .git/hooks; mv .git/hooks .git/h; mkdir .git/hooks; echo evil > .git/hooks/x',
      ],
      ['setting a configuration', 'git config core.fsmonitor evil; git config core.hooksPath evil'],
      ['writing the configuration', 'echo "[core] fsmonitor = evil" >> .git/config'],
      [
        'replacing the configuration',
        'echo evil > .git/c; mv -f .git/c .git/config; rm .git/config; cp .git/c .git/config',
      ],
      ['replacing the folder', 'mv .git g; cp -r g .git; echo evil >> .git/config; echo evil > .git/hooks/x'],
      ['replacing the folder by a file', 'mv .git g; rmdir .git; ln -sfn g .git; echo "gitdir: g" > .git'],
      [
        'another common folder',
        'mkdir evil; echo ../evil > .git/commondir; rm .git/commondir; mv .git/commondir x; echo ../evil > .git/commondir',
      ],
      ['a linked common folder', 'echo ../evil > e; ln -sf ../e .git/commondir; mv -f e .git/commondir'],
    ])('%s changes neither the configuration nor the hooks', async (_, command) => {
      const state = () =>
        ['config', 'hooks', 'commondir'].map((name) => contentOf(join(workspace, '.git', name)))
      const before = state()
      await run(command)
      expect(state()).toEqual(before)
      expect(git('rev-parse', '--git-common-dir').trim()).toBe('.git')
    })

    it('a folder of hooks that the configuration names can be neither changed nor created', async () => {
      git('config', 'core.hooksPath', 'ops/hooks')
      await run('mkdir -p ops/hooks; echo evil > ops/hooks/post-commit')
      expect(existsSync(join(workspace, 'ops'))).toBe(false)
      mkdirSync(join(workspace, 'ops/hooks'), { recursive: true })
      await run(
        'echo evil > ops/hooks/post-commit; mv ops o; mkdir -p ops/hooks; echo evil > ops/hooks/post-commit',
      )
      expect(readdirSync(join(workspace, 'ops/hooks'))).toEqual([])
      git('config', 'core.hooksPath', '.git/hooks')
      git('config', 'include.path', '../more.conf')
      await run('echo evil > more.conf')
      expect(existsSync(join(workspace, 'more.conf'))).toBe(false)
    })

    it.each([
      ['with a comment', '[core]\n\thooksPath = ops/hooks # of the team\n'],
      ['in one line with its section', '[core] hooksPath = ops/hooks\n'],
      ['in a file that is included', '[include]\n\tpath = ../team.conf ; of the team\n'],
    ])('neither where it is named %s', async (_, config) => {
      writeFileSync(join(workspace, 'team.conf'), '[core]\n\thooksPath = "ops/hooks"\n')
      writeFileSync(join(workspace, '.git/config'), config, { flag: 'a' })
      await run('mkdir -p ops/hooks; echo evil > ops/hooks/post-commit; mv ops o')
      expect(git('config', 'core.hooksPath').trim()).toBe('ops/hooks')
      expect(existsSync(join(workspace, 'ops'))).toBe(false)
    })

    it('a configuration of the worktree can not be created where it counts, and is reported elsewhere', async () => {
      git('config', 'extensions.worktreeConfig', 'true')
      git('init', '-q', 'nested')
      git('worktree', 'add', '-q', 'tree')
      const places = ['.git', 'nested/.git', '.git/worktrees/tree'].map((one) => `${one}/config.worktree`)
      const write = places.map((path) => `echo "[core] fsmonitor = evil" > ${path}`).join(';')
      const ran = await run(`${write}; git status --short && git commit -q --allow-empty -m x && echo done`)
      expect(ran.stdout).toContain('done')
      expect(existsSync(join(workspace, '.git/config.worktree'))).toBe(false)
      for (const path of places.slice(1)) expect(ran.note).toContain(path)
    })

    it('a worktree and a submodule inside are covered, and so is a nested repository', async () => {
      git('worktree', 'add', '-q', 'tree')
      git('init', '-q', 'nested')
      git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', workspace, 'sub')
      const committed = await run(
        'cd tree && echo 1 > t && git add t && git commit -qm tree && cd ../sub && echo 2 > s && git add s && git -c user.name=A -c user.email=a@b.c commit -qm sub',
      )
      expect(committed.stderr).toBe('')
      const files = [
        'tree/.git',
        'sub/.git',
        '.gitmodules',
        '.git/worktrees/tree/commondir',
        '.git/modules/sub/config',
        'nested/.git/config',
      ]
      const before = files.map((name) => contentOf(join(workspace, name)))
      await run(
        [
          ...files.map((name) => `echo evil > ${name}; echo evil > e; mv -f e ${name}`),
          'echo evil > .git/modules/sub/hooks/post-checkout; echo evil > nested/.git/hooks/post-checkout',
          'mv .git/modules m; mv .git/modules/sub m; mv .git/worktrees w; mv nested/.git n',
        ].join('\n'),
      )
      expect(files.map((name) => contentOf(join(workspace, name)))).toEqual(before)
      for (const hooks of ['.git/modules/sub/hooks', 'nested/.git/hooks'])
        expect(readdirSync(join(workspace, hooks))).not.toContain('post-checkout')
    })
  })

  describe('placeholders', () => {
    it('are gone after a time-out, with a command that fights back', async () => {
      const ran = await run(
        `trap '' TERM; (setsid sh -c 'trap "" TERM; while :; do echo evil > thinkon.config.ts; done' 2>/dev/null &) ; while :; do echo evil > package.json; done 2>/dev/null`,
        { timeoutMs: 400 },
      )
      expect(ran.timedOut).toBeDefined()
      expect(readdirSync(workspace)).toEqual([])
    })

    it('are gone after an abort', async () => {
      const stop = new AbortController()
      const running = run('sleep 100', {}, stop.signal)
      await isThere('.vscode')
      stop.abort()
      await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
      expect(readdirSync(workspace)).toEqual([])
    })

    it('stay while another command needs them', async () => {
      const long = run('touch began; sleep 1.5; echo evil > package.json; echo evil > .envrc; ls -A')
      await isThere('began')
      await run('true')
      await run('echo evil > package.json')
      expect(existsSync(join(workspace, 'package.json'))).toBe(true)
      expect((await long).stderr.match(/Is a directory/g)).toHaveLength(2)
      expect(readdirSync(workspace)).toEqual(['began'])
    })

    it('are there for a command that begins while those of another are being removed', async () => {
      const inTurn = async (pauseMs: number) => {
        for (let i = 0; i < 4; i++) {
          const { stderr } = await run('echo evil > package.json; echo evil > .envrc')
          expect(stderr.match(/Is a directory/g)).toHaveLength(2)
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
        }
      }
      await Promise.all([inTurn(0), inTurn(3), inTurn(7)])
      expect(readdirSync(workspace)).toEqual([])
    })

    it('stay while a command of another process needs them, and are gone when both have ended', async () => {
      const other = otherProcess(
        'touch began; sleep 2; echo evil > package.json; echo evil > thinkon.config.ts',
      )
      await isThere('began')
      await run('true')
      expect(existsSync(join(workspace, 'package.json'))).toBe(true)
      await new Promise((resolve) => other.on('exit', resolve))
      expect(readdirSync(workspace)).toEqual(['began'])
    })

    it('that a killed process left behind are removed when a run opens its tools, but not while they are in use', async () => {
      execFileSync('git', ['init', '-q', workspace])
      mkdirSync(join(workspace, '.idea'))
      const killed = otherProcess('touch began; sleep 100')
      await isThere('began')
      killed.kill('SIGKILL')
      await new Promise((resolve) => killed.on('exit', resolve))
      // Its sandbox takes a moment to end.
      await until(async () => {
        await (await openTools({ workspace })).close()
        return !existsSync(join(workspace, '.envrc'))
      }, 'what was left behind is gone')
      expect(readdirSync(workspace).sort()).toEqual(['.git', '.idea', 'began'])
      expect(existsSync(join(workspace, '.git/commondir'))).toBe(false)
      const living = otherProcess('touch living; sleep 3; echo evil > package.json')
      const ended = new Promise((resolve) => living.on('exit', resolve))
      await isThere('living')
      await (await openTools({ workspace })).close()
      expect(existsSync(join(workspace, 'package.json'))).toBe(true)
      await ended
      expect(readdirSync(workspace).sort()).toEqual(['.git', '.idea', 'began', 'living'])
    })

    it('that a killed process left behind are used and removed by the next command', async () => {
      const other = otherProcess('touch began; sleep 100')
      await isThere('began')
      other.kill('SIGKILL')
      await new Promise((resolve) => other.on('exit', resolve))
      expect(existsSync(join(workspace, 'package.json'))).toBe(true)
      await run('true')
      expect(readdirSync(workspace)).toEqual(['began'])
    })

    it('are gone when the process exits while a command runs', async () => {
      const other = otherProcess('touch began; sleep 100', 'setTimeout(() => process.exit(0), 1500)')
      await isThere('began')
      await new Promise((resolve) => other.on('exit', resolve))
      expect(readdirSync(workspace)).toEqual(['began'])
    })

    it("never take somebody's own empty folder or file with them", async () => {
      mkdirSync(join(workspace, '.vscode'))
      writeFileSync(join(workspace, 'package.json'), '')
      writeFileSync(join(workspace, '.npmrc'), 'x')
      utimesSync(join(workspace, '.npmrc'), 7_777_777, 7_777_777)
      await run('true')
      expect(readdirSync(workspace).sort()).toEqual(['.npmrc', '.vscode', 'package.json'])
    })
  })
})

describe.skipIf(!hasSandbox)('files with keys, in the sandbox', () => {
  const names = [
    ...[
      '.ssh/id_ed25519',
      '.aws/credentials',
      '.config/gcloud/key.json',
      '.gnupg/secring',
      '.netrc',
      '.npmrc',
    ],
    ...[
      '.docker/config.json',
      '.kube/config',
      '.azure/token',
      '.git-credentials',
      '.pypirc',
      '.thinkon/store',
    ],
    ...['.cargo/credentials.toml', '.pgpass', '.bash_history', '.claude.json', '.local/share/keyrings/x'],
    '.local/state/thinkon/key',
  ]
  let saved: NodeJS.ProcessEnv
  let home: string

  beforeEach(() => {
    saved = { ...process.env }
    home = join(base, 'home')
    process.env.HOME = home
    for (const name of names) {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), 'secret')
    }
  })
  afterEach(() => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, saved)
  })

  it('are not readable in the home folder', async () => {
    const paths = names.map((name) => join(home, name))
    const attacks = (path: string) =>
      `cat ${path}; cp ${path} .; ln ${path} x; cat x; umount ${path} ${dirname(path)}; unshare -Urm sh -c 'umount ${path} ${dirname(path)}; cat ${path}'; cat ${path}`
    expect((await run(paths.map(attacks).join('\n'))).stdout).toBe('')
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(names.map(() => 'secret'))
  })

  it('nor behind a link', async () => {
    mkdirSync(join(base, 'dotfiles'))
    writeFileSync(join(base, 'dotfiles/key'), 'secret')
    rmSync(join(home, '.ssh'), { recursive: true })
    symlinkSync(join(base, 'dotfiles'), join(home, '.ssh'))
    expect((await run(`cat ~/.ssh/key ${base}/dotfiles/key`)).stdout).toBe('')
  })

  it.each([
    ...['GOOGLE_APPLICATION_CREDENTIALS', 'AWS_SHARED_CREDENTIALS_FILE', 'KUBECONFIG', 'MY_KEY_FILE'],
    ...['DEPLOY_TOKEN_FILE', 'DB_PASSWORD_FILE', 'SIGNING_KEY', 'PGPASSFILE', 'SSH_AUTH_SOCK'],
  ])('the file that %s names is not readable, unless the variable is passed on', async (name) => {
    const path = join(base, 'key')
    writeFileSync(path, 'secret')
    process.env[name] = path
    expect((await run(`cat ${path}`)).stdout).toBe('')
    expect((await run(`cat ${path}`, { env: [name] })).stdout).toBe('secret')
  })

  it("nor is Thinkon's own key, wherever its state is kept", async () => {
    process.env.XDG_STATE_HOME = join(base, 'state')
    mkdirSync(join(base, 'state/thinkon'), { recursive: true })
    writeFileSync(join(base, 'state/thinkon/key'), 'secret')
    expect((await run(`cat ${base}/state/thinkon/key`)).stdout).toBe('')
  })

  it('what is passed on is readable in a hidden folder', async () => {
    process.env.GOOGLE_APPLICATION_CREDENTIALS = join(home, '.config/gcloud/key.json')
    const command = `cat ${home}/.config/gcloud/key.json`
    expect((await run(command)).stdout).toBe('')
    expect((await run(command, { env: ['GOOGLE_APPLICATION_CREDENTIALS'] })).stdout).toBe('secret')
  })

  it('a workspace in such a folder works, and the rest of the folder is hidden', async () => {
    workspace = join(home, '.config/nvim')
    mkdirSync(workspace)
    writeFileSync(join(workspace, 'init.lua'), 'mine')
    const ran = await run('cat init.lua; echo new > file; cat ../gcloud/key.json; touch ../x')
    expect(ran.stdout).toBe('mine')
    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('new\n')
    expect(readdirSync(join(home, '.config')).sort()).toEqual(['gcloud', 'nvim'])
    workspace = join(home, '.config')
    expect((await run('cat nvim/init.lua; echo 1 > x; cat x ../.ssh/id_ed25519')).stdout).toBe('mine1\n')
  })

  it('a home folder as the workspace works, without its keys and what a shell starts with', async () => {
    workspace = home
    writeFileSync(join(home, '.profile'), 'truth')
    const reading = names.map((name) => `cat ${name}`).join(';')
    const before = readdirSync(home).sort()
    const ran = await run(
      `${reading}; for f in .bashrc .profile .zshenv .gitconfig .ssh/authorized_keys .config/x .local/bin/git; do mkdir -p $(dirname $f); echo evil > $f; done; echo 1 > ordinary; cat ordinary`,
    )
    expect(ran.stdout).toBe('1\n')
    expect(readdirSync(home).sort()).toEqual([...before, 'ordinary'].sort())
    expect(readFileSync(join(home, '.profile'), 'utf8')).toBe('truth')
    expect(
      names.map((name) => readFileSync(join(home, name), 'utf8')).every((text) => text === 'secret'),
    ).toBe(true)
  })

  it('what git needs of ~/.config and programs of the path stay', async () => {
    mkdirSync(join(home, '.config/git'))
    writeFileSync(join(home, '.config/git/config'), '[user]\n\tname = Ada\n')
    writeFileSync(join(home, '.config/git/credentials'), 'secret')
    mkdirSync(join(home, '.config/nvm/v24/bin'), { recursive: true })
    writeFileSync(join(home, '.config/nvm/v24/bin/hello'), '#!/bin/sh\necho hello\n', { mode: 0o755 })
    process.env.PATH = `${home}/.config/nvm/v24/bin:${process.env.PATH}`
    const ran = await run('git config user.name; hello; cat ~/.config/git/credentials')
    expect(ran.stdout).toBe('Ada\nhello\n')
  })

  it('the environment of Thinkon is not readable, nor that of any process outside', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret'
    const ran = await run('cat /proc/*/environ /proc/1/task/*/environ 2>/dev/null | tr "\\0" "\\n"')
    expect(ran.stdout).toContain('PATH=')
    expect(ran.stdout).not.toContain('sk-secret')
  })
})

function run(
  command: string,
  { timeoutMs = 20_000, ...options }: Partial<ShellOptions> = {},
  signal = new AbortController().signal,
): Promise<Ran> {
  return shellTool({ ...options }).run({ command, timeoutMs }, toolIo({ workspace, signal })) as Promise<Ran>
}

/** Another Thinkon in the same workspace. */
function otherProcess(command: string, also = '') {
  const module = JSON.stringify(join(import.meta.dirname, 'builtin/shell.ts'))
  const input = JSON.stringify({ command, timeoutMs: 20_000 })
  const code = `${also}
    const { shellTool } = await import(${module})
    const io = { run: 'r', path: '1', n: 1, signal: new AbortController().signal, workspace: ${JSON.stringify(workspace)}, permits: () => 'allow' }
    await shellTool().run(${input}, io)`
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' })
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: workspace }).toString()
}

/** A file's text, a folder's names, or null. */
function contentOf(path: string): unknown {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return existsSync(path) ? readdirSync(path) : null
  }
}

function isThere(file: string): Promise<void> {
  return until(() => existsSync(join(workspace, file)), file)
}
