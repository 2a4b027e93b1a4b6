/**
 * Tools that the run's caller executes: data only. A call is a wait for its result (a signal), so that the run survives any process, and
 * whoever continues it needs nothing of the tool.
 */
import { READ_RESULT } from '../../kernel/brief/shown-result.ts'
import type { ToolAccess } from '../../kernel/tool.ts'
import { type KnownTool, ThinkonError } from '../../protocol/index.ts'
import type { GivenSchema } from '../schemas/given-schema.ts'
import { schemaOf } from '../schemas/read-schema.ts'
import { NO_INPUT } from './no-input.ts'
import { requireObject } from './user-tool.ts'

export interface CallerTool {
  /** What models call it by. One of the engine's tools with the same name is not the run's. */
  readonly name: string
  /** What models are told that it does. */
  readonly description: string
  /** What models are told of its arguments; the caller checks them. Left out: it takes none. */
  readonly input?: GivenSchema
  /** What it does to the world; `execute`, unless given. Nobody is asked for permission: that is the caller's business. */
  readonly access?: ToolAccess
  /** How long the run waits for a result, before the call fails; without it, for ever. */
  readonly timeoutMs?: number
}

export function knownCallerTools(given: readonly CallerTool[]): Promise<KnownTool[]> {
  return Promise.all(given.map(knownTool))
}

async function knownTool({
  name,
  description,
  input = NO_INPUT,
  access = 'execute',
  timeoutMs,
}: CallerTool): Promise<KnownTool> {
  const place = `the input of the caller's tool ${name}`
  if (name === READ_RESULT) {
    const message = `${READ_RESULT} is Thinkon's own tool, by which models read long results: give the caller's tool another name`
    throw new ThinkonError('BAD_INPUT', message)
  }
  const { json: schema } = await schemaOf(input, place)
  requireObject(schema, place)
  return { name, description, access, schema, caller: timeoutMs === undefined ? {} : { timeoutMs } }
}
