/** `thinkon/views`: how runs are drawn. Folds over events; nothing here needs Node, so that a web page can use all of it. */
export { type DraftTask, draftProblems, planDraft, planEdits } from './strategies/dual-engine/plan-draft.ts'
export type { Edit as PlanEdit } from './strategies/dual-engine/schema.ts'
export { SHIPPED_VIEWS } from './strategies/shipped-views.ts'
export { type AnswerText, createAnswerText } from './views/answer-text.ts'
export type { AuditEntry } from './views/audit.ts'
export { type AuditBlock, auditBlocks } from './views/audit.ts'
export { auditLines } from './views/audit-lines.ts'
export { blockForm, type FormOptions } from './views/block-form.ts'
export type { BlockRow, BlockRowOptions, Note as RowNote } from './views/block-row.ts'
export type { StrategyViews } from './views/block-views.ts'
export {
  blockRow,
  bytesText,
  costText,
  countText,
  durationText,
  elapsedMs,
  tokensOf,
} from './views/checked-figures.ts'
export { createDetails, type Details } from './views/details.ts'
export { eventLine, newsLine } from './views/event-line.ts'
export {
  createKnownFiles,
  type FileChange,
  fileChanges,
  type KnownFiles,
  type KnownText,
} from './views/file-changes.ts'
export type {
  Form,
  FormBoard,
  FormColumn,
  FormItem,
  FormList,
  FormPart,
  FormTree,
  ItemState,
} from './views/form.ts'
export { FORMATS } from './views/format-names.ts'
export { type FormattedRun, formatRun } from './views/formats.ts'
export { type LabResult, labResultsIn } from './views/lab-results.ts'
export { type Line, plainText, type Segment, segment, type Tone } from './views/line.ts'
export type { DiffLine } from './views/line-diff.ts'
export type { Look, Picture, PictureNode } from './views/picture.ts'
export { type ProgressOptions, progressLines } from './views/progress.ts'
export { openQuestions, shownChoice } from './views/questions.ts'
export type { PersonsRequest } from './views/request-text.ts'
export {
  joinBars,
  type RunTimeline,
  runTimeline,
  type TimelineBar,
  type TimelineKind,
  type TimelineRow,
} from './views/run-timeline.ts'
export type { Leaf } from './views/schema-nodes.ts'
export {
  type LeafProblem,
  readLeaf,
  type SchemaBranch,
  type SchemaField,
  type SchemaNode,
  schemaNode,
} from './views/schema-nodes.ts'
export {
  type FormProblem,
  readSharedRun,
  type SharedForm,
  type SharedRun,
  unpackSharedRun,
} from './views/shared-run.ts'
export type {
  AnswerForm,
  AnswerRequest,
  ChildRow,
  Detail,
  DetailOptions,
  ShownBlock,
  SteerRequest,
  SteerSignal,
  StrategyView,
  ViewFile,
  ViewFolder,
} from './views/strategy-view.ts'
export { createStreams, type Streams } from './views/streams.ts'
export { createThoughts, type ThoughtStep, type Thoughts } from './views/thoughts.ts'
export type {
  ThinkonTree,
  ThinkonTreeBlock,
  UIMessageChunk,
  UIMessageMetadata,
} from './views/ui-message-chunk.ts'
export {
  createUIMessageChunks,
  type UIMessageChunks,
  type UIMessageOptions,
} from './views/ui-message-chunks.ts'
export type { Lang } from './views/words.ts'
