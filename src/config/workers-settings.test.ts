import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { replaceFile } from '../files/private-files.ts'
import type { ClusterConfig } from './config.ts'
import { devWorkersFile, workersSettings } from './workers-settings.ts'

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-workers-'))
vi.stubEnv('THINKON_STATE', join(workspace, 'state'))
afterAll(() => rmSync(workspace, { recursive: true }))

const settings = (cluster: ClusterConfig, env = {}) =>
  workersSettings({ config: { cluster }, workspace, env })

it('takes the database from the configuration, the environment or the cluster of the folder', () => {
  expect(() => settings({})).toThrow(/cluster\.postgres \(THINKON_POSTGRES\)/)
  replaceFile(devWorkersFile(workspace), JSON.stringify({ postgres: 'postgres://dev/t' }))
  expect(settings({}).postgres).toBe('postgres://dev/t')
  const env = { THINKON_POSTGRES: 'postgres://b/t' }
  expect(settings({}, env).postgres).toBe('postgres://b/t')
  const config = { postgres: `postgres://u:\${PASSWORD}@c/t` }
  expect(settings(config, { ...env, PASSWORD: 'geheim' }).postgres).toBe('postgres://u:geheim@c/t')
  expect(settings(config, { ...env, THINKON_CLUSTER: 'dev' }).postgres).toBe('postgres://dev/t')
})

it('has the version, the number of runs and the time to drain', () => {
  expect(settings({})).toMatchObject({ version: '', drainMs: 60_000 })
  const env = { THINKON_WORKER_VERSION: '7', THINKON_WORKER_RUNS: '50', THINKON_WORKER_DRAIN_MS: '1000' }
  expect(settings({}, env)).toMatchObject({ version: '7', runs: 50, drainMs: 1_000 })
  expect(settings({ version: '8', runs: 20, drainMs: 2_000 }, env)).toMatchObject({
    ...{ version: '8', runs: 20, drainMs: 2_000 },
  })
})
