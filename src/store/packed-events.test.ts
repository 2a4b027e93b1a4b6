// Whatever is packed comes back as it was; whatever has another form is not packed, in whole or in part.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Draft } from '../kernel/store.ts'
import { type Packed, packed, unpacked } from './packed-events.ts'

const reserve = { calls: 1, tokens: 5_000, costUsd: 0.25 }
const usage = { calls: 1, inputTokens: 100, outputTokens: 25 }
const left = { tokens: 1e6, calls: 9, timeMs: 3_600_000, costUsd: 10 }
const held = { ...left, held: reserve }
const reply = { text: 'said', usage: { inputTokens: 100, outputTokens: 25 } }
const message = { role: 'user', content: 'what next?' }
const request = { kind: 'k', version: 1, role: 'plan', messages: [message] }
const place = { path: '1-2', atMs: 5 }
const outcome = { status: 'completed', result: 'done', usage }

const EVENTS = [
  { type: 'model-start', n: 1, request, reserve, ...place },
  { type: 'model-end', n: 1, result: { ok: true, value: reply }, usage, left, ...place },
  { type: 'tool-end', n: 2, result: { ok: true, value: [1, 'two'] }, usage, left: held, ...place },
  { type: 'block-start', n: 3, goal: 'g', strategy: 's@1', options: {}, kept: reserve, left, ...place },
  { type: 'block-end', n: 3, outcome, left: held, ...place },
  { type: 'done-add', n: 4, from: ['1-2-1'], ...place },
] as unknown as Draft[]

/** What is read of it, once it was JSON. */
function readBack(draft: Draft): unknown {
  const list = packed(draft, 0, (draft as { request?: object }).request)
  const stored = JSON.parse(JSON.stringify(list ?? draft))
  if (list !== null) return unpacked(draft.type, stored as Packed)
  const { type: _, path: __, atMs: ___, ...fields } = stored
  return fields
}

function asJson({ type: _, path: __, atMs: ___, ...fields }: Draft): unknown {
  return JSON.parse(JSON.stringify(fields))
}

it.each(EVENTS.map((event) => [event.type, event] as const))(
  'takes the keys of %s away, and gives them back in their order',
  (_, event) => {
    expect(JSON.stringify(packed(event, 0, (event as { request?: object }).request))).not.toMatch(
      /"(?!ok|value)\w+":/,
    )
    expect(JSON.stringify(readBack(event))).toBe(JSON.stringify(asJson(event)))
  },
)

/** Of every event, and of every request that is stored. */
const ALWAYS_THERE = ['type', 'path', 'atMs', 'request', 'messages']

it('gives back whatever is changed in them, at any depth', () => {
  const strange = fc.oneof(
    fc.constantFrom(
      undefined,
      null,
      0,
      1,
      '',
      'text',
      true,
      [],
      ['a'],
      {},
      { ok: true },
      { like: 3, edit: [0, 9] },
    ),
    fc.constantFrom<unknown>(
      usage,
      reserve,
      left,
      held,
      reply,
      request,
      outcome,
      [message, message],
      [1, 2, 3],
    ),
    fc.constantFrom<unknown>({ ok: false, error: { code: 'X', message: 'm' } }, { ok: true, value: null }),
  )
  const change = fc.record({
    where: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
    how: fc.constantFrom('set', 'add', 'remove', 'rename'),
    value: strange,
  })
  fc.assert(
    fc.property(fc.constantFrom(...EVENTS), fc.array(change, { maxLength: 4 }), (event, changes) => {
      const draft = structuredClone(event) as unknown as Record<string, unknown>
      for (const { where, how, value } of changes) {
        let at: Record<string, unknown> = draft
        for (const step of where.slice(0, -1)) {
          const inner = Object.values(at)[step % Math.max(1, Object.keys(at).length)]
          if (typeof inner === 'object' && inner !== null) at = inner as Record<string, unknown>
        }
        const keys = Object.keys(at).filter((key) => !ALWAYS_THERE.includes(key))
        const key = keys[(where.at(-1) as number) % Math.max(1, keys.length)]
        if (how === 'add') at.more = structuredClone(value)
        else if (key === undefined) continue
        else if (how === 'set') at[key] = structuredClone(value)
        else if (!Array.isArray(at)) {
          if (how === 'rename') at.another = at[key]
          delete at[key]
        }
      }
      expect(readBack(draft as unknown as Draft)).toEqual(asJson(draft as unknown as Draft))
    }),
    { numRuns: 5_000 },
  )
})

it('says which type is none of its own', () => {
  expect(() => unpacked('note', [0, 1])).toThrow(new TypeError('an event of the type note is no such list'))
})
