import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repetitions } from '../../../tests/repetitions.ts'
import { shellTool } from '../builtin/shell.ts'
import { decide } from './decide.ts'
import { parsePolicy } from './policy.ts'

let base: string

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'thinkon-command-'))
  mkdirSync(join(base, 'bin'))
  mkdirSync(join(base, 'cwd'))
  writeFileSync(join(base, 'bin', 'pwn'), `#!/bin/sh\n: > ${base}/cwd/pwned\n`)
  chmodSync(join(base, 'bin', 'pwn'), 0o755)
  makeStart()
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

function makeStart(): void {
  const start = join(base, 'start')
  mkdirSync(join(start, 'repo'), { recursive: true })
  for (const [name, text] of [
    ['a', 'a\nb,1\n'],
    ['list', '--checkpoint-action=exec=pwn\na\n'],
    ['script', '1e pwn\n'],
    ['script.awk', 'BEGIN { system("pwn") }\n'],
  ] as const)
    writeFileSync(join(start, name), text)
  const run = (...args: string[]) => spawnSync(args[0] as string, args.slice(1), { cwd: start })
  run('tar', 'cf', 'a.tar', 'a')
  const me = ['-c', 'user.name=x', '-c', 'user.email=x@x']
  run('git', 'init', '-q')
  run('git', 'add', 'a')
  run('git', ...me, 'commit', '-qm', 'x')
  run('git', 'init', '-q', '--bare', 'evil')
  run('git', '-C', 'evil', 'config', 'core.fsmonitor', 'pwn')
  run('git', 'clone', '-q', '--bare', '.', 'repo')
}

describe('a pattern for one command', () => {
  it.each(['/bin/bash', '/bin/sh'])('lets %s run no other, whatever the command is made of', (shell) => {
    const policy = parsePolicy({ allow: ['shell(echo *)'] }, '/w')
    const tool = shellTool()
    const piece = fc.constantFrom(
      ...[
        'echo',
        'pwn',
        'pwn',
        ' ',
        ' ',
        ';',
        '&',
        '&&',
        '|',
        '||',
        '\n',
        '"',
        "'",
        '\\',
        '$(',
        '(',
        ')',
        '`',
        '$',
        '>',
      ],
      ...[
        '>>',
        '<',
        '<(',
        '#',
        '{',
        '}',
        '=',
        '2',
        '2>&1',
        '>/dev/null',
        '!',
        '*',
        '\t',
        '\r',
        '\v',
        'x',
        "$'",
        '\\x0a',
        '[[',
      ],
      ...['pwn;', '"pwn"', 'eval pwn', 'if', 'then', 'é', '\u00a0', '\u2028', '~', ',', '-e'],
    )
    let allowed = 0
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), (pieces) => {
        const command = `echo ${pieces.join('')}`
        if (decide(policy, tool, { command }).verdict !== 'allow') return
        allowed++
        rmSync(join(base, 'cwd'), { recursive: true })
        mkdirSync(join(base, 'cwd'))
        const env = { PATH: join(base, 'bin') }
        spawnSync(shell, ['-c', command], { cwd: join(base, 'cwd'), env, stdio: 'ignore', timeout: 5_000 })
        expect(readdirSync(join(base, 'cwd')), JSON.stringify(command)).toEqual([])
      }),
      { numRuns: repetitions(1_200, 20_000) },
    )
    expect(allowed).toBeGreaterThan(50)
  })
})

