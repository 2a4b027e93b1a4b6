/** `thinkon/client`: the runs of a service, from web pages and from Node. It needs nothing but `fetch`. */
export type {
  Asked,
  Client,
  ClientOptions,
  ClientStartOptions,
  FollowedRunOptions,
  ListedRun,
  ListQuery,
  RunDetails,
  StrategyInfo,
} from './client/api.ts'
export { createClient } from './client/create-client.ts'
export type { Run, RunEvents, RunOutcome } from './engine/api.ts'
export type { QuestionQuery, RunFigures } from './kernel/run-query.ts'
export { ThinkonError } from './protocol/errors.ts'
export type { ShippedOptions } from './strategies/option-types.ts'
export type { RunQuestion } from './streams/run-questions.ts'
