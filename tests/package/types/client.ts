// A client's runs are those of the library, and its options are completed and checked in the same way. Compiled, never run.
import type { Run, RunOutcome } from 'thinkon'
import { type Client, createClient } from 'thinkon/client'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'

const client = createClient({ url: 'http://127.0.0.1:8080', token: 'secret' })

export async function typed() {
  const run = await client.start('goal', { strategy: 'tot', options: { beam: 2 } })
  expectTypeOf(run).toEqualTypeOf<Run>()
  expectTypeOf(client.run('id')).toEqualTypeOf<Run>()
  // @ts-expect-error there is no such option
  await client.start('goal', { strategy: 'tot', options: { beams: 2 } })
  // @ts-expect-error the operator's, not a request's
  await client.start('goal', { workspace: '/' })

  const output = z.object({ shop: z.string() })
  const offer = await client.start('goal', { output })
  expectTypeOf(offer).toEqualTypeOf<Run<{ shop: string }>>()
  expectTypeOf(await client.run('id', { output }).outcome).toEqualTypeOf<RunOutcome<{ shop: string }>>()
  expectTypeOf((await client.resume('id', { output, strict: true })).outcome).resolves.toHaveProperty('value')

  const own: Client<{ mine: { voices?: number } }> = createClient({ url: '/' })
  await own.start('goal', { strategy: 'mine', options: { voices: 2 } })
  // @ts-expect-error there is no such option
  await own.start('goal', { strategy: 'mine', options: { voice: 2 } })
}
