/**
 * The prompts of the Planner, of the judge of observations and of Reflect. What stays the same comes first; the Context JSON is
 * a part of its own. Nothing in a prompt depends on clock or chance: the same context gives the same bytes.
 */
import { FENCE_RULE, fence } from '../../kernel/fence.ts'
import { type Goal, goalText, type ModelRequest, type Role, shorten } from '../../protocol/index.ts'
import { twoMessages } from '../prompt-text.ts'
import { contextJson, depthOf, type ThinkingContext, thinkingContext } from './context-json.ts'
import type { ExecutorDescription } from './executor-call.ts'
import type { ExecutorCall, PlannerContext } from './schema.ts'
import { type SectionWords, wordsFor } from './sections.ts'

/** An upper bound for any history, without the executors; reached only where every character is a token. */
export const MAX_PROMPT_TOKENS = 90_000

const MAX_NOTICES = 1_200
const MAX_OUTPUT = 8_000

/** The same context should give the same plan. */
const STEADY = { temperature: 0 } as const

const PLAN_RULES = `You are the Planner. You get a Context JSON: "think" is the block that is planned now (goal, plan, done), "path" its ancestors from the
parent to the root, "max_depth" how long path may grow. You decide the next child block of "think", and nothing else: you execute nothing,
write no file, and know nothing but what you are given. Read goals as four parts: intent (why), deliverable (what can be handed over),
metric (how good), constraint (limits).

Answer with one JSON object and no other text:
{"type":"plan-next","plan_type":"PLAN_PROBES"|"PLAN_STEPS"|"EXECUTE","new_block":{"goal":…,"plan":[…],"done":[]},"success_signal":"…","executor_call":{…},"update_plan":[…]}
- "goal": the next thing to do for "think", usually its first plan item that is not done yet, made clear and checkable: a text, or
  {"intent":"…","deliverable":"…","metric":"…","constraint":"…"}.

Two gates decide plan_type.
Gate 1, knowledge: must something be judged for which there is no evidence yet, so that going on would be guessing? Then PLAN_PROBES: "plan"
holds 3 to 7 competing hypotheses, each of which evidence can refute, told apart from the others. Hypotheses have no order: no words such as
first, then, next, 先, 再, 然后, 第一步, 接下来.
Gate 2, ability (only without such a gap): can one call of one executor below do all of it? Judge by what the executors guarantee, by their limits and
side effects. Several calls, changes in many files, a risk that needs a check in between, or no executor that fits: not atomic.
- Atomic: EXECUTE, "plan":[], and "executor_call":{"command":"shell: <command>" or "<id of an executor>","inputs":{…},"expected_observations":["…"]}.
  Expect what can be seen after it: the exit code, files that exist or contain something, text in the output. Name no executor that is not listed.
- Not atomic: PLAN_STEPS: "plan" holds 3 to 7 steps in order, each of which can become a goal. Steps guess nothing: no words such as maybe, possibly,
  cause, hypothesis, 可能, 也许, 原因, 假设.
If hypotheses and steps would mix, answer with PLAN_PROBES: evidence first.
"success_signal" (with probes and steps): what will show that the evidence is enough, or that the steps have led to the deliverable.
"update_plan" (optional): replaces the plan of "think" as a whole, without the item you work on now; only when results ask for another order, new
steps or fewer. Without it the first item is taken off when the child has completed.

Never:
- repeat what "done" shows as failed at the same granularity: not the same items, not the same command. Split it finer, go another way, or probe.
- write ids, paths of blocks, children or other control fields; paths below .thinkon/; timestamps or random text.
- go beyond the goal. If you believe that the goal is covered, plan a closing check. "plan-return" is not yours to answer.
`

const ACT_RULES = `You have one goal that must be executed now, in one call of one executor below; there is no room to plan. You get a Context JSON: "think" is the
block with its goal, "path" its ancestors. Answer with one JSON object:
{"command":"shell: <command>" or "<id of an executor>","inputs":{…},"expected_observations":["…"]}
Expect what can be seen after it: the exit code, files that exist or contain something, text in the output.
If no executor can do it, answer {"cannot":"why"}.
`

const OBSERVE_RULES = `A command was executed. You get what it was to reach, what it gave, and observations that were expected and that a program could not decide. Judge each
by what is shown, and by nothing else. Answer with one JSON object:
{"verdicts":[{"observation":"…","verdict":"met"|"unmet"|"unknown","evidence":"…"}]}
"unknown" when what is shown does not decide it.
`

export interface PlanPromptParts {
  readonly executors: readonly ExecutorDescription[]
  /** What was wrong with the last answer. */
  readonly problems: readonly string[]
}

export function planPrompt(context: PlannerContext, { executors, problems }: PlanPromptParts): ModelRequest {
  const thinking = thinkingContext(context)
  const nearlyDeepest = depthOf(context) >= thinking.max_depth - 1
  return request('planner/plan', 'plan', { ...thinking, executors, told: problems }, [
    [PLAN_RULES, executorText(executors), FENCE_RULE],
    [
      contextJson(thinking),
      noticeText(context),
      nearlyDeepest
        ? 'There is hardly any depth left: take the goal as executable now (EXECUTE, "plan":[]) if you can.\n'
        : '',
      problemText(problems),
    ],
  ])
}

