import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { replaceFile } from '../files/private-files.ts'
import { chooseHost, clusterSettings, devClusterFile } from './cluster-settings.ts'
import type { ClusterConfig } from './config.ts'

const workspace = mkdtempSync(join(tmpdir(), 'thinkon-settings-'))
vi.stubEnv('THINKON_STATE', join(workspace, 'state'))
afterAll(() => rmSync(workspace, { recursive: true }))

const addresses = { ingress: 'http://a:8080/', admin: 'http://a:9070', postgres: 'postgres://u:p@db/thinkon' }

function settings(cluster: ClusterConfig, env = {}) {
  return clusterSettings({ config: { cluster }, workspace, env })
}

test('the configuration overrides the environment, which overrides the cluster of the folder', () => {
  expect(() => settings({})).toThrow(/cluster\.ingress \(THINKON_RESTATE_INGRESS\).*thinkon cluster dev/)
  const dev = {
    ingress: 'http://127.0.0.1:1',
    admin: 'http://127.0.0.1:2',
    postgres: 'postgres://u:p@127.0.0.1:3/t',
  }
  replaceFile(devClusterFile(workspace), JSON.stringify(dev))
  expect(settings({})).toMatchObject(dev)
  const env = {
    THINKON_RESTATE_INGRESS: 'http://b:1',
    THINKON_RESTATE_ADMIN: 'http://b:2',
    THINKON_POSTGRES: 'postgres://b/t',
  }
  expect(settings({}, env)).toMatchObject({
    ingress: 'http://b:1',
    admin: 'http://b:2',
    postgres: 'postgres://b/t',
  })
  expect(settings({ admin: 'http://c' }, env)).toMatchObject({ ingress: 'http://b:1', admin: 'http://c' })
  // Not a mixture of two clusters.
  expect(() => settings({ admin: 'http://c' })).toThrow(/cluster\.ingress .*cluster\.postgres/)
})

test('addresses in the workspace are not used', () => {
  const other = mkdtempSync(join(workspace, 'other-'))
  replaceFile(join(other, '.thinkon/cluster/cluster.json'), JSON.stringify(addresses))
  expect(() => clusterSettings({ config: {}, workspace: other, env: {} })).toThrow(/address is not known/)
})

test('a password comes from the environment', () => {
  const postgres = `postgres://u:$\{PGPASS}@db/t`
  expect(settings({ ...addresses, postgres }, { PGPASS: 's3cret' }).postgres).toBe('postgres://u:s3cret@db/t')
  expect(() => settings({ ...addresses, postgres })).toThrow(/PGPASS, which is not set/)
})

test('what a worker needs has defaults, and is checked', () => {
  expect(settings(addresses).worker).toEqual({
    listen: { host: '127.0.0.1', port: 9080 },
    version: '',
    identityKeys: [],
    drainMs: 300_000,
  })
  const env = {
    THINKON_WORKER_LISTEN: '[::]:80',
    THINKON_RESTATE_IDENTITY_KEYS: 'a, b',
    THINKON_WORKER_ADDRESS: 'http://lb:1/',
  }
  expect(settings(addresses, env).worker).toMatchObject({
    address: 'http://lb:1',
    listen: { host: '::', port: 80 },
    identityKeys: ['a', 'b'],
  })
  expect(() => settings({ ...addresses, listen: 'nowhere' })).toThrow(/0\.0\.0\.0:9080, not "nowhere"/)
  expect(() => settings({ ...addresses, version: 'a/b' })).toThrow(/part of an address/)
})

test('the host is that of the option, the configuration or the environment', () => {
  expect(chooseHost(undefined, {}, {})).toBe('local')
  expect(chooseHost(undefined, {}, { THINKON_HOST: 'restate' })).toBe('restate')
  expect(chooseHost(undefined, { host: 'local' }, { THINKON_HOST: 'restate' })).toBe('local')
  expect(chooseHost('restate', { host: 'local' }, {})).toBe('restate')
  expect(() => chooseHost('moon', {}, {})).toThrow('--host must be local, cluster or restate, not "moon"')
})
