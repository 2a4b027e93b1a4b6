import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

describe('a pattern for one command', () => {
  it.each(['/bin/bash', '/bin/sh'])('lets %s run no other, whatever the command is made of', (shell) => {
    const policy = parsePolicy({ allow: ['shell(echo *)'] }, '/w')
    const tool = shellTool({ workspace: '/w' })
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
