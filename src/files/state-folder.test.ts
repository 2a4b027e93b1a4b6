import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { stateFolder, workspaceState } from './state-folder.ts'

it('prefers THINKON_STATE over XDG_STATE_HOME over the home folder', () => {
  expect(stateFolder({ THINKON_STATE: '/own', XDG_STATE_HOME: '/xdg' })).toBe('/own')
  expect(stateFolder({ XDG_STATE_HOME: '/xdg' })).toBe('/xdg/thinkon')
  expect(stateFolder({})).toBe(join(homedir(), '.local/state/thinkon'))
})

it('ignores relative paths', () => {
  expect(stateFolder({ THINKON_STATE: 'own', XDG_STATE_HOME: 'xdg' })).toBe(stateFolder({}))
})

it('keys the state of a workspace by its real path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'a'))
  mkdirSync(join(folder, 'b'))
  symlinkSync(join(folder, 'a'), join(folder, 'link'))
  expect(workspaceState(join(folder, 'link'))).toBe(workspaceState(join(folder, 'a')))
  expect(workspaceState(join(folder, 'b'))).not.toBe(workspaceState(join(folder, 'a')))
})
