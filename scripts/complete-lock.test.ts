import { expect, test } from 'vitest'
// @ts-expect-error plain JavaScript, for the Node that runs before ours is installed
import { missingPackages } from './complete-lock.js'

test('adds the optional packages of other systems as npm would write them', () => {
  const packages = {
    'node_modules/tool': {
      version: '1.2.3',
      dev: true,
      optionalDependencies: {
        '@tool/darwin-arm64': '1.2.3',
        '@tool/linux-x64-musl': '1.2.3',
        here: '^1.0.0',
      },
    },
    'node_modules/here': { version: '1.4.0' },
  }
  expect(missingPackages(packages)).toEqual({
    'node_modules/@tool/darwin-arm64': {
      version: '1.2.3',
      cpu: ['arm64'],
      dev: true,
      optional: true,
      os: ['darwin'],
    },
    'node_modules/@tool/linux-x64-musl': {
      version: '1.2.3',
      cpu: ['x64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    },
  })
})

test('puts a second version below the package that wants it', () => {
  const packages = {
    'node_modules/tool': { version: '2.0.0', optionalDependencies: { 'tool-win32-x64': '2.0.0' } },
    'node_modules/tool-win32-x64': { version: '1.0.0' },
  }
  expect(Object.keys(missingPackages(packages))).toEqual(['node_modules/tool/node_modules/tool-win32-x64'])
})

test('stops at a package whose name does not tell its system', () => {
  const packages = { 'node_modules/tool': { version: '1.0.0', optionalDependencies: { addon: '1.0.0' } } }
  expect(() => missingPackages(packages)).toThrow('the name of addon tells neither system nor processor')
})
