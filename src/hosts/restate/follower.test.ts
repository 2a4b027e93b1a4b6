import { describe, expect, it } from 'vitest'
import type { Said, SharedStore } from '../../kernel/store.ts'
import type { Event } from '../../protocol/index.ts'
import { Follower } from './follower.ts'

const RUN = 'run-1'

/** Events that are in the store, and the two ways in which a follower hears that there is something. */
function opened(events: Event[], from = 1) {
  let changed = () => {}
  let heard: (said: Said) => void = () => {}
  const store = {
    async *read(_run: string, next: number) {
      yield* events.slice(next - 1)
    },
    watch(_run: string, call: () => void) {
      changed = call
      return () => {}
    },
    hear(_run: string, call: (said: Said) => void) {
      heard = call
      return () => {}
    },
  } as unknown as SharedStore
  const told: string[] = []
  const follower = new Follower(store, RUN, from, (event) => {
    told.push(event.type === 'text-delta' ? event.text : event.type)
  })
  const say = (seq: number, n: number, text: string) =>
    heard({ seq, what: { type: 'text-delta', run: RUN, path: '1', n, text } })
  return { follower, told, say, changed: () => changed() }
}

function event(seq: number, type: 'model-start' | 'model-end', n: number): Event {
  return { seq, ts: '', run: RUN, path: '1', type, n } as unknown as Event
}

describe('a follower', () => {
  it('tells text after the start of its step, though it came before it', async () => {
    const events: Event[] = []
    const { follower, told, say } = opened(events)
    say(1, 1, 'early')
    expect(told).toEqual([])
    events.push(event(1, 'model-start', 1))
    say(1, 1, 'next')
    await follower.stop()
    expect(told).toEqual(['model-start', 'early', 'next'])
  })

  it('tells no text after the end of its step', async () => {
    const events = [event(1, 'model-start', 1), event(2, 'model-start', 2), event(3, 'model-end', 1)]
    const { follower, told, say, changed } = opened(events)
    await expect.poll(() => told.length).toBe(3)
    say(1, 1, 'late')
    say(2, 2, 'of another step')
    changed()
    await follower.stop()
    expect(told).toEqual(['model-start', 'model-start', 'model-end', 'of another step'])
  })

  it('tells text of a step that began before it followed', async () => {
    const { follower, told, say } = opened([event(1, 'model-start', 1)], 2)
    say(1, 1, 'under way')
    await follower.stop()
    expect(told).toEqual(['under way'])
  })
})
