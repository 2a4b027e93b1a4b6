/** The test kit: what users of Thinkon test their strategies, tools and models with. */
export type { CrashOptions, MortalStore } from './crash.ts'
export { crashAt, SimulatedCrash } from './crash.ts'
export type { FaultPlan, ModelFault, ToolFault } from './faults.ts'
export { faultyModel, faultyTool } from './faults.ts'
export type { ManualClock } from './manual-clock.ts'
export { manualClock } from './manual-clock.ts'
export type {
  ReplyDetails,
  Script,
  ScriptedFunction,
  ScriptedModelOptions,
  ScriptedReply,
} from './scripted-model.ts'
export { reply, ScriptedModel } from './scripted-model.ts'
export { toolIo } from './tool-io.ts'
