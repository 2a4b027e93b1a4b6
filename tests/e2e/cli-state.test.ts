// State that grants rights is in the user's state folder: what a repository brings is not believed, and without the folder nothing starts.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, it } from 'vitest'
import { openDeliveryRecord } from '../../src/server/webhooks/delivery-record.ts'
import { recordFile } from '../../src/server/webhooks/record-file.ts'
import { startServe } from '../server/serve-process.ts'
import { receiver, SECRET } from '../webhooks/receiver.ts'
import { makePlace, type Place } from './cli-process.ts'

let place: Place
afterEach(() => place.remove())

it('a token that a repository brings opens nothing, and is named', async () => {
  place = makePlace()
  const planted = 'A'.repeat(43)
  mkdirSync(join(place.folder, '.thinkon'))
  const file = join(place.folder, '.thinkon/runs.db.token')
  writeFileSync(file, `${planted}\n`, { mode: 0o644 })
  const served = await startServe(place)
  expect(served.token).not.toBe(planted)
  const headers = { authorization: `Bearer ${planted}` }
  expect((await fetch(`${served.url}/api/runs`, { headers })).status).toBe(401)
  served.child.kill('SIGINT')
  expect((await served.ended).stdout).toContain(`${file} is ignored`)
})

it('a webhook record that a repository brings is not sent', async () => {
  place = makePlace()
  const receiving = await receiver()
  mkdirSync(join(place.folder, '.thinkon'))
  const record = await openDeliveryRecord(recordFile(join(place.folder, '.thinkon/runs.db.webhooks')))
  const database = new DatabaseSync(join(place.folder, '.thinkon/runs.db.webhooks'))
  const { createHash } = await import('node:crypto')
  const planted = {
    id: 'msg_planted',
    receiver: createHash('sha256').update(receiving.url).digest('base64url'),
    address: receiving.url,
    type: 'run.ended',
    run: 'none',
    body: '{"type":"run.ended","text":"APPROVED"}',
  }
  await record.add(planted, Date.now())
  await record.close()
  database.close()
  const config = { webhooks: [{ url: receiving.url, secret: SECRET }] }
  writeFileSync(join(place.folder, 'thinkon.config.json'), JSON.stringify(config))
  const served = await startServe(place)
  await served.post('/api/runs', { goal: 'a' })
  await receiving.until(1)
  expect(receiving.received.map(({ body }) => body).join()).not.toContain('APPROVED')
  served.child.kill('SIGINT')
  await served.ended
  await receiving.close()
})

it('cluster addresses that a repository brings are not used', async () => {
  place = makePlace()
  mkdirSync(join(place.folder, '.thinkon/cluster'), { recursive: true })
  const addresses = { postgres: 'postgres://u:p@127.0.0.1:1/db?host=127.0.0.2' }
  writeFileSync(join(place.folder, '.thinkon/cluster/cluster.json'), JSON.stringify(addresses))
  const { code, stderr } = await place.cli(['list', '--host', 'cluster'])
  expect(stderr).toContain('the database of the cluster is not known')
  expect(code).toBe(2)
})

it("without a state folder that is only the user's, a service and a new run are refused, and the variable is named", async () => {
  place = makePlace()
  const outside = mkdtempSync(join(tmpdir(), 'thinkon-outside-'))
  symlinkSync(outside, join(outside, 'link'))
  const commands = [
    ['serve', '--port', '0'],
    ['run', 'a goal'],
  ]
  for (const [state, why] of [
    ['/proc/nowhere', "can't be made"],
    [join(outside, 'link'), 'is a link'],
  ]) {
    for (const command of commands) {
      const { code, stderr } = await place.cli(command, undefined, { ...place.env, THINKON_STATE: state })
      expect(stderr).toContain(why)
      expect(stderr).toContain('THINKON_STATE')
      expect(code).not.toBe(0)
    }
  }
  // Nothing in memory outlives the command, so it needs no state.
  const env = { ...place.env, THINKON_STATE: '/proc/nowhere' }
  expect((await place.cli(['run', 'a goal', '--store', ':memory:'], undefined, env)).code).toBe(0)
  rmSync(outside, { recursive: true })
})
