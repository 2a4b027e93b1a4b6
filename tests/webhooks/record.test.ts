// The record of deliveries keeps its promises in a file and in PostgreSQL, which the services of a cluster share.
import { afterEach, describe, expect, it } from 'vitest'
import {
  type DeliveryRecord,
  openDeliveryRecord,
  type RecordPlace,
} from '../../src/server/webhooks/delivery-record.ts'
import { recordFile } from '../../src/server/webhooks/record-file.ts'
import { connect } from '../../src/store/postgres/connect.ts'
import { freshDatabase } from '../postgres.ts'
import { endAll, storeFile } from '../server/serve-here.ts'

afterEach(endAll)

async function inPostgres(): Promise<() => Promise<RecordPlace>> {
  const url = await freshDatabase()
  return async () => {
    const database = await connect(url, { maxConnections: 2 })
    return {
      query: (text, values) => database.query(text, values),
      prefix: 'thinkon.',
      close: database.close,
    }
  }
}

async function inFile(): Promise<() => Promise<RecordPlace>> {
  const file = `${storeFile()}.webhooks`
  return async () => recordFile(file)
}

const NEW = { id: 'msg_1', receiver: 'key', address: 'http://a', type: 'run.ended', run: 'r', body: '{}' }

describe.each([
  ['in a file', inFile],
  ['in PostgreSQL', inPostgres],
])('%s', (_, make) => {
  it('several processes make one record, add an event once, and one of them claims an attempt', async () => {
    const place = await make()
    const places = await Promise.all([1, 2, 3, 4].map(place))
    const records = await Promise.all(places.map(openDeliveryRecord))
    const [one, other] = records as [DeliveryRecord, DeliveryRecord]
    const added = await Promise.all(records.map((record) => record.add(NEW, 1_000)))
    expect(added.filter(Boolean)).toHaveLength(1)
    const [due] = await one.next('key', 5)
    if (due === undefined) return expect.unreachable()
    expect(due).toMatchObject({ id: 'msg_1', body: '{}', attempts: 0, nextMs: 1_000 })
    const claims = await Promise.all(records.map((record) => record.claim('key', due, 2_000)))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await other.next('key', 5)).toMatchObject([{ attempts: 1, nextMs: 2_000 }])
    await one.settle('key', 'msg_1', { state: 'pending', nextMs: 3_000, status: 500, error: 'why' }, 2_500)
    expect(await other.list(5)).toMatchObject([{ state: 'pending', lastStatus: 500, lastError: 'why' }])
    await one.settle('key', 'msg_1', { state: 'delivered', status: 200 }, 3_500)
    expect(await other.next('key', 5)).toEqual([])
    expect(await other.add(NEW, 4_000)).toBe(false)
    expect(await other.list(5)).toEqual([
      {
        ...{
          id: 'msg_1',
          type: 'run.ended',
          run: 'r',
          receiver: 'http://a',
          state: 'delivered',
          attempts: 1,
        },
        ...{ createdAt: '1970-01-01T00:00:01.000Z', doneAt: '1970-01-01T00:00:03.500Z', lastStatus: 200 },
      },
    ])
    await Promise.all(records.map((record) => record.close()))
  })

  it('keeps runs and marks, gives up all of a receiver, and forgets what is old', async () => {
    const record = await openDeliveryRecord(await (await make())())
    await record.watch('a')
    await record.watch('a')
    await record.watch('b')
    await record.unwatch('a')
    expect(await record.watched()).toEqual(['b'])
    expect([await record.mark('since', 5), await record.mark('since', 9)]).toEqual([5, 5])
    await record.setMark('since', 7)
    expect(await record.mark('since', 9)).toBe(7)
    await record.add(NEW, 1_000)
    await record.add({ ...NEW, receiver: 'other' }, 1_000)
    await record.giveUp('key', 'gone', 2_000)
    expect((await record.list(5)).map(({ state }) => state).sort()).toEqual(['failed', 'pending'])
    await record.forget(1_001)
    expect(await record.list(5)).toEqual([])
    await record.close()
  })
})
