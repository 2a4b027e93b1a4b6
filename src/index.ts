/** The public API. */

export type { ThinkonConfig } from './config/config.ts'
export { defineConfig } from './config/config.ts'
export type { BuiltinToolsOptions } from './engine/builtin-tools.ts'
export { builtinTools } from './engine/builtin-tools.ts'
export type { UserTool } from './engine/user-tool.ts'
export type { Engine, EngineOptions, Run, RunOutcome, StartOptions } from './engine.ts'
export { createEngine, solve } from './engine.ts'
export type { BlockAnswer, Op } from './kernel/durable.ts'
export type { Model, ModelIo } from './kernel/model.ts'
export type { Schema } from './kernel/schema.ts'
export type { Store } from './kernel/store.ts'
export type {
  Answer,
  AskOptions,
  CallOptions,
  Context,
  ModelOptions,
  Solver,
  Strategy,
} from './kernel/strategy.ts'
export type { Tool, ToolIo } from './kernel/tool.ts'
export { toolsInWords } from './models/tools-in-words.ts'
export type { Ancestor, Block, Todo } from './protocol/block.ts'
export type { Limits, Remaining } from './protocol/budget.ts'
export { ThinkonError } from './protocol/errors.ts'
export type { Goal } from './protocol/goal.ts'
export type { KnownTool, Message, ModelReply, ModelRequest, Role } from './protocol/model.ts'
export type { Outcome, Result, Status } from './protocol/outcome.ts'
export type { BlockKind, Chosen, Fallbacks, Route, StrategyOptions } from './protocol/route.ts'
export type { Question } from './protocol/signal.ts'
export type { TimelineEntry } from './protocol/timeline.ts'
export type { MemoryOptions } from './store/memory.ts'
export { memoryStore } from './store/memory.ts'
