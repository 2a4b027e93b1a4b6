/** What models are told. What stays the same comes first, what changes last; every part is bounded. */
import { FENCE_RULE } from '../../kernel/fence.ts'
import { type ModelRequest, oneLine, shorten } from '../../protocol/index.ts'
import { aboveText, MAX_GOAL, rootText, timelineText, twoMessages } from '../prompt-text.ts'
import { object, PAYLOADS, taskType, text } from './messages.ts'
import type { ThoughtNode, ThoughtPayloads } from './protocol.ts'
import { candidatesSchema, type TotContext, valueSchema, voteSchema } from './schema.ts'

/** The maximum size of a prompt in tokens, however long the path and however many the candidates. */
export const MAX_PROMPT_TOKENS = 30_000

const MAX_THOUGHTS = 8_000
const MAX_VOTED = 20_000
const MAX_STATE = 2_000
const MIN_THOUGHT = 20
const MAX_SHOWN = 40
const MAX_TIMELINE = 1_200

const LANGUAGE = "Write in the problem's language.\n"
/** Rules of every prompt that may have fences in it. */
const COMMON_RULES = [LANGUAGE, FENCE_RULE, '\n']

export function taskTypePrompt(context: TotContext, problem: string): ModelRequest {
  return request('tot/task-type', {
    role: 'plan',
    input: { problem },
    system: `You say which kind of task a problem is. Answer with one JSON object:
{"task_type":"…","reason":"…"}
math_reasoning — a calculation, a proof, a puzzle with a right answer.
creative_writing — a text whose quality is a matter of judgement.
planning — an order of actions that leads to a goal.
architecture_design — the parts of something that is to be built, and how they fit.
debugging — the cause of something that goes wrong.
`,
    user: [rootText(context), problemText(problem)],
    schema: object({ task_type: taskType, 'reason?': text }),
  })
}

export function decomposePrompt(
  context: TotContext,
  { problem, task_type }: ThoughtPayloads['decompose_task'],
): ModelRequest {
  return request('tot/decompose', {
    role: 'plan',
    input: { problem, task_type },
    system: `You prepare a search for the solution of a problem, in which thoughts follow on each other step by step. Say what one
thought is and how many follow on each other. Answer with one JSON object:
{"thought_granularity":"what one thought is, in a word or two: equation, paragraph, hypothesis, …",
"intermediate_steps":["what each step does, in order"],
"depth_estimate":how many thoughts a whole solution takes,
"constraints":["what every solution must keep to"],
"success_criteria":"by what a solution is known"}
${LANGUAGE}`,
    user: [
      rootText(context),
      aboveText(context),
      problemText(problem),
      `Kind of task: ${task_type}\n`,
      timelineText(context, MAX_TIMELINE),
    ],
    schema: PAYLOADS.decomposition_result,
  })
}

/** One call for all candidates, or for one of several that are drawn independently. */
export function generatePrompt(
  context: TotContext,
  { parent_node, num_candidates, context: about }: ThoughtPayloads['generate_thoughts'],
  draw: { readonly n: number; readonly of: number } | null,
  temperature: number,
): ModelRequest {
  const asked = draw === null ? num_candidates : 1
  const hint =
    draw === null || draw.of === 1
      ? ''
      : `This is draw ${draw.n} of ${draw.of}: ${HINTS[(draw.n - 1) % HINTS.length]}\n`
  const thoughts = thoughtsOf(parent_node)
  const deeper = context.budget().depth > 0 ? SUB_GOAL : ''
  return request('tot/generate', {
    role: 'plan',
    input: {
      ...about,
      thoughts,
      ...stateOf(parent_node),
      depth: parent_node.depth + 1,
      num_candidates: asked,
      ...(draw === null ? {} : { draw }),
    },
    system: [
      `You think of what could come next in the solution of a problem. Each candidate is one step further than the thoughts so far, not
a whole solution, unless one step is all that is missing. Candidates must differ in substance. Answer with one JSON object:
{"candidates":[{"content":"the thought, complete in itself","action_type":"what it is, in a word"}]}
`,
      deeper,
      ...COMMON_RULES,
    ],
    user: [
      rootText(context),
      problemText(about.problem),
      goalText(about),
      thoughtsText(thoughts),
      stateText(parent_node),
      timelineText(context, MAX_TIMELINE),
      hint,
      asked === 1 ? 'Give one candidate.' : `Give ${asked} candidates, the most promising first.`,
    ],
    schema: candidatesSchema.json,
    temperature,
  })
}

const SUB_GOAL = `A candidate that takes work of its own, such as looking something up or using tools, may say so with
"metadata":{"goal":"that work as a goal, complete in itself"}: it is done first, and what it comes to becomes the thought.
`

/** Draws know nothing of each other: each gets a different hint. */
const HINTS = [
  'take the way that seems best to you.',
  'take a way that others would overlook.',
  'take the simplest way there is.',
  'turn a usual assumption around.',
  'begin from the end, and work back.',
  'take the boldest way that could still succeed.',
]

