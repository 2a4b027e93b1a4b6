/**
 * What the Planner, the judge of observations and Reflect are told: the rules, then the Context JSON in sections, last what is asked.
 * Nothing in a request depends on clock or chance: the same context gives the same bytes.
 */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Conversation } from '../../kernel/brief/conversation.ts'
import type { Item, Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import { goalText, type Role } from '../../protocol/index.ts'
import { noticeText, withheldRule } from '../sections.ts'
import { depthOf, itemsOf, thinkingContext } from './context-json.ts'
import { learnedText, listText } from './context-sections.ts'
import { callText, type ExecutorDescription, executorEntries } from './executor-call.ts'
import type { ThinkingContext } from './notes.ts'
import type { ExecutorCall, Hypothesis, Learned, PlannerContext } from './schema.ts'
import { type SectionWords, wordsFor } from './sections.ts'

/** One text for all roles: what a provider has cached of a block's last request serves the next one, whoever it asks. */
function rules({ headings, status, notInProbes, notInSteps }: SectionWords): string {
  const sections = headings.map((heading) => `### ${heading}`).join(', ')
  return `You work on one block of a plan, called "think", in the role that the last message names: the Planner decides its next child block; Reflect judges whether it
has ended; Act executes it where there is no room to plan. You get the Context JSON in parts: the blocks from the root down, each with its goal and with what is done for
it ("done": results, each under the sub-goal it answers, the newest last; one marked failed, partial or cancelled is not there). The last block is "think"; those above it are its
"path", with the plans they had when the block below began. Read goals as four parts: intent (why), deliverable (what can be handed over), metric (how good), constraint (limits).
Answer with one JSON object in the form of your role, and no other text.

THE PLANNER decides the next child block of "think", and nothing else: it executes nothing and writes no file.
{"type":"plan-next","plan_type":"PLAN_PROBES"|"PLAN_STEPS"|"EXECUTE","new_block":{"goal":…,"plan":[…],"done":[]},"success_signal":"…","executor_call":{…},"update_plan":[…]}
The object and its "new_block" have these fields and no others.
- "goal": the next thing to do for "think", usually its first plan item that is not done yet, made clear and checkable: a text, or
  {"intent":"…","deliverable":"…","metric":"…","constraint":"…"}. Who works on it sees all that you see.
Two gates decide plan_type.
Gate 1, knowledge: must something be judged for which there is no evidence yet, so that going on would be guessing? Then PLAN_PROBES: "plan"
holds 3 to 7 competing hypotheses, each of which evidence can refute, told apart from the others. They claim what is the case and order nothing to be done: no ${notInProbes}.
What you know well, or can read in what is done, is no gap; material that nobody has looked at yet is looked at first, in one cheap call.
Gate 2, ability (only without such a gap): can one call of one executor below do all of it? Judge by what the executors guarantee, by their limits and
side effects. Several calls, changes in many files, a risk that needs a check in between, or no executor that fits: not atomic.
- Atomic: EXECUTE, "plan":[], and "executor_call":{"command":"shell: <command>" or "<id of an executor>","inputs":{…},"expected_observations":["…"]}.
  Expect what a program can see after a command, such as exit code 0, the output contains "3 passed", a.md exists, a.md contains "Total"; of a look at something, nothing: []. What is expected
  decides, not the exit code: of a search that should find nothing, expect no output. Name no executor that is not listed.
- Not atomic: PLAN_STEPS: "plan" holds 3 to 7 steps in order, each of which can become a goal. Steps guess nothing: no ${notInSteps}.
If hypotheses and steps would mix, answer with PLAN_PROBES: evidence first.
A text whose material is all in view or well known is atomic: EXECUTE with the executor "text", at once, without steps before it. Write
it with all your care: everything that the goal asks for, in the form, length and language it asks for; decided and concrete; its figures and its parts in accord; nothing about how
it was made. It goes to the person as you write it. What the goal wants as a file is written into it by a command instead.
"success_signal" (with probes and steps): what will show that the evidence is enough, or that the steps have led to the deliverable.
"update_plan" (optional): replaces the plan of "think" as a whole, without the item you work on now; only when results ask for another order, new
steps or fewer. Without it the first item is taken off when the child has completed.
Never repeat what has failed at the same granularity: neither the same items, nor the same command, nor a goal like it as one call. Split it finer, go another way, or probe. Never write ids, paths of blocks, children or
other control fields, paths below .thinkon/, timestamps or random text. Never go beyond the goal. If you believe that it is covered, plan a closing check: "plan-return" is Reflect's.

REFLECT judges "think", and nothing else. Is its goal covered by what is done: is there the deliverable, is the metric met, are the constraints kept? Or can it not go on safely: conflicting goals,
something missing that nobody here can get?
{"type":"go-on","reason":"…"} — there is more to do, and it can be done. The reason tells the Planner what is missing or wrong, and where.
{"type":"plan-return","status":"completed"|"partial"|"failed","deliverable":…,"result":"…"} — it ends here.
"deliverable" is what the goal asks for, as the person who asked gets it: whole, clean, in the form, length and language asked for, with nothing about how it was made or checked.
- {"result":3}: the text of result 3 is the deliverable as it stands. It is handed over as it was written; don't write it again.
- Otherwise the text itself, made from the results: all that was asked for, every claim and figure as the results show it. Write it when a text is all that is missing and what it needs
  is done, and when a text that is done only needs to be put right: don't go on for that.
- Where it is files, what is in them, in two or three sentences that the person reads. Left out where there is none.
Before you return, hold the deliverable against the goal's own words, point by point: everything asked for is there; its parts, its figures and the results do not contradict each other.
"result" is the report on it: short Markdown with exactly these sections, in this order: ${sections}.
1. ${headings[0]}: begins with "${status.completed}", "${status.partial}" or "${status.failed}", as the status says; what is missing and why.
2. ${headings[1]}: files by name with a few words each; of a text its name only.
3. ${headings[2]}: what the metric asks for, met or not, and by what evidence.
4. ${headings[3]}: whether the constraints were kept; each deviation with its reason.
Claim nothing that is not done. Write in the language of the goal.

ACT has one goal that must be executed now, in one call of one executor:
{"command":"shell: <command>" or "<id of an executor>","inputs":{…},"expected_observations":["…"]}, with what is said above of an "executor_call" and of texts. If no executor can do it: {"cannot":"why"}.
`
}

/** Of a block with hypotheses only. */
const PROBE_RULE = `Plan what gives evidence on the open ones, and nothing that repairs or changes anything. One look or command that decides several is best: EXECUTE it now, with
an "update_plan" of those that it leaves open, [] for none: all others are then judged by what it shows. Without "update_plan" only the first one is. A hypothesis has a block of its own only where no single call can decide it.
`
const VERDICT_RULE = `Your answer, go-on or plan-return, has one more field: "verdicts":[{"hypothesis":1,"verdict":"confirmed"|"refuted"|"undecided","evidence":"…"}], for each that is to be
judged, and for each open one that the results decide as well: it then needs no test. The evidence is a sentence with the facts that decide it; what no test shows is "undecided".
`

const OBSERVE_RULES = `A command was executed. You get what it was to reach, what it gave, and observations that were expected and that a program could not decide. Judge each
by what is shown, and by nothing else. Answer with one JSON object:
{"verdicts":[{"observation":"…","verdict":"met"|"unmet"|"unknown","evidence":"…"}]}
"unknown" when what is shown does not decide it.
`

export interface PlanParts {
  readonly executors: readonly ExecutorDescription[]
  /** What was wrong with the last answer; it stands in the conversation. */
  readonly problems: readonly string[]
}

export function planBrief(
  context: PlannerContext,
  conversation: Conversation,
  { executors, problems, learned }: PlanParts & { readonly learned: Learned },
): Brief {
  const thinking = thinkingContext(context)
  const nearlyDeepest = depthOf(context) >= thinking.max_depth - 1
  return {
    ...steady('planner/plan', 'plan'),
    input: { ...thinking, ...hypothesesIn(learned), executors, told: problems },
    system: systemOf(context, executors),
    conversation,
    question: [
      noticeText(context),
      thinkText(context, thinking, learned.hypotheses),
      learnedText(context, learned),
      learned.hypotheses === undefined ? '' : PROBE_RULE,
      nearlyDeepest
        ? 'There is hardly any depth left: take the goal as executable now (EXECUTE, "plan":[]) if you can.\n'
        : '',
      'You are the Planner: what is the next child block of think?',
    ],
  }
}

export function actBrief(
  context: PlannerContext,
  conversation: Conversation,
  { executors, problems }: PlanParts,
): Brief {
  const thinking = thinkingContext(context)
  return {
    ...steady('planner/act', 'act'),
    input: { ...thinking, executors, told: problems },
    system: systemOf(context, executors),
    conversation,
    question: [
      noticeText(context),
      thinkText(context, thinking),
      learnedText(context, { attempts: [] }),
      'There is no room to plan. You are Act: which call reaches the goal of think?',
    ],
  }
}

export function observeBrief(
  { block, path }: PlannerContext,
  call: ExecutorCall,
  outputs: readonly Item[],
  open: readonly string[],
): Brief {
  const goal = goalText(block.goal)
  return {
    ...steady('planner/observe', 'judge'),
    input: { goal, command: call.command, open },
    system: [OBSERVE_RULES, FENCE_RULE],
    sections: [
      { need: 'whole', title: 'The goal:', items: [{ text: goal }] },
      { need: 'whole', title: 'The command:', items: [{ text: callText(call) }] },
      { need: 'first', items: outputs, ref: `${path} results` },
    ],
    question: `Expected:\n${open.map((observation) => `- ${observation}\n`).join('')}`,
  }
}

function hypothesesIn({ hypotheses }: Learned): Pick<Learned, 'hypotheses'> {
  return hypotheses === undefined ? {} : { hypotheses }
}

export interface ReflectParts {
  /** How the block was planned by its parent. */
  readonly success_signal?: string
  /** Of a block that probes. */
  readonly hypotheses?: readonly Hypothesis[]
  /** Set when it has to end now: why. */
  readonly closing?: string
  /** The deliverable came back with what is wrong with it, which the conversation has. */
  readonly sentBack?: { readonly mayGoOn: boolean }
}

/** Reflect: is the goal covered by `done`, or can it not go on safely? It alone answers with `plan-return`. */
export function reflectBrief(
  context: PlannerContext,
  about: { readonly conversation: Conversation } | { readonly sections: readonly Section[] },
  parts: ReflectParts,
  problems: readonly string[],
): Brief {
  const thinking = thinkingContext(context)
  const { closing } = parts
  const kind = closing === undefined ? 'planner/reflect' : 'planner/close'
  return {
    ...steady(kind, closing === undefined ? 'judge' : 'synthesize'),
    input: { ...thinking, ...parts, told: problems },
    system: systemOf(context, executorEntries(context)),
    ...about,
    question: [
      noticeText(context),
      thinkText(context, thinking, parts.hypotheses),
      parts.hypotheses === undefined ? '' : VERDICT_RULE,
      reflectText(parts),
    ],
  }
}

function reflectText({ closing, sentBack }: ReflectParts): string {
  if (sentBack !== undefined) {
    const or = sentBack.mayGoOn ? ', or with go-on where a file has to be changed' : ''
    return `You are Reflect: answer with plan-return once more, with the whole "deliverable"${or}.`
  }
  if (closing === undefined) return 'You are Reflect: is the goal of think covered?'
  return `You are Reflect. It has to end here (${closing}): answer with plan-return for what there is.`
}

/** What changes from one request of a block to the next, and what its parent expects of it. */
function thinkText(
  { block, options: { start } }: PlannerContext,
  { path, max_depth }: ThinkingContext,
  hypotheses?: readonly Hypothesis[],
): string {
  const signal = start?.success_signal?.trim()
  return [
    `think is the block at depth ${path.length}; max_depth is ${max_depth}.\n`,
    hypotheses === undefined ? planText(itemsOf(block.todo)) : hypothesesText(hypotheses),
    signal ? `Success signal: ${signal}\nWhen done shows it, the block ends.\n` : '',
  ].join('')
}

function planText(plan: readonly string[]): string {
  return plan.length === 0 ? 'It has no plan.\n' : `What is left of its plan:\n${listText(plan)}\n`
}

/** The open ones are what is left of the plan. */
function hypothesesText(hypotheses: readonly Hypothesis[]): string {
  const lines = hypotheses.map(({ text, state, evidence }, i) => {
    const how = state === 'tested' ? 'to be judged' : state
    return `${i + 1}. [${how}] ${text}${evidence === '' ? '' : ` (${evidence})`}\n`
  })
  return `Its plan is hypotheses:\n${lines.join('')}`
}

/** The same context should give the same plan. The rules are checked by name, in rules/: of the structured output only "one object" is demanded. */
function steady(kind: string, role: Role): Pick<Brief, 'kind' | 'version' | 'role' | 'schema' | 'settings'> {
  return { kind, version: 4, role, schema: { type: 'object' }, settings: { temperature: 0 } }
}

function systemOf(context: PlannerContext, executors: readonly ExecutorDescription[]): readonly string[] {
  const { goal } = context.block
  return [rules(wordsFor(goal)), executorText(executors), withheldRule(context), FENCE_RULE]
}

function executorText(executors: readonly ExecutorDescription[]): string {
  return `\nExecutors:\n${executors.map((executor) => `${JSON.stringify(executor)}\n`).join('') || 'none\n'}`
}
