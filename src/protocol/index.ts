/** Everything that crosses a border: plain data and the pure functions on it. */
export { ALWAYS_IN_PLAN, type ApprovalAnswer, readApproval } from './approval-answer.ts'
export type { Ancestor, Block, Todo } from './block.ts'
export {
  bytesText,
  checkDepth,
  MAX_REPLY_BYTES,
  MAX_RESULT_BYTES,
  tooDeep,
} from './bounds.ts'
export type { LimitName, Limits, Remaining, Reserve, RoleUsage, Usage } from './budget.ts'
export { accumulate, accumulateRole, DEFAULT_LIMITS, LIMIT_NAMES, NO_USAGE } from './budget.ts'
export { isTooDeep, MAX_DEPTH } from './depth.ts'
export type { ErrorCode, ErrorData, ErrorDetails } from './errors.ts'
export { errorData, errorText, isOutage, ThinkonError } from './errors.ts'
export type {
  ApprovalConfig,
  ApprovalRules,
  BlockEnd,
  BlockStart,
  DoneAdd,
  Ephemeral,
  Event,
  EventBody,
  EventOf,
  EventType,
  FirstWon,
  FolderWritten,
  ForkRedo,
  Left,
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
} from './event.ts'
export { isPart, JOURNAL_FORMAT } from './event.ts'
export type { BlockState, RunState } from './fold.ts'
export { dropQuestion, emptyState, foldEvent, foldEvents } from './fold.ts'
export type { ForkEdit, RequestEdit } from './fork-edit.ts'
export type { Core4, Goal } from './goal.ts'
export { core4Problem, goalIntent, goalParts, goalText, goalTitle } from './goal.ts'
export { defined, isObject, parseJson, stableJson } from './json.ts'
export type { KeyPath } from './key-text.ts'
export { keyText } from './key-text.ts'
export type { Language } from './language.ts'
export { LANGUAGES, languageOf } from './language.ts'
export type { HttpServerConfig, McpServerConfig, StdioServerConfig } from './mcp-server.ts'
export type {
  ExecutorNote,
  KnownTool,
  Message,
  ModelReply,
  ModelRequest,
  ModelSettings,
  ReasoningPart,
  Role,
  ToolCall,
  ToolSpec,
} from './model.ts'
export { messageText, ROLES } from './model.ts'
export type { CallLimits, ModelPrice, ResilienceSettings, TroubleSettings } from './model-config.ts'
export { meantOrAll, meantText, nearest } from './nearest.ts'
export type { Outcome, Result, Status } from './outcome.ts'
export { doneText, EXIT_CODES, printedResult, valueJson } from './outcome.ts'
export {
  attemptOf,
  attemptPath,
  childPath,
  isInside,
  isPath,
  levelOf,
  parentPath,
  placeOf,
  ROOT_PATH,
} from './path.ts'
export { type PendingQuestion, questionOf } from './pending-question.ts'
export { KEY_BEGIN, KEY_END, REDACTED } from './private-key.ts'
export type { Problem } from './problem.ts'
export { blocksText, changeText, namedBlocks } from './resume-change.ts'
export type { BlockKind, Chosen, Fallbacks, Route, RoutedCall, StrategyOptions } from './route.ts'
export { BLOCK_KINDS, chosenOf, routeFor } from './route.ts'
export { fallbackProblems, routeProblems, strategyOptionProblems } from './route-problems.ts'
export type { Answerer, ControlSignal, Question, Signal } from './signal.ts'
export {
  APPROVE,
  answererOf,
  CONTROL_SIGNALS,
  isControlSignal,
  isQuestionName,
  QuestionNames,
  signalText,
} from './signal.ts'
export type { Standing, WaitsFor } from './standing.ts'
export { ENDED, STANDINGS } from './standing.ts'
export { cleanText, escapeJson, showHidden } from './terminal-text.ts'
export { oneLine, shorten, shortenMiddle } from './text.ts'
export type { TimelineEntry } from './timeline.ts'
export type { ToolAccess } from './tool-access.ts'
export { TOOL_ACCESS } from './tool-access.ts'
export { toolCallText } from './tool-call-text.ts'
