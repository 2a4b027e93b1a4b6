/** The public API. */

export type { ThinkonConfig } from './config/config.ts'
export { defineConfig } from './config/config.ts'
export type { BuiltinToolsOptions } from './engine/builtin-tools.ts'
export { builtinTools } from './engine/builtin-tools.ts'
export type { UserTool } from './engine/user-tool.ts'
export type { Engine, EngineOptions, Run, RunOutcome, StartOptions } from './engine.ts'
export { createEngine, solve } from './engine.ts'
export type { Model, ModelIo } from './kernel/model.ts'
export type { Store } from './kernel/store.ts'
export type { Answer, Context, Schema, Strategy } from './kernel/strategy.ts'
export type { Tool, ToolIo } from './kernel/tool.ts'
export { ThinkonError } from './protocol/errors.ts'
