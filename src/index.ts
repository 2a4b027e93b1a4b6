/** The public API. */

export type {
  ClusterConfig,
  ResilienceConfig,
  RoleModel,
  ServeConfig,
  ServeToken,
  StrategyObject,
  TelemetryConfig,
  ThinkonConfig,
  ToolsConfig,
} from './config/config.ts'
export { defineConfig } from './config/config.ts'
export type {
  EndedRun,
  EndedWithValue,
  ForkOptions,
  HostOpener,
  HouseOptions,
  OutcomeOf,
  Pruned as PruneResult,
  PruneOptions,
  ResumeRunOptions,
  RunEndingAs,
} from './engine/api.ts'
export type { OnQuestion } from './engine/attendance.ts'
export type { GivenSchema, InferInput, InferOutput } from './engine/schemas/given-schema.ts'
export type { AiSdkOptions, AiSdkTools } from './engine/tools/ai-sdk-tool.ts'
export { builtinTools } from './engine/tools/builtin-tools.ts'
export type { CallerTool } from './engine/tools/caller-tools.ts'
export { fromAiSdk } from './engine/tools/from-ai-sdk.ts'
export type { ToolDefinition } from './engine/tools/tool.ts'
export { tool } from './engine/tools/tool.ts'
export type {
  BuiltinToolsOptions,
  OpenedTools,
  ToolOpener,
  ToolSource,
  ToolSources,
} from './engine/tools/tool-source.ts'
export type { UserTool } from './engine/tools/user-tool.ts'
export type {
  ApprovalOptions,
  Engine,
  EngineOptions,
  Run,
  RunEvents,
  RunOutcome,
  StartOptions,
} from './engine.ts'
export { createEngine, solve } from './engine.ts'
export type { Difference as ReplayDifference, Replayed as ReplayReport } from './hosts/local/replay.ts'
export type { AskedQuestion } from './kernel/asked-question.ts'
export type { Clock } from './kernel/clock.ts'
export type { Deed, Verdict } from './kernel/deed.ts'
export type { BlockAnswer, Listener, Op, ResumeOptions } from './kernel/durable.ts'
export type { Model, ModelIo } from './kernel/model.ts'
export type { EmbeddingChoice, ModelChoices } from './kernel/model-choice.ts'
export type { RunKey } from './kernel/run-key.ts'
export type { QuestionQuery } from './kernel/run-query.ts'
export type { Schema } from './kernel/schema.ts'
export type { OnOutage } from './kernel/services.ts'
export type { RunOrigin } from './kernel/store.ts'
export type {
  Answer,
  AnswerTo,
  AnyNotes,
  AskOptions,
  CallOptions,
  Context,
  ModelOptions,
  ResultsOf,
  Settled,
  Solver,
  Strategy,
} from './kernel/strategy.ts'
export type { Tool, ToolIo } from './kernel/tool.ts'
export { toolsInWords } from './models/tools-in-words.ts'
export type { Ancestor, Block, Todo } from './protocol/block.ts'
export type { Limits, Remaining, Reserve } from './protocol/budget.ts'
export { ThinkonError } from './protocol/errors.ts'
export type { RetryNote } from './protocol/event.ts'
export type { ForkEdit, RequestEdit } from './protocol/fork-edit.ts'
export type { Goal } from './protocol/goal.ts'
export type { ExecutorNote, KnownTool, Message, ModelReply, ModelRequest, Role } from './protocol/model.ts'
export type { ModelPrice, ResilienceSettings } from './protocol/model-config.ts'
export type { Outcome, Result, Status } from './protocol/outcome.ts'
export type { PendingQuestion } from './protocol/pending-question.ts'
export type { BlockKind, Chosen, Fallbacks, Route, StrategyOptions } from './protocol/route.ts'
export type { Answerer, Question } from './protocol/signal.ts'
export type { Standing, WaitsFor } from './protocol/standing.ts'
export type {
  GivenOptions,
  OptionsByName,
  OptionsOf,
  StrategyFallbacks,
  StrategyName,
  StrategyRegistry,
  StrategyRoute,
} from './protocol/strategy-registry.ts'
export type { TimelineEntry } from './protocol/timeline.ts'
export type { StandardSchema } from './schema/standard-schema.ts'
export type { Imported as ImportResult } from './store/import-run.ts'
export type { AutoOptions } from './strategies/auto/schema.ts'
export type { CotOptions } from './strategies/chain-of-thought/schema.ts'
export type { DualInternal, DualOptions, NamedText, TaskBrief } from './strategies/dual-engine/schema.ts'
export type { FractalOptions } from './strategies/fractal/schema.ts'
export type { MinimalOptions } from './strategies/minimal/schema.ts'
export type { ShippedOptions } from './strategies/option-types.ts'
export type { ExecutorCall, PlannerOptions, Start as PlannerStart } from './strategies/planner/schema.ts'
export type { TotOptions } from './strategies/tree-of-thoughts/schema.ts'
export type { RunQuestion } from './streams/run-questions.ts'
export type { ThoughtStep } from './views/thoughts.ts'
export type {
  ThinkonTree,
  ThinkonTreeBlock,
  UIMessageChunk,
  UIMessageMetadata,
} from './views/ui-message-chunk.ts'
export type { UIMessageOptions } from './views/ui-message-chunks.ts'
