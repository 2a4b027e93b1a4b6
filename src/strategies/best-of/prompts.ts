/** What the model is told: the goal and all that is known, the same for every sample; and the answers, when one is to be chosen. */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import { goalText } from '../../protocol/index.ts'
import { aboveSections, goalSection, personSection, withheldRule } from '../sections.ts'
import { answerSchema, type BestOfContext, choiceSchema } from './schema.ts'

const ANSWER_RULES = `You reach a goal by thinking alone: you have no tools, and this is your only turn. Answer with one JSON object:
{"reasoning":"…","answer":"…"}
"reasoning": work it out step by step, and check the result before you give it.
"answer": what the goal asks for, whole, in the goal's language and in the form that it asks for, with nothing about how you worked. Where it asks for a value, a name or a choice, \
the answer is that alone, in its plainest form: answers to the same goal are compared word by word.
What can't be known by thinking alone is not made up: the answer says what is missing.
`

const CHOICE_RULES = `Several answers to the same goal were made independently. You choose the one to give to the person who asked: the one that is right, does all that the goal \
asks for, and holds when you work it out again. What several answers agree on is more likely to be right; length and style count for nothing. The order of the answers says nothing. \
Answer with one JSON object:
{"reason":"…","best":number of the answer}
`

export interface Draw {
  readonly sample: number
  readonly seed: number
}

export function answerBrief(context: BestOfContext, { sample, seed }: Draw): Brief {
  const { block, options } = context
  return {
    kind: 'best-of/answer',
    version: 1,
    role: 'plan',
    input: { goal: goalText(block.goal), sample },
    system: [ANSWER_RULES, withheldRule(context), FENCE_RULE],
    sections: shared(context),
    question: 'What is the answer?',
    schema: answerSchema.json,
    settings: options.samples === 1 ? {} : { temperature: options.temperature, seed },
  }
}

/** `answers` stand in the order given: the caller shuffles them, since what stands first is preferred. */
export function chooseBrief(context: BestOfContext, answers: readonly string[]): Brief {
  return {
    kind: 'best-of/choose',
    version: 1,
    role: 'judge',
    input: { goal: goalText(context.block.goal), answers },
    system: [CHOICE_RULES, FENCE_RULE],
    sections: [
      ...shared(context),
      {
        need: 'whole',
        title: 'The answers:',
        items: answers.map((text, i) => ({
          about: `Answer ${i + 1} of ${answers.length}:`,
          text,
          data: 'result',
        })),
      },
    ],
    question: 'Which of them is the best?',
    schema: choiceSchema(answers.length).json,
    settings: { temperature: 0 },
  }
}

function shared(context: BestOfContext): Section[] {
  return [...aboveSections(context), goalSection(context), personSection(context)]
}
