import { describe, expect, it } from 'vitest'
import { locksRound } from '../soak/locks.ts'

describe('file tools in a workspace that holds the store of their run', () => {
  for (const store of ['runs.db', '.thinkon/runs.db'])
    it(`release none of its locks: kill -9 loses nothing and no living run is taken over (${store})`, async () => {
      expect(await locksRound({ store, writers: 2, random: () => 0.5 })).toEqual([])
    }, 120_000)
})
