/** What models are told: what stays the same for the search comes first, then the path, last what is asked. */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import { object, PAYLOADS, taskType, text } from './messages.ts'
import type { TaskType, ThoughtNode, ThoughtPayloads } from './protocol.ts'
import {
  candidatesSchema,
  nameOf,
  solutionSchema,
  type TotContext,
  valueSchema,
  voteSchema,
} from './schema.ts'
import {
  alternativeItems,
  candidateSections,
  constraintsSection,
  criteriaSection,
  failedSection,
  judgedBySection,
  judgementSection,
  KEEP,
  knownChildren,
  listSection,
  problemSections,
  stateOf,
  stateSection,
  stepText,
  thoughtsOf,
  thoughtsSection,
  verdictSection,
} from './sections.ts'
import type { Surroundings } from './surroundings.ts'
import { TASKS } from './task-types.ts'

/** The same for all requests, so that they begin alike: what is asked stands at the end, after the path that it is about. */
const SYSTEM = [
  `You take part in a search for the solution of a problem, in which thoughts follow on each other step by step. What you are to do
now is said at the end, with the form of the answer: one JSON object. Write in the problem's language.
`,
  FENCE_RULE,
]

export function taskTypeBrief(context: TotContext, problem: string): Brief {
  return brief('tot/task-type', {
    version: 2,
    role: 'plan',
    input: { problem },
    sections: problemSections(context, problem),
    question: [
      `You say which kind of task a problem is. Answer with one JSON object:
{"task_type":"…","reason":"…"}
math_reasoning — a calculation, a proof, a puzzle with a right answer.
creative_writing — a text whose quality is a matter of judgement.
planning — an order of actions that leads to a goal.
architecture_design — the parts of something that is to be built, and how they fit.
debugging — the cause of something that goes wrong.
`,
      'Which kind of task is it?',
    ],
    schema: object({ task_type: taskType, 'reason?': text }),
  })
}

export function decomposeBrief(
  context: TotContext,
  { problem, task_type }: ThoughtPayloads['decompose_task'],
): Brief {
  const { depth } = context.options
  return brief('tot/decompose', {
    role: 'plan',
    input: { problem, task_type },
    sections: problemSections(context, problem),
    question: [
      `You prepare a search for the solution of a problem, in which thoughts follow on each other step by step. Say what one
thought is and how many follow on each other. Answer with one JSON object:
{"thought_granularity":"what one thought is, in a word or two: equation, paragraph, hypothesis, …",
"intermediate_steps":["what each step does, in order"],
"depth_estimate":how many thoughts a whole solution takes: as many as there are steps,
"constraints":["what every solution must keep to: everything that the problem itself demands, in its own words"],
"success_criteria":"by what a solution is known",
"evaluation_criteria":["two to four criteria by which one thought on this problem is better than another, each as name: what is looked at; made for this problem, not for any"]}
`,
      depth === undefined
        ? usualDepth(task_type)
        : `A solution has ${depth === 1 ? 'one thought: plan for one step' : `${depth} thoughts: plan for so many steps`}.\n`,
      `Kind of task: ${task_type}. How is it to be searched?`,
    ],
    schema: PAYLOADS.decomposition_result,
  })
}

function usualDepth(taskType: TaskType): string {
  const { range } = TASKS[taskType]
  if (range === undefined) return ''
  const usual = `${range[0]} to ${range[1]}`
  return `For this kind of task ${usual} thoughts are usual. Where the problem itself has another number of parts, that number counts.\n`
}

interface Draw {
  readonly n: number
  readonly of: number
}

