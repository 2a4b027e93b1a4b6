/** What models give to tools: patches, globs, commands and rules; schemas of tools; observations of plans. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseJson } from '../../../src/protocol/index.ts'
import { checkSchema, type JsonSchema } from '../../../src/schema/check-schema.ts'
import { toolIo } from '../../../src/testing/tool-io.ts'
import { possibleCommands, readCommand, trimCommand } from '../../../src/tools/approval/command.ts'
import { decide } from '../../../src/tools/approval/decide.ts'
import { matchText, parsePolicy, parseRule } from '../../../src/tools/approval/policy.ts'
import { applyPatchTool } from '../../../src/tools/builtin/apply-patch.ts'
import { shellTool } from '../../../src/tools/builtin/shell.ts'
import { parsePatch } from '../../../src/tools/builtin/unified-diff.ts'
import { checkObservations } from '../../../src/tools/executors/observations.ts'
import { placeholdersOf } from '../../../src/tools/executors/template.ts'
import { globMatcher, isRestrictedPath, pathFits } from '../../../src/tools/glob.ts'
import { PROBES } from '../../schema-probes.ts'
import { type Family, Wrong } from './family.ts'

/** A workspace with a neighbour that nothing may touch; both go with the process. */
const folder = mkdtempSync(join(tmpdir(), 'thinkon-fuzz-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const workspace = join(folder, 'workspace')
const outside = join(folder, 'outside.txt')
const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one\ntwo\nthree\n',
  'src/b.ts': 'export const b = 1\n\nexport const c = 2',
  'ä b.md': '# T\r\ntext\r\n',
}

function fillWorkspace(): void {
  rmSync(workspace, { recursive: true, force: true })
  mkdirSync(join(workspace, 'src'), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(workspace, name), text)
  writeFileSync(outside, 'untouched')
}

fillWorkspace()
const applyPatch = applyPatchTool()

export const patches: Family = {
  name: 'patches',
  share: 7,
  samples: [
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    '--- /dev/null\n+++ b/new/c.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n',
    'diff --git a/src/b.ts b/src/d.ts\nsimilarity index 90%\nrename from src/b.ts\nrename to src/d.ts\n--- a/src/b.ts\n+++ b/src/d.ts\n@@ -1 +1 @@\n-export const b = 1\n+export const b = 3\n',
    '--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n',
    '--- "a/\\303\\244 b.md"\n+++ "b/\\303\\244 b.md"\n@@ -1,2 +1,2 @@\n # T\n-text\n+other\n',
    'diff --git a/a.txt b/e.txt\ncopy from a.txt\ncopy to e.txt\n',
  ],
  words: [
    ...[
      '--- ',
      '+++ ',
      '@@ -1,3 +1,3 @@\n',
      '../outside.txt',
      '/etc/passwd',
      'b/../../outside.txt',
      '\n+',
      '\n-',
      '\n ',
    ],
    ...[
      'rename to ../outside.txt\n',
      'copy to ',
      '/dev/null',
      'GIT binary patch\n',
      '"',
      '\\303',
      'old mode 120000\n',
    ],
  ],
  async read(input) {
    parsePatch(input)
    const applied = await applyPatch.run({ patch: input }, toolIo({ workspace })).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    const beside = readdirSync(folder).sort().join()
    const isUntouched = beside === 'outside.txt,workspace' && readFileSync(outside, 'utf8') === 'untouched'
    if (applied === undefined || !isUntouched) fillWorkspace()
    if (!isUntouched) throw new Wrong('a patch has changed something outside of the workspace')
    if (applied !== undefined) throw applied.error
  },
}

export const globs: Family = {
  name: 'globs',
  share: 6,
  samples: [
    'src/**/*.ts',
    '*.{js,ts,{a,b}}',
    '[a-z]?[!0-9]*',
    '**/node_modules/**',
    '.env*',
    './a/b/',
    'a**b**c**d',
    '{a,b}{c,d}{e,f}',
  ],
  words: ['*', '**', '/', '**/', '?', '[', ']', '[^', '{', '}', ',', '\\', '..', 'a', '-', '!'],
  read(input, pick) {
    const half = pick(input.length + 1)
    for (const path of ['src/a/b.ts', 'a/'.repeat(200), 'a'.repeat(500), input.slice(half)]) {
      globMatcher(input)(path)
      pathFits(input.slice(0, half), path)
      isRestrictedPath(input.slice(0, half), path)
    }
  },
}

const POLICY = parsePolicy(
  {
    allow: ['shell(git *)', 'shell(npm run *)'],
    deny: ['shell(rm *)', 'read(.env*)'],
    ask: ['shell(curl *)'],
  },
  workspace,
)
const shell = shellTool()

export const commands: Family = {
  name: 'commands',
  share: 8,
  samples: [
    ...[
      'git status',
      "git log --format='%h %s' | head -5",
      'rm -rf "$HOME"',
      'echo $(cat .env) > /tmp/x',
      'a && b || c; d &',
    ],
    ...[
      'sudo env A=1 bash -c "rm x"',
      'find . -name "*.ts" -exec rm {} \\;',
      'cat <<EOF\nx\nEOF',
      'git -c alias.x=!rm x',
      '`rm x`',
    ],
    ...[
      'for i in 1 2; do rm $i; done',
      "printf '%s' a | xargs -I{} sh -c 'rm {}'",
      `x=(1 2); \${x[0]}`,
      'npm run a -- --b',
    ],
  ],
  words: [
    ...[
      ' ',
      '|',
      '&&',
      ';',
      '\n',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '\\',
      '$',
      '{',
      '}',
      '<<E\n',
      '>',
      '2>&1',
      '*',
      '#',
      '!',
    ],
    ...['rm ', 'git ', 'sudo ', 'sh -c ', 'A=b ', '-c ', '$x{:-', '$((', '))', '[[ ', '~', 'git *'],
  ],
  read(input, pick) {
    const read = readCommand(trimCommand(input))
    possibleCommands(input, read)
    decide(POLICY, shell, { command: input })
    const half = pick(input.length + 1)
    matchText(input.slice(0, half), input.slice(half))
    parseRule(`shell(${input})`, 'deny')
    parseRule(input, 'allow')
  },
}

/** Schema and value, which are mutated as texts. */
export const schemas: Family = {
  name: 'schemas',
  share: 8,
  samples: PROBES.flatMap(({ schema, fits, fails }) =>
    [...fits, ...fails].map((value) => `${JSON.stringify(schema)}\n${JSON.stringify(value)}`),
  ),
  words: [
    ...[
      '{"$ref":"#"}',
      '"$ref":"#/$defs/a"',
      '"pattern":"^(a+)+$"',
      '"pattern":"(.*)*x"',
      '"format":"email"',
      '"type":',
      '"$id":"x"',
    ],
    ...[
      '"anyOf":[',
      '"items":',
      '"not":',
      '{}',
      '[]',
      'true',
      '"const":',
      '"minimum":',
      '"uniqueItems":true',
      '"required":',
      '\n',
    ],
  ],
  read(input) {
    const [first = '', second = ''] = input.split('\n')
    const schema = parseJson(first)
    const value = parseJson(second) ?? second
    if (typeof schema === 'object' && schema !== null) checkSchema(value, schema as JsonSchema)
  },
}

export const observations: Family = {
  name: 'observations',
  share: 4,
  samples: [
    ...[
      'exit code is 0',
      'the file a.txt contains "two"',
      'stdout matches /o+n/',
      'a.txt exists and is not empty',
    ],
    ...[
      'stdout is valid JSON with the key "a"',
      'stderr is empty',
      'the output has 3 lines',
      '文件 a.txt 存在',
      '退出码为 0',
    ],
    ...['src/b.ts does not contain "x"', 'run {{command}} in {{folder|quote}}'],
  ],
  words: [
    '/(a+)+$/',
    '/(.*)*x/',
    '"',
    ' and ',
    'not ',
    'stdout ',
    'file ',
    '/',
    '..',
    'JSON',
    '3',
    '包含',
    '不',
    '{{a}}',
    '“',
  ],
  async read(input) {
    placeholdersOf(input)
    const result = {
      exitCode: 0,
      stdout: `${'a'.repeat(40)}!\n{"a":1}`,
      stderr: '',
      durationMs: 1,
      truncated: false,
    }
    await checkObservations([input], result as never, { workspace, permits: () => 'allow' })
  },
}
