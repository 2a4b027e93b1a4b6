// Shell completion, as the shells call it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bin, makePlace } from './cli-process.ts'

const place = makePlace()
afterAll(() => place.remove())

/** The run whose goal is to be shown as it is. */
const GOAL = 'what is "2 + 2": it\'s $HOME \\n?'
let id = ''

beforeAll(async () => {
  await place.cli(['run', 'fine'])
  await place.cli(['run', GOAL])
  id = JSON.parse((await place.cli(['list', '--json', '--limit', '1'])).stdout).id
  mkdirSync(join(place.folder, 'files'))
  writeFileSync(join(place.folder, 'files', 'a file.json'), '{}')
})

const has = (shell: string, ...args: string[]) => spawnSync(shell, args).status === 0

/** What the shell prints, with `thinkon` as a command. */
function run(shell: string, args: readonly string[], script: string): string[] {
  const { stdout, stderr } = spawnSync(shell, [...args, '-c', script], {
    cwd: place.folder,
    env: { ...place.env, PATH: `${place.folder}:${place.env.PATH}`, NODE: process.execPath, BIN: bin },
    encoding: 'utf8',
    timeout: 120_000,
  })
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
}

const THINKON = '#!/bin/sh\nexec "$NODE" "$BIN" "$@"\n'
beforeAll(() => writeFileSync(join(place.folder, 'thinkon'), THINKON, { mode: 0o755 }))

it.skipIf(!has('bash', '-c', '((BASH_VERSINFO[0] >= 4))'))(
  'bash completes commands, model prefixes, runs and files (skipped where bash is older than 4)',
  () => {
    // What bash does at Tab: words taken apart at `:` and `=`, the script's function, and its replies.
    const script = `
    source <(thinkon completion bash)
    tab() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _thinkon; printf '%s ' "\${COMPREPLY[@]}"; echo; }
    complete -p thinkon
    tab thinkon resu
    tab thinkon run x --model = opena
    tab thinkon show "${id}"
    tab thinkon show --store nowhere.db ""
    tab thinkon run --output files/a
    tab thinkon run --output = files/a
  `
    expect(run('bash', ['--norc'], script)).toEqual([
      expect.stringMatching(/^complete .*-F _thinkon thinkon$/),
      'resume',
      'openai:',
      id,
      'last',
      'files/a file.json',
      'files/a file.json',
    ])
  },
)

it.skipIf(!has('fish', '--version'))(
  'fish completes them with what they are, the newest run first (skipped where there is no fish)',
  () => {
    const script = `
    source (thinkon completion fish | psub)
    complete -C 'thinkon resu'
    complete -C 'thinkon run x --model=ollam'
    complete -C 'thinkon show ' | head -2
    complete -C 'thinkon run --output files/a'
    complete -C 'thinkon run --output=files/a'
  `
    expect(run('fish', ['--no-config'], script)).toEqual([
      expect.stringMatching(/^resume\tresumes a run/),
      '--model=ollama:\ta model',
      'last\tthe newest run',
      `${id}\t${GOAL}`,
      'files/a file.json',
      '--output=files/a file.json',
    ])
  },
)

it.skipIf(!has('zsh', '-fc', 'zmodload zsh/zpty'))(
  'zsh completes them at a Tab, with what they are (skipped where there is no zsh)',
  () => {
    // A real zsh on a terminal of its own; Ctrl-X says what stands on its command line then.
    const script = `
    zmodload zsh/zpty
    zpty z zsh -f -i
    setup='PROMPT=; unsetopt zle_bracketed_paste prompt_sp; autoload -U compinit; compinit -u -D; source <(thinkon completion zsh)
    said() { print -r -- "<$BUFFER>"; BUFFER= }; zle -N said; bindkey ^X said; print REA''DY'
    zpty -w z $setup
    zpty -r z out '*READY*'
    for line in 'thinkon resu' 'thinkon run x --model opena' 'thinkon run --output=files/a' 'thinkon show '; do
      zpty -n -w z $line$'\t\x18'
      zpty -r z out '*<thinkon*>*'
      print -r -- $out
    done`
    const text = run('zsh', ['-f'], script).join('\n')
    for (const line of [
      '<thinkon resume >',
      '<thinkon run x --model openai:>',
      '<thinkon run --output=files/a\\ file.json >',
    ])
      expect(text).toContain(line)
    expect(text).toContain(`-- ${GOAL}`)
    expect(text.indexOf('-- the newest run')).toBeLessThan(text.indexOf(id))
  },
)
