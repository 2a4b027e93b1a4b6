import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { replaceFile } from '../files/private-files.ts'
import { chooseHost, clusterSettings, devClusterFile } from './cluster-settings.ts'
import type { ClusterConfig } from './config.ts'

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-workers-'))
vi.stubEnv('THINKON_STATE', join(workspace, 'state'))
afterAll(() => rmSync(workspace, { recursive: true }))

const settings = (cluster: ClusterConfig, env = {}) =>
  clusterSettings({ config: { cluster }, workspace, env })

it('takes the database from the configuration, the environment or the cluster of the folder', () => {
  expect(() => settings({})).toThrow(/cluster\.postgres \(THINKON_POSTGRES\)/)
  replaceFile(devClusterFile(workspace), JSON.stringify({ postgres: 'postgres://dev/t' }))
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

it('reads no address in the workspace', () => {
  const other = mkdtempSync(join(workspace, 'other-'))
  replaceFile(
    join(other, '.thinkon/cluster/cluster.json'),
    JSON.stringify({ postgres: 'postgres://other/t' }),
  )
  expect(() => clusterSettings({ config: {}, workspace: other, env: {} })).toThrow(/cluster\.postgres/)
})

it('chooses the host of the option, the configuration or the environment', () => {
  expect(chooseHost(undefined, {}, {})).toBe('local')
  expect(chooseHost(undefined, {}, { THINKON_HOST: 'cluster' })).toBe('cluster')
  expect(chooseHost(undefined, { host: 'local' }, { THINKON_HOST: 'cluster' })).toBe('local')
  expect(chooseHost('cluster', { host: 'local' }, {})).toBe('cluster')
  expect(() => chooseHost('moon', {}, {})).toThrow('--host must be local or cluster, not "moon"')
  expect(() => chooseHost('restate', {}, {})).toThrow(/not "restate": .*--host cluster/)
})
