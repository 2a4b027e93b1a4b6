/** `thinkon/server`: runs for other programs: a service, and its HTTP API to be mounted into an application of your own. */
export type { AccessOptions, Token } from './server/http/access.ts'
export type { AppOptions, Mount } from './server/http/app.ts'
export { serviceApp } from './server/http/app.ts'
export { type LimitOptions, type Limits, limitsOf } from './server/http/limits.ts'
export type { Scope } from './server/http/route.ts'
export { type OpenAiOptions, openaiMount } from './server/openai/app.ts'
export type {
  AttachOptions,
  FollowOptions,
  Service,
  ServiceOptions,
  StartMore,
  StartRequest,
} from './server/service.ts'
export { createService } from './server/service.ts'