/** One call for all candidates, or for one of several that are drawn independently. */
export function generateBrief(
  context: TotContext,
  { parent_node, num_candidates, context: about }: ThoughtPayloads['generate_thoughts'],
  around: Surroundings | null,
  draw: Draw | null,
  temperature: number,
): Brief {
  const asked = draw === null ? num_candidates : 1
  const thoughts = thoughtsOf(parent_node)
  const depth = parent_node.depth + 1
  return brief('tot/generate', {
    version: 4,
    role: 'plan',
    input: {
      ...about,
      thoughts,
      ...stateOf(parent_node),
      depth,
      num_candidates: asked,
      ...(draw === null ? {} : { draw }),
    },
    sections: [
      ...problemSections(context, about.problem),
      criteriaSection(about.goal),
      listSection(KEEP, about.constraints),
      judgedBySection(around?.criteria ?? []),
      thoughtsSection(thoughts),
      stateSection(parent_node),
      judgementSection(parent_node),
      failedSection(about.failed ?? []),
      knownChildren(context, around?.childrenOf(parent_node.id) ?? [], about.failed ?? []),
    ],
    question: [
      `You think of what could come next in the solution of a problem. Each candidate is one step further than the thoughts so far${sizeText(depth, around)} Candidates must differ in substance. Answer with one JSON object:
{"candidates":[{"content":"the thought, complete in itself","action_type":"what it is, in a word"}]}
Who judges a candidate sees no other: refer to none ("as above", "like the first").
`,
      context.budget().depth > 0 ? SUB_GOAL : '',
      `${stepText(depth, around)}\n`,
      draw === null || draw.of === 1
        ? ''
        : `This is draw ${draw.n} of ${draw.of}: ${HINTS[(draw.n - 1) % HINTS.length]}\n`,
      asked === 1
        ? 'Give one candidate.'
        : `Give ${asked} candidates, the most promising first; fewer only where there are no more that differ in substance.`,
    ],
    schema: candidatesSchema.json,
    temperature,
  })
}

function sizeText(depth: number, around: Surroundings | null): string {
  return around !== null && depth >= around.maxDepth
    ? ', and the last:\nwith it the solution is whole.'
    : ', not\na whole solution, unless one step is all that is missing.'
}

const SUB_GOAL = `A candidate that takes work of its own, such as looking something up or using tools, may say so with
"metadata":{"goal":"that work as a goal, complete in itself"}: it is done first, and its result becomes the thought.
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

export function evaluateBrief(
  context: TotContext,
  { context: about, evaluation_criteria: criteria }: ThoughtPayloads['evaluate_thoughts'],
  around: Surroundings | null,
  node: ThoughtNode,
  sample: Draw,
): Brief {
  const thoughts = thoughtsOf(node)
  return brief('tot/evaluate', {
    role: 'judge',
    input: { ...about, criteria, thoughts, content: node.content, ...stateOf(node), sample: sample.n },
    sections: [
      ...problemSections(context, about.problem),
      criteriaSection(about.goal),
      constraintsSection(around),
      judgedBySection(criteria),
      thoughtsSection(thoughts),
      stateSection(node),
    ],
    question: [
      `You judge how likely the last of some thoughts is to lead to a solution. Reason before you score: think it through in "reasoning", and let
the scores follow from that. Answer with one JSON object, its fields in this order:
{"reasoning":"what speaks for the last thought and what against it, by the constraints and by each criterion, in a few sentences",
${dimensionsText(criteria)}"score":0 to 10, all in all: 0 for a dead end, 10 for sure,
"confidence":0 to 1, how sure you are of the score}
${measureText(node.depth, about.max_depth)}`,
      `${stepText(node.depth, around)}\nJudge the last thought.`,
    ],
    schema: valueSchema(criteria).json,
    temperature: sample.of > 1 ? 0.7 : 0,
  })
}

export function voteBrief(
  context: TotContext,
  { context: about, candidates, evaluation_criteria: criteria }: ThoughtPayloads['evaluate_thoughts'],
  around: Surroundings | null,
  vote: Draw,
  order: readonly ThoughtNode[],
): Brief {
  const shown = order.map((node) => ({ node_id: node.id, thoughts: thoughtsOf(node), ...stateOf(node) }))
  return brief('tot/vote', {
    version: 4,
    role: 'judge',
    input: { ...about, criteria, candidates: shown, vote: vote.n },
    sections: [
      ...problemSections(context, about.problem),
      criteriaSection(about.goal),
      constraintsSection(around),
      judgedBySection(criteria),
      ...candidateSections(candidates, order),
    ],
    question: [
      `You compare candidates for the next step of a solution with each other. The order in which they stand says nothing about them. Reason before
