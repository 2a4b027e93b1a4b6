/**
 * What the dual engine's model is told. What stays the same comes first: rules, actions, tools, the user's own words, the task
 * and its parents, the plan's progress; what changes comes last.
 */
export { MAX_PROGRESS, MAX_PROMPT_TOKENS } from './parts.ts'
export {
  closingSummaryPrompt,
  type PlanRequest,
  paramsPrompt,
  planPrompt,
  type Revision,
  riskPrompt,
  type SummaryParts,
  summaryPrompt,
} from './plan.ts'
export {
  closePrompt,
  compactPrompt,
  decidePrompt,
  type LoopState,
  type OfferedAction,
  reflectPrompt,
} from './react.ts'
