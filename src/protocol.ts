/** `thinkon/protocol`: what a run consists of, as data: events, requests, outcomes, and their fold. Nothing here needs Node. */
export type { Ancestor, Block, Todo } from './protocol/block.ts'
export type { LimitName, Limits, Remaining, RoleUsage, Usage } from './protocol/budget.ts'
export type { ErrorCode, ErrorData } from './protocol/errors.ts'
export type {
  ApprovalConfig,
  ApprovalRules,
  BlockEnd,
  BlockStart,
  DoneAdd,
  Ephemeral,
  Event,
  EventOf,
  EventType,
  FirstWon,
  FolderWritten,
  ForkRedo,
  Left as BudgetLeft,
  LoopFound,
  LostStep,
  ModelChange,
  ModelEnd,
  ModelNames,
  ModelRetry,
  ModelStart,
  Note,
  OutageStep,
  PartEnd,
  PartStart,
  PromptChange,
  ResumeChange,
  RetryNote,
  RunConfig,
  RunEnd,
  RunFork,
  RunResume,
  RunStart,
  RunWait,
  SignalAnswered,
  SignalAsked,
  SignalTaken,
  Stamp,
  TextDelta,
  TodoSet,
  ToolEnd,
  ToolStart,
} from './protocol/event.ts'
export type { BlockState, RunState } from './protocol/fold.ts'
export { emptyState, foldEvent, foldEvents } from './protocol/fold.ts'
export type { ForkEdit, RequestEdit } from './protocol/fork-edit.ts'
export type { Core4, Goal } from './protocol/goal.ts'
export { goalText, goalTitle } from './protocol/goal.ts'
export { isObject } from './protocol/json.ts'
export type {
  KnownTool,
  Message,
  ModelReply,
  ModelRequest,
  ModelSettings,
  ReasoningPart,
  Role,
  ToolCall,
  ToolSpec,
} from './protocol/model.ts'
export { messageText } from './protocol/model.ts'
export type { Outcome, Result, Status } from './protocol/outcome.ts'
export { isInside, parentPath, ROOT_PATH } from './protocol/path.ts'
export type { PendingQuestion } from './protocol/pending-question.ts'
export type { BlockKind, Chosen, Fallbacks, Route, StrategyOptions } from './protocol/route.ts'
export type { Answerer, Question, Signal } from './protocol/signal.ts'
export { isQuestionName } from './protocol/signal.ts'
export type { Standing, WaitsFor } from './protocol/standing.ts'
export type { TimelineEntry } from './protocol/timeline.ts'
export type { ToolAccess } from './protocol/tool-access.ts'