export function actPrompt(context: PlannerContext, { executors, problems }: PlanPromptParts): ModelRequest {
  const thinking = thinkingContext(context)
  return request('planner/act', 'act', { ...thinking, executors, told: problems }, [
    [ACT_RULES, executorText(executors), FENCE_RULE],
    [contextJson(thinking), noticeText(context), problemText(problems)],
  ])
}

export function observePrompt(
  goal: Goal,
  { command }: ExecutorCall,
  output: string,
  open: readonly string[],
): ModelRequest {
  return request('planner/observe', 'judge', { goal: goalText(goal), command, open }, [
    [OBSERVE_RULES, FENCE_RULE],
    [
      `Goal: ${shorten(goalText(goal), 2_000)}\nCommand: ${shorten(command, 4_000)}\n`,
      `${fence('output of the command', output, { maxChars: MAX_OUTPUT })}\n`,
      `Expected:\n${open.map((observation) => `- ${observation}\n`).join('')}`,
    ],
  ])
}

export interface ReflectParts {
  /** How the block was planned by its parent. */
  readonly success_signal?: string
  readonly hypothesis?: string
  /** The result of what the block executed itself, where there was no depth for another. */
  readonly executed?: string
  /** Set when it has to end now: why. */
  readonly closing?: string
  readonly problems: readonly string[]
}

/** Reflect: is the goal covered by `done`, or can it not go on safely? It alone answers with `plan-return`. */
export function reflectPrompt(context: PlannerContext, parts: ReflectParts): ModelRequest {
  const thinking = withResult(thinkingContext(context), parts.executed)
  const { problems, ...known } = parts
  const { closing, hypothesis } = known
  const words = wordsFor(context.block.goal)
  const kind = closing === undefined ? 'planner/reflect' : 'planner/close'
  const role: Role = closing === undefined ? 'judge' : 'synthesize'
  return request(kind, role, { ...thinking, ...known, told: problems }, [
    [reflectRules(words, hypothesis !== undefined), FENCE_RULE],
    [contextJson(thinking), noticeText(context), ...reflectTexts(known), problemText(problems)],
  ])
}

function withResult(thinking: ThinkingContext, executed: string | undefined): ThinkingContext {
  if (executed === undefined) return thinking
  return { ...thinking, think: { ...thinking.think, done: [...thinking.think.done, executed] } }
}

function reflectRules({ headings, status, probe }: SectionWords, probing: boolean): string {
  const sections = headings.map((heading) => `### ${heading}`).join(', ')
  return `You judge one block, and do nothing else. You get a Context JSON: "think" is the block with its goal, its remaining plan and the results so far
(done, in order; a result marked [failed…], [partial…] or [cancelled…] is not there), "path" its ancestors. Is the goal covered by done: is there the deliverable, is the
metric met, are the constraints kept? Or can it not go on safely: conflicting goals, something missing that nobody here can get? Answer with one JSON object:
{"type":"go-on","reason":"…"} — there is more to do, and it can be done.
{"type":"plan-return","status":"completed"|"partial"|"failed","result":"…"${probing ? ',"verdict":"confirmed"|"refuted"|"undecided","evidence":"…"' : ''}} — it ends here.
"result" is Markdown with exactly these sections, in this order: ${sections}.
1. ${headings[0]}: begins with "${status.completed}", "${status.partial}" or "${status.failed}", as the status says; what is missing and why.
2. ${headings[1]}: files by name with a few words each; or the text itself, whole, when a text was asked for.
3. ${headings[2]}: what the metric asks for, met or not, and by what evidence.
4. ${headings[3]}: whether the constraints were kept; each deviation with its reason.
Claim nothing that done does not show. Write in the language of the goal.
${probing ? `The block tests a hypothesis: give the verdict (${Object.values(probe).join(', ')}) and the evidence in a sentence; a test that shows nothing is "undecided", and the block is then still completed.\n` : ''}`
}

function reflectTexts({
  success_signal,
  hypothesis,
  executed,
  closing,
}: Omit<ReflectParts, 'problems'>): string[] {
  return [
    hypothesis === undefined ? '' : `Hypothesis: ${shorten(hypothesis, 1_000)}\n`,
    success_signal === undefined
      ? ''
      : `Success signal: ${shorten(success_signal, 1_000)}\nWhen done shows it, the block ends.\n`,
    executed === undefined ? '' : 'There is no depth left: answer with plan-return.\n',
    closing === undefined
      ? ''
      : `It has to end here (${shorten(closing, 300)}): answer with plan-return for what there is.\n`,
  ]
}

function request(
  kind: string,
  role: Role,
  input: unknown,
  [system, user]: readonly [string[], string[]],
): ModelRequest {
  return {
    kind,
    version: 2,
    role,
    input,
    messages: twoMessages(system, user),
    // The rules are checked by name, in rules/: of the model's structured output only "one object" is demanded.
    schema: { type: 'object' },
    settings: STEADY,
  }
}

function executorText(executors: readonly ExecutorDescription[]): string {
  return `\nExecutors:\n${executors.map((executor) => `${JSON.stringify(executor)}\n`).join('') || 'none\n'}`
}

/** Messages of a person and of the loop guard; results are in `done`. */
function noticeText(context: PlannerContext): string {
  const text = context.timeline(MAX_NOTICES, ['message', 'notice'])
  return text === '' ? '' : `Notices:\n${text}\n`
}

function problemText(problems: readonly string[]): string {
  if (problems.length === 0) return ''
  return `Your last answer can't be used:\n${problems.map((line) => `- ${line}\n`).join('')}Answer again.\n`
}
