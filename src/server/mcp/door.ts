/** What all connections of the MCP server share, and what is known of the caller of one request. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { ThinkonError } from '../../protocol/index.ts'
import type { StrategyViews } from '../../views/block-views.ts'
import type { Limits } from '../http/limits.ts'
import { type Action, missingScope, SCOPES, type Scope } from '../scopes.ts'
import type { Service } from '../service.ts'
import type { RunUpdates } from './run-updates.ts'
import type { SamplingDesk } from './sampling-desk.ts'

export interface Door {
  readonly service: Service
  /** Null unless `mcp:client` is one of the models. */
  readonly desk: SamplingDesk | null
  /** What all clients together may start and keep open; null for the one on stdio. */
  readonly limits: Limits | null
  readonly updates: RunUpdates
  /** How strategies are drawn. */
  views(): Promise<StrategyViews>
}

export interface Caller {
  readonly context: ServerContext
  /** The 2026-07-28 protocol: what is asked of the client comes with the result, and the client calls again with its answers. */
  readonly isModern: boolean
  /** The client can ask its person, or its model, and may steer: what they answer does. */
  readonly canElicit: boolean
  readonly canSample: boolean
  /** Its model can call tools itself. */
  readonly callsTools: boolean
  may(action: Action): boolean
  /** Throws DENIED unless the caller may do this. */
  require(action: Action): void
  /** Whose token it has. */
  readonly client: string
  readonly scopes: readonly Scope[]
}

export function callerOf(server: Server, context: ServerContext, isModern: boolean): Caller {
  const { elicitation, sampling } = capabilitiesOf(server, context, isModern)
  const { scopes = SCOPES, clientId: client = '' } = context.http?.authInfo ?? {}
  const missing = (action: Action) => missingScope(scopes as readonly Scope[], action)
  const may = (action: Action) => missing(action) === null
  // Before there were modes, `{}` meant forms.
  const hasForms =
    elicitation !== undefined && ('form' in elicitation || Object.keys(elicitation).length === 0)
  return {
    context,
    isModern,
    canElicit: hasForms && may('answer'),
    canSample: sampling !== undefined && may('answer'),
    callsTools: sampling?.tools !== undefined,
    may,
    require(action) {
      const scope = missing(action)
      if (scope !== null) throw new ThinkonError('DENIED', `this token does not allow to ${scope} runs`)
    },
    client,
    scopes: scopes as readonly Scope[],
  }
}

function capabilitiesOf(server: Server, { mcpReq }: ServerContext, isModern: boolean): ClientCapabilities {
  if (!isModern) return server.getClientCapabilities() ?? {}
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities
}
