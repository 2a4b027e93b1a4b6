import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { onceInState, openState, readState, stateFolder, storeState, workspaceState } from './state-folder.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('prefers THINKON_STATE over XDG_STATE_HOME over the home folder', () => {
  expect(stateFolder({ THINKON_STATE: '/own', XDG_STATE_HOME: '/xdg' })).toBe('/own')
  expect(stateFolder({ XDG_STATE_HOME: '/xdg' })).toBe('/xdg/thinkon')
  expect(stateFolder({})).toBe(join(homedir(), '.local/state/thinkon'))
})

it('ignores relative paths', () => {
  expect(stateFolder({ THINKON_STATE: 'own', XDG_STATE_HOME: 'xdg' })).toBe(stateFolder({}))
})

it('keys the state of a workspace by its real path', () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'a'))
  mkdirSync(join(folder, 'b'))
  symlinkSync(join(folder, 'a'), join(folder, 'link'))
  expect(workspaceState(join(folder, 'link'))).toBe(workspaceState(join(folder, 'a')))
  expect(workspaceState(join(folder, 'b'))).not.toBe(workspaceState(join(folder, 'a')))
})

it('keys the state of a store by its workspace and its real path, also before the file exists', () => {
  const folder = makeFolder()
  mkdirSync(join(folder, 'a'))
  symlinkSync(join(folder, 'a'), join(folder, 'link'))
  const before = storeState(folder, join(folder, 'link/runs.db'))
  writeFileSync(join(folder, 'a/runs.db'), '')
  expect(storeState(folder, join(folder, 'a/runs.db'))).toBe(before)
  expect(storeState(folder, join(folder, 'a/other.db'))).not.toBe(before)
  expect(storeState(join(folder, 'a'), join(folder, 'a/runs.db'))).not.toBe(before)
})

describe('in a state folder', () => {
  function makeState(): string {
    const folder = join(makeFolder(), 'state')
    vi.stubEnv('THINKON_STATE', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    return folder
  }
  const refusal = (why: RegExp) =>
    expect.objectContaining({
      code: 'STORE_IO',
      message: expect.stringMatching(new RegExp(`${why.source}.*Set THINKON_STATE`)),
    })

  it('folders and files are for their owner alone', () => {
    const state = makeState()
    const folder = openState(storeState('/work', '/work/runs.db'))
    for (let at = folder; at !== join(state, '..'); at = join(at, '..'))
      expect(statSync(at).mode & 0o777).toBe(0o700)
    expect(onceInState(join(folder, 'key'), () => 'one')).toBe('one')
    expect(onceInState(join(folder, 'key'), () => 'two')).toBe('one')
    expect(readdirSync(folder)).toEqual(['key'])
    expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
    chmodSync(state, 0o755)
    openState()
    expect(statSync(state).mode & 0o777).toBe(0o700)
  })

  it('a link or a folder that others can write is refused at each level, to write and to read', () => {
    for (const level of ['', 'workspaces']) {
      const state = makeState()
      const folder = openState(workspaceState('/work'))
      onceInState(join(folder, 'key'), () => 'one')
      const path = join(state, level)
      chmodSync(path, 0o770)
      for (const use of [() => openState(folder), () => readState(join(folder, 'key'))])
        expect(use).toThrow(refusal(/can be written by others/))
      rmSync(path, { recursive: true })
      symlinkSync(makeFolder(), path)
      for (const use of [() => openState(folder), () => readState(join(folder, 'key'))])
        expect(use).toThrow(refusal(/is a link/))
    }
  })

  it('a file that is a link, or that others can write, is refused', () => {
    const file = join(openState(makeState()), 'key')
    expect(readState(file)).toBe(null)
    writeFileSync(file, 'planted')
    chmodSync(file, 0o666)
    expect(() => readState(file)).toThrow(refusal(/can be written by others/))
    rmSync(file)
    symlinkSync('/etc/hostname', file)
    expect(() => readState(file)).toThrow(refusal(/is a link/))
    rmSync(file)
    mkdirSync(file)
    expect(() => readState(file)).toThrow(refusal(/is not a file/))
  })

  it.runIf(process.getuid?.() === 0)('what belongs to another user is refused', () => {
    const state = makeState()
    const file = join(openState(), 'key')
    writeFileSync(file, 'planted', { mode: 0o600 })
    chownSync(file, 65_534, 65_534)
    expect(() => readState(file)).toThrow(refusal(/belongs to another user/))
    chownSync(state, 65_534, 65_534)
    expect(() => openState()).toThrow(refusal(/belongs to another user/))
  })

  it('a folder that cannot be made is an error that names the variable', () => {
    vi.stubEnv('THINKON_STATE', '/proc/nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(() => openState()).toThrow(refusal(/can't be made/))
    expect(readState('/proc/nowhere/key')).toBe(null)
  })
})
