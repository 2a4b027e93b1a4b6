/** `thinkon/server`: runs for other programs: a service, and its HTTP API to be mounted into an application of your own. */
export type { WebhookConfig, WebhookEvent } from './config/index.ts'
export type { AccessOptions, Authorized, Token } from './server/http/access.ts'
export type { AppOptions, Mount } from './server/http/app.ts'
export { serviceApp } from './server/http/app.ts'
export { type LimitOptions, type Limits, limitsOf } from './server/http/limits.ts'
export type { LoginCodes } from './server/http/sessions.ts'
export { type OpenAiOptions, openaiMount } from './server/openai/app.ts'
export type { Action, Caller, Scope } from './server/scopes.ts'
export type {
  AttachOptions,
  FollowOptions,
  Service,
  ServiceOptions,
  StartMore,
  StartRequest,
} from './server/service.ts'
export { createService } from './server/service.ts'
export type { SentFile } from './server/start-request.ts'
export type { DeliveryState, RecordQuery, WebhookDelivery } from './server/webhooks/delivery-record.ts'
export type {
  RunEndedData,
  RunWaitingData,
  WaitsForModelData,
  WaitsForPersonData,
  WebhookPayload,
} from './server/webhooks/payload.ts'
export type { Webhooks, WebhooksOptions } from './server/webhooks/webhooks.ts'
export { createWebhooks } from './server/webhooks/webhooks.ts'
export type { Strategies } from './strategies/registry.ts'