/** Arguments, with `pwn` in the PATH, scripts that run it, a real archive and repositories. */
const PIECES: Readonly<Record<string, readonly string[]>> = {
  find: [
    ...[
      '.',
      '-name',
      '-exec',
      '-execdir',
      '-ok',
      'pwn',
      '{}',
      '+',
      '\\;',
      '-delete',
      '-fprint',
      'out',
      '-fprintf',
      '-print',
      '-type',
      'f',
      '-o',
    ],
    ...['-not', '-fls', '"-exec"', "-e'x'ec", '{-exec,pwn,+}', '-ex*', '--', '(', '-a', '-files0-from', 'a'],
  ],
  tar: [
    ...[
      'cf',
      '-cf',
      'out.tar',
      'a',
      '-x',
      'xf',
      'a.tar',
      '-I',
      'pwn',
      '-Ipwn',
      '-cIf',
      'cIf',
      '--to-command=pwn',
      '--to-com',
      '--checkpoint=1',
    ],
    ...[
      '--checkpoint-action=exec=pwn',
      '--checkpoint-a',
      'exec=pwn',
      '--use-compress-program',
      '--use=pwn',
      '-F',
      '-C',
      '.',
      '-v',
      '-f',
      '/dev/null',
      '*',
      '-T',
      'list',
      '-M',
      '-L1',
      '--info-script=pwn',
      '--new-volume-script',
    ],
  ],
  sed: [
    ...[
      '-n',
      '-e',
      '-f',
      'a',
      '1p',
      "'1e pwn'",
      "'w out'",
      's/a/b/',
      "'s/.*/pwn/e'",
      's/a/b/w',
      "'s/a/b/;1e pwn'",
      '-i',
      '-ne',
      '--expression=1epwn',
      "'1!{e pwn'",
    ],
    ...[
      "'}'",
      'script',
      '--file',
      "'$!d'",
      "'/a/,/b/p'",
      '-E',
      '-s',
      '-l',
      '5',
      "'s/[/]/;s/w out/x/'",
      "'s/a/pwn/;e'",
      '--',
      "-e'1e pwn'",
      "'1{p;e pwn'",
      '--exp',
      '1epwn',
    ],
  ],
  awk: [
    ...[
      '-f',
      'a',
      '1',
      "'{print}'",
      `'BEGIN{system("pwn")}'`,
      `'BEGIN{print>"out"}'`,
      `'BEGIN{print|"pwn"}'`,
      `'BEGIN{"pwn"|getline}'`,
      '-F:',
      '-v',
      'x=1',
    ],
    ...[
      'script.awk',
      '--',
      '-e',
      "'$1>5'",
      `'BEGIN{printf "x" >> "out"}'`,
      '--file=script.awk',
      '-W',
      'exec',
      'script.awk',
      '-We',
    ],
  ],
  sort: [
    'a',
    '-o',
    'out',
    '-oout',
    '-no',
    '--output=out',
    '--outp',
    '-k1',
    '-t',
    ',',
    '--compress-program=pwn',
    '--compress',
    'pwn',
    '-S1',
    '-u',
    '-c',
    '-T',
    '--',
    '-k',
    '-nr',
  ],
  git: [
    ...[
      '-c',
      'alias.x=!pwn',
      'x',
      '-C',
      '.',
      'status',
      'log',
      '-1',
      'core.pager=pwn',
      '-p',
      '--paginate',
      'core.fsmonitor=pwn',
      'diff',
      '--output=out',
      '--output',
      'out',
      'grep',
      '-O',
      '-Opwn',
      'a',
    ],
    ...[
      '-nOpwn',
      'clone',
      '-u',
      'pwn',
      '--upload-pack=pwn',
      '--upload-p',
      'repo',
      'copy',
      'ls-remote',
      '--exec=pwn',
      "'ext::pwn'",
      'rebase',
      '-x',
      '-ix',
      '--exec',
      'HEAD',
      '--root',
      'bisect',
      'run',
      'submodule',
      'foreach',
    ],
    ...[
      'config',
      'difftool',
      '-y',
      '--extcmd=pwn',
      '-yx',
      'archive',
      '-o',
      'fetch',
      '--no-pager',
      '{-c,alias.x=!pwn}',
      '--exec-path=.',
      '--git-dir=evil',
      '--work-tree',
      '-m',
      '--',
    ],
  ],
  env: [
    'pwn',
    'A=1',
    '-i',
    '-u',
    'X',
    '-S',
    'echo',
    '--split-string=pwn',
    '-Spwn',
    '--',
    '-',
    '-C',
    '.',
    'PATH=.',
  ],
  timeout: ['5', 'pwn', 'echo', '-s', 'KILL', '-k', '1', '--foreground', '--signal', '-v', '--', '-sKILL'],
  xargs: ['pwn', 'echo', '-n', '1', '-I', '{}', '-a', 'a', '-0', '-r', '--', '-t', '-i', '-e', '-l', '-P1'],
}

describe('a pattern for a real program', () => {
  it.each(Object.entries(PIECES))(
    'lets %s run no other and write no file, whatever its arguments',
    (name, pieces) => {
      const policy = parsePolicy({ allow: [`shell(${name} *)`] }, '/w')
      const tool = shellTool()
      const cwd = join(base, 'cwd')
      const env = {
        PATH: `${join(base, 'bin')}:/usr/bin:/bin`,
        HOME: base,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
      }
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }), (words) => {
          const command = `${name} ${words.join(' ')}`
          if (decide(policy, tool, { command }).verdict !== 'allow') return
          rmSync(cwd, { recursive: true })
          cpSync(join(base, 'start'), cwd, { recursive: true })
          // Its own group is killed, too.
          spawnSync('timeout', ['-s', 'KILL', '3', 'bash', '-c', `exec < a; ${command}`], {
            cwd,
            env,
            stdio: 'ignore',
          })
          const made = readdirSync(cwd).filter((file) => file === 'pwned' || file === 'out')
          expect(made, JSON.stringify(command)).toEqual([])
        }),
        { numRuns: repetitions(40, 3_000) },
      )
    },
  )
})