export function evaluatePrompt(
  context: TotContext,
  { context: about, evaluation_criteria: criteria }: ThoughtPayloads['evaluate_thoughts'],
  node: ThoughtNode,
  sample: { readonly n: number; readonly of: number },
): ModelRequest {
  return request('tot/evaluate', {
    role: 'judge',
    input: {
      ...about,
      criteria,
      thoughts: thoughtsOf(node),
      content: node.content,
      ...stateOf(node),
      sample: sample.n,
    },
    system: [
      `You judge how likely the last of some thoughts is to lead to a solution. Answer with one JSON object:
{"score":0 to 10, 0 for a dead end, 10 for sure,
"confidence":0 to 1, how sure you are of the score,
"reasoning":"why, in a sentence or two"${criteria.length > 1 ? `,\n"dimension_scores":{${criteria.map((name) => `"${name}":0 to 10`).join(',')}}` : ''}}
`,
      ...COMMON_RULES,
    ],
    user: [
      rootText(context),
      problemText(about.problem),
      `A solution is known by this: ${shorten(about.goal, MAX_GOAL)}\n`,
      thoughtsText(thoughtsOf(node)),
      stateText(node),
      `This is step ${node.depth} of at most ${about.max_depth}. Judge by: ${criteria.join(', ')}.`,
    ],
    schema: valueSchema.json,
    temperature: sample.of > 1 ? 0.7 : 0,
  })
}

export function votePrompt(
  context: TotContext,
  { context: about, candidates, evaluation_criteria: criteria }: ThoughtPayloads['evaluate_thoughts'],
  vote: { readonly n: number; readonly of: number },
): ModelRequest {
  const shown = candidates.map((node) => ({ node_id: node.id, thoughts: thoughtsOf(node), ...stateOf(node) }))
  return request('tot/vote', {
    role: 'judge',
    input: { ...about, criteria, candidates: shown, vote: vote.n },
    system: [
      `You compare candidates for the next step of a solution with each other. Answer with one JSON object that has every candidate:
{"evaluations":[{"node_id":"…","score":0 to 10,"confidence":0 to 1,"reasoning":"in a sentence, as against the others"}],
"best":"node_id of the one you would go on with"}
`,
      ...COMMON_RULES,
    ],
    user: [
      rootText(context),
      problemText(about.problem),
      `A solution is known by this: ${shorten(about.goal, MAX_GOAL)}\n`,
      ...candidates.map(
        (node) => `\n[${node.id}]\n${lines(thoughtsOf(node), Math.ceil(MAX_VOTED / candidates.length))}\n`,
      ),
      `\nThis is step ${about.current_depth} of at most ${about.max_depth}. Judge by: ${criteria.join(', ')}.`,
    ],
    schema: voteSchema.json,
    temperature: vote.of > 1 ? 0.7 : 0,
  })
}

export function synthesizePrompt(
  context: TotContext,
  { problem, task_type, best_path }: ThoughtPayloads['synthesize_solution'],
): ModelRequest {
  const thoughts = best_path.slice(1).map(({ content }) => content)
  return request('tot/synthesize', {
    role: 'synthesize',
    input: { problem, task_type, thoughts },
    system: [
      `You make the solution of a problem out of the thoughts that led to it. Answer with one JSON object:
{"answer":"what was asked for, whole",
"reasoning_trace":["the steps that lead to it"],
"confidence":0 to 1,
"verification":{"is_valid":whether it holds when you check it again,"validation_errors":["what does not"]},
"alternative_solutions":["others, if there are any"]}
`,
      ...COMMON_RULES,
    ],
    user: [
      rootText(context),
      problemText(problem),
      thoughtsText(thoughts),
      timelineText(context, MAX_TIMELINE),
      'Give the solution.',
    ],
    schema: PAYLOADS.final_solution,
  })
}

interface Parts extends Required<Pick<ModelRequest, 'role' | 'input' | 'schema'>> {
  readonly system: string | readonly string[]
  readonly user: readonly string[]
  readonly temperature?: number
}

function request(kind: string, { role, input, system, user, schema, temperature = 0 }: Parts): ModelRequest {
  const messages = twoMessages(system, user)
  return { kind, version: 1, role, input, messages, schema, settings: { temperature } }
}

/** The thoughts from the first to this one; none at the root. */
export function thoughtsOf({ depth, content, metadata }: ThoughtNode): string[] {
  if (depth === 0) return []
  return [...((metadata?.path ?? []) as string[]), content]
}

function stateOf({ metadata }: ThoughtNode): { state?: unknown } {
  return metadata?.state === undefined ? {} : { state: metadata.state }
}

function problemText(problem: string): string {
  return `Problem: ${shorten(problem, MAX_GOAL)}\n`
}

function goalText({ goal, constraints }: { goal: string; constraints: readonly string[] }): string {
  const rules = constraints.map((rule) => `- ${shorten(oneLine(rule), 300)}\n`).slice(0, 20)
  return `A solution is known by this: ${shorten(goal, MAX_GOAL)}\n${rules.length === 0 ? '' : `It must keep to:\n${rules.join('')}`}`
}

function thoughtsText(thoughts: readonly string[]): string {
  if (thoughts.length === 0) return 'Thoughts so far: none.\n'
  return `Thoughts so far:\n${lines(thoughts, MAX_THOUGHTS)}\n`
}

/** One after the other in at most `maxChars`: the last has half of them, the others share the rest. */
function lines(thoughts: readonly string[], maxChars: number): string {
  const before = Math.max(MIN_THOUGHT, Math.floor(maxChars / 2 / Math.max(1, thoughts.length - 1)))
  const shown = thoughts.slice(-MAX_SHOWN)
  const first = thoughts.length - shown.length
  const texts = shown.map((thought, i) => {
    const last = i === shown.length - 1
    return `${first + i + 1}. ${last ? shorten(thought, Math.floor(maxChars / 2)) : shorten(oneLine(thought), before)}`
  })
  return [...(first > 0 ? [`(${first} earlier ones are not shown)`] : []), ...texts].join('\n')
}

function stateText({ metadata }: ThoughtNode): string {
  const { state } = metadata ?? {}
  if (state === undefined) return ''
  return `Left to work with: ${shorten(typeof state === 'string' ? state : JSON.stringify(state), MAX_STATE)}\n`
}
