/**
 * `thinkon/strategies`: the strategies that ship, what makes others of them with functions of yours, and what one of your own is
 * made with.
 */
export { askUntilValid, type Checked } from '../kernel/ask-until-valid.ts'
export type { Brief } from '../kernel/brief/brief.ts'
export { Conversation, type TurnOptions } from '../kernel/brief/conversation.ts'
export type { Item, Need, Section, Topic } from '../kernel/brief/section.ts'
export type { Answered } from '../kernel/brief/shown-result.ts'
export type { EarlyEnding } from '../kernel/ending.ts'
export { endingOf, endsEarly } from '../kernel/ending.ts'
export { FENCE_RULE } from '../kernel/fence.ts'
export { auto } from './auto/index.ts'
export { bestOf } from './best-of/index.ts'
export { type Graph, type Node, runFlow } from './chain-of-thought/flow.ts'
export { formatThought } from './chain-of-thought/format-thought.ts'
export type { History as CotHistory } from './chain-of-thought/history.ts'
export { cot } from './chain-of-thought/index.ts'
export type { Answered as CotAnswer, Reply as CotReply } from './chain-of-thought/node.ts'
export { type CallLlm, chainOfThoughtNode } from './chain-of-thought/node.ts'
export type { PlacedStep } from './chain-of-thought/plan.ts'
export { formatPlan } from './chain-of-thought/plan.ts'
export type { Asked as CotQuestion } from './chain-of-thought/prompts.ts'
export type { Plan as CotPlan } from './chain-of-thought/schema.ts'
export { newShared, type PlanStep, type Shared, type Thought } from './chain-of-thought/schema.ts'
export { type Checked as CheckedResult, checkedResult, type Redoing } from './closing/checked-result.ts'
export { CHECK_RULE, type CheckOptions } from './closing/option.ts'
export { defineStrategy, type StrategyDefinition } from './define-strategy.ts'
export type {
  Action,
  Begun as StartedAction,
  ContextProvider,
  DualHooks,
  DualResult,
  Observation,
  Plan,
  PlanTask,
  SubtaskSignal,
} from './dual-engine/index.ts'
export { dual, dualEngine } from './dual-engine/index.ts'
export type { DualNotes, Task as DualTask } from './dual-engine/notes.ts'
export type {
  ActionRecord,
  BackgroundAction,
  Done as ActionResult,
  Loop as ActionLoop,
} from './dual-engine/react/loop.ts'
export { fractal } from './fractal/index.ts'
export { minimal } from './minimal/index.ts'
export { planner } from './planner/index.ts'
export { type OptionRule, type OptionRules, readOptions } from './read-options.ts'
export {
  aboveSections,
  goalSection,
  personSection,
  planSection,
  resultsSection,
  toolsSection,
} from './sections.ts'
export type { GivenStrategy, StrategyFlag, StrategyModule } from './strategy-module.ts'
export type { Agent, AgentFunction } from './tree-of-thoughts/agents/agent.ts'
export { tot, treeOfThoughts } from './tree-of-thoughts/index.ts'
export type { ExplorerFunction, OrchestratorFunction } from './tree-of-thoughts/own-explorer.ts'
export type {
  AgentName,
  Candidate,
  Decomposition,
  Evaluation,
  FailedThought,
  FinalSolution,
  NodeEvaluation,
  SearchConfig,
  SearchStrategy,
  TaskType,
  ThoughtError,
  ThoughtMessage,
  ThoughtMessageType,
  ThoughtNode,
  ThoughtPayloads,
  ThoughtTree,
} from './tree-of-thoughts/protocol.ts'
export type { TotContext } from './tree-of-thoughts/schema.ts'
export type { GivenAgent as TotAgent, TreeOfThoughts, Verification } from './tree-of-thoughts/setup.ts'
export type { NamedThought, Surroundings as TotSurroundings } from './tree-of-thoughts/surroundings.ts'
