/** A route is data: the app that serves it and the OpenAPI document that describes it are both made of it. */
import type { JsonSchema } from '../../schema/check-schema.ts'
import { type Action, missingScope, type Scope } from '../scopes.ts'
import type { Service } from '../service.ts'
import type { Limits } from './limits.ts'
import { HttpError } from './problem.ts'

export interface Route {
  readonly method: 'get' | 'post' | 'delete'
  /** Below the prefix, as OpenAPI writes it: `/runs/{run}`. */
  readonly path: string
  /** The action of a request: it determines the required scopes. */
  readonly does: Action
  /** By which clients and pages know it: `startRun`. */
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly params?: Readonly<Record<string, JsonSchema>>
  readonly query?: Readonly<Record<string, JsonSchema>>
  readonly headers?: Readonly<Record<string, JsonSchema>>
  /** Of a JSON body. */
  readonly body?: JsonSchema
  /** The body is read by the handler, as it comes: what it is, and the most bytes of it. */
  readonly upload?: { readonly type: string; readonly description: string }
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>
  /** What it returns is the JSON of the first answer, unless it is a response. */
  handle(call: Call): unknown
}

export interface Answer {
  readonly description: string
  readonly schema?: JsonSchema
  /** Other media types than JSON, with their schemas. */
  readonly types?: Readonly<Record<string, JsonSchema>>
}

/** A request that was checked against the route's schemas. */
export interface Call {
  readonly service: Service
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, never>>
  readonly body: never
  readonly request: Request
  /** The address below which the app is mounted, without a slash at its end. */
  readonly base: string
  /** All that the request may do. */
  readonly scopes: readonly Scope[]
  /** Whose token it has. */
  readonly client: string
  readonly limits: Limits
  /** Cuts the connection, where the server lets us. */
  readonly abandon?: (() => void) | undefined
  /** Told of what goes wrong after the answer has begun. */
  onError(thrown: unknown): void
}

/** Throws 403 unless the request may also do this. */
export function requireAllowed({ scopes }: Pick<Call, 'scopes'>, action: Action): void {
  const missing = missingScope(scopes, action)
  if (missing !== null) throw new HttpError(403, `this token is not good for "${missing}"`)
}