you score. Answer with one JSON object that has every candidate, the fields in this order:
{"evaluations":[{"node_id":"…",
"reasoning":"by the constraints and the criteria, as against the others, in a sentence or two",
${dimensionsText(criteria)}"score":0 to 10, all in all,
"confidence":0 to 1}],
"best":"node_id of the ${about.current_depth < about.max_depth ? 'one you would go on with' : 'best one'}"}
${measureText(about.current_depth, about.max_depth)}`,
      `${stepText(about.current_depth, around)}\nCompare the candidates.`,
    ],
    schema: voteSchema(criteria).json,
    temperature: vote.of > 1 ? 0.7 : 0,
  })
}

/** Judges take what is still to come for missing, unless they are told; after the last step nothing is to come. */
function measureText(depth: number, maxDepth: number): string {
  const missing =
    depth < maxDepth
      ? 'What is not there yet because later steps are to bring it is not missing.'
      : 'This is the last step: what the problem asks for and is not there now is missing.'
  return `What breaks something that it must keep to is worth little, however good it is otherwise. ${missing}\n`
}

/** With a single criterion the score says it all. */
function dimensionsText(criteria: readonly string[]): string {
  if (criteria.length < 2) return ''
  const names = criteria.map((criterion) => `${JSON.stringify(nameOf(criterion))}:0 to 10`)
  return `"dimension_scores":{${names.join(',')}},\n`
}

export function synthesizeBrief(
  context: TotContext,
  { problem, task_type, best_path }: ThoughtPayloads['synthesize_solution'],
  around: Surroundings | null,
  temperature: number,
): Brief {
  const thoughts = best_path.slice(1).map(({ content }) => content)
  const others = around?.alternatives(best_path.at(-1)?.id ?? '') ?? []
  const back = around?.sentBack
  return brief('tot/synthesize', {
    version: 4,
    role: 'synthesize',
    input: { problem, task_type, thoughts },
    sections: [
      ...problemSections(context, problem),
      criteriaSection(around?.goal ?? ''),
      constraintsSection(around),
      judgedBySection(around?.criteria ?? []),
      thoughtsSection(thoughts),
      verdictSection(around),
      judgementSection(around?.verdict === undefined ? best_path.at(-1) : undefined, 'whole'),
      {
        need: 'first',
        title: 'Other paths that were looked at:',
        items: alternativeItems(context, thoughts, others),
      },
      {
        need: 'whole',
        title: 'Your solution so far:',
        items: back === undefined ? [] : [{ text: back.answer, data: 'solution' }],
      },
    ],
    question: [
      `You make the solution of a problem out of the thoughts that led to it. Answer with one JSON object:
{"answer":"what the problem asks for, whole, as the person who asked would want to receive it: the text, the plan, the value itself, not a report about how it was found",
"reasoning_trace":["the steps that lead to it"],
"confidence":0 to 1,
"verification":{"is_valid":whether it holds when you check it against the problem's own words and what it must keep to,"validation_errors":["what does not"]}}
Keep what the thoughts settled. Where they leave a gap, contradict the problem's words or have a fault that was found, mend it in the answer.
`,
      back?.wrong ?? '',
      'Give the solution.',
    ],
    schema: solutionSchema,
    temperature,
  })
}

interface Parts extends Pick<Brief, 'role' | 'input' | 'schema' | 'question'> {
  readonly sections: readonly Section[]
  readonly temperature?: number
  /** Of its text: 3, unless said otherwise. */
  readonly version?: number
}

function brief(kind: string, { temperature = 0, version = 3, ...parts }: Parts): Brief {
  return { kind, version, system: SYSTEM, ...parts, settings: { temperature } }
}
