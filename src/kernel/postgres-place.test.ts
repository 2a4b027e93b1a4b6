import { expect, it } from 'vitest'
import { postgresPlace } from './postgres-place.ts'

// The host is the one that the driver connects to.
it.each([
  ['postgres://u:p@127.0.0.1/db', 'postgres://127.0.0.1:5432/db'],
  ['postgresql://127.0.0.1:5544/db', 'postgres://127.0.0.1:5544/db'],
  ['postgres://u:p@127.0.0.1/db?host=evil', 'postgres://evil:5432/db'],
  ['postgres://u:p@127.0.0.1/db?host=127.0.0.1&host=evil', 'postgres://evil:5432/db'],
  ['postgres://u:p@127.0.0.1/db?h%6Fst=evil', 'postgres://evil:5432/db'],
  ['postgres://u:p@127.0.0.1/db?port=99', 'postgres://127.0.0.1:99/db'],
  ['postgres://u:p@127.0.0.1/db?sslmode=no-verify', 'postgres://127.0.0.1:5432/db'],
  ['postgres://u:p@127.0.0.1/db?sslrootcert=/dev/null', 'postgres://127.0.0.1:5432/db'],
  ['postgres://u:p@127.0.0.1@evil/db', 'postgres://evil:5432/db'],
  ['postgres://u:p@%65vil/db', 'postgres://evil:5432/db'],
  ['postgres://u:p@[::1]:1/db', 'postgres://[::1]:1/db'],
  ['postgres:///db?host=/run/postgresql', 'postgres:///run/postgresql:5432/db'],
  ['postgres:///db', 'postgres://localhost:5432/db'],
  // The driver encodes the escapes of a text that has a space or an incomplete one.
  ['postgres://evil/db?h%6Fst=127.0.0.1&application_name=a b', 'postgres://evil:5432/db'],
  ['postgres://evil/db?h%6Fst=127.0.0.1&application_name=%z', 'postgres://evil:5432/db'],
])('%s', async (text, address) => {
  expect(postgresPlace(text)).toMatchObject({ address })
  const { default: pg } = await import('pg')
  const { host, port } = new pg.Client({ connectionString: text })
  const name = host || 'localhost'
  expect(address).toBe(`postgres://${name.includes(':') ? `[${name}]` : name}:${port}/db`)
})

it('a text that is not well formed is no error', () => {
  expect(postgresPlace('postgres://a/b c\ud800')).toMatchObject({ host: 'a:5432' })
})

it.each([
  '',
  'http://127.0.0.1/db',
  '/run/postgresql db',
  'socket:/run?db=x',
  'postgres:db',
  'postgres://a/b@127.0.0.1/db',
])('has no place: %s', (text) => {
  expect(postgresPlace(text)).toMatchObject({ host: '' })
})
