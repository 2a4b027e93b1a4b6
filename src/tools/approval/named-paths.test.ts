import { describe, expect, it } from 'vitest'
import { shellTool } from '../builtin/shell.ts'
import { decide } from './decide.ts'
import { parsePolicy } from './policy.ts'

const shell = shellTool()

function verdictOf(deny: string, command: string, cwd?: string): string {
  const policy = parsePolicy({ allow: ['*'], deny: [deny] }, '/w')
  return decide(policy, shell, { command, ...(cwd !== undefined && { cwd }) }).verdict
}

describe('a command that names a file which is kept from being read', () => {
  it.each<[deny: string, command: string, cwd?: string]>([
    ...[
      'cat $PWD/secrets/key.txt',
      'cat "$OLDPWD"/secrets/key.txt',
      'cat "$(pwd)/secrets/key.txt"',
      'cat ~+/secrets/key.txt',
      'cat ~+/sub/../secrets/key.txt',
      'cat /proc/self/cwd/secrets/key.txt',
      'cd -- secrets && cat key.txt',
      'cd -P secrets && cat key.txt',
      '(cd secrets && cat key.txt)',
      "bash -c 'cd secrets; cat key.txt'",
      'env --chdir=secrets cat key.txt',
      'env -Csecrets cat key.txt',
      'tar --directory=secrets -cf - key.txt',
      'tar -Csecrets -cf - key.txt',
      'cat secrets/key.tx{s..u}',
      'cat secrets/[[:alpha:]]ey.txt',
      'cat */key.txt',
    ].map((command): [string, string] => ['read(secrets/key.txt)', command]),
    ['read(a/b/x)', 'cd a && cd b && cat x'],
    ['read(a/b/x)', 'cd a; (cd c); cd ./b; cat x'],
    ['read(a/b/x)', 'git -C a -C b show HEAD:./x'],
    ['read(a/b/x)', 'cd .. && cat b/x', 'a/c'],
    ['read(a/b/x)', 'cd ../b && cat x', 'a/c'],
    ['read(secrets/**)', 'grep -r . secret*'],
    ['read(**/prod.env)', 'cat config/prod.*'],
    ['read(config/*.env)', 'cd config; cat prod.e*'],
    ['read(config/*.env)', 'cat config/p*'],
    ['read(*.env)', 'cat config/*d.*v'],
    ['read(.env*)', 'cat sub/.en*'],
    ['read(.env*)', 'cat */.en*'],
    ['read(.env*)', 'cat .e{n..n}v'],
    ['read(.env*)', 'cat .e[[:lower:]]v'],
    ['read(.env*)', "cat $'.env'"],
    ['read(.env*)', 'cat $".env"'],
    ['read(.env*)', 'xargs -a.env echo'],
  ])('is denied: %s, %s', (deny, command, cwd) => {
    expect(verdictOf(deny, command, cwd)).toBe('deny')
  })

  it.each<[deny: string, command: string]>([
    ['read(config/prod.json)', 'cat *'],
    ['read(config/prod.json)', 'ls -d */'],
    ['read(secrets/**)', 'ls -la *'],
    ['read(secrets/**)', "sqlite3 a.db 'select * from x'"],
    ['read(*.key)', "find . -name '*.test.*'"],
    ['read(*.key)', 'cp -r src/* dist/'],
    ['read(.env*)', 'ls .*ignore'],
    ['read(.env*)', 'cat .[a-d]*'],
    ['read(.env*)', "awk '{print $1}' a.txt"],
    ['read(.env*)', 'node -e "console.log(process.env.HOME)"'],
    ['read(.env*)', 'cd a; cd ../b; cd ../c; cd ../d; ls'],
    ['read(lib/**)', 'ls /usr/lib'],
  ])('other commands are not: %s, %s', (deny, command) => {
    expect(verdictOf(deny, command)).toBe('allow')
  })
})
