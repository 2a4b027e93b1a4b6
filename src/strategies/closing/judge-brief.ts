/** The request to judge a result: the whole goal, the whole result, and what it was made from. */
import type { Brief } from '../../kernel/brief/brief.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { FENCE_RULE } from '../../kernel/fence.ts'
import type { Schema } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/strategy.ts'
import { goalText } from '../../protocol/index.ts'
import { asObject, invalidReply } from '../read-value.ts'
import { goalSection, personSection } from '../sections.ts'
import { count } from './count.ts'
import type { ResultFile } from './result-files.ts'

export interface Judged {
  readonly result: string
  /** Files that the goal asks for or the result names, as they are now. */
  readonly files: readonly ResultFile[]
  /** What the result was made from. */
  readonly material: readonly Section[]
}

export interface Verdict {
  readonly problems: readonly string[]
  readonly fits: boolean
}

const RULES = `You are the last reader of a result before it goes to the person who asked for it. You see what they asked for, and the \
result exactly as they would get it, with the files that are named.
Go through what the goal asks for, point by point, and find each point in the result. Then hold the result's own parts against each \
other: figures, names, dates, and what is decided or recommended.
Send it back only for what this person would send it back for:
- something they asked for is missing, cut off, or not done in the way they asked;
- it is wrong: a calculation, a count or a conclusion does not hold when you work it out again;
- two parts of the result contradict each other, or its figures do not add up;
- it contradicts the material it was made from, of which later results overrule earlier ones, or states as a fact what neither the goal nor the material gives and nobody can know;
- it reports on the work (steps taken, checks made, what could not be run) in place of what was asked for, or around it, unless the goal asks for that.
What was done with commands and files (tests run, changes made) you may not see: that you can't confirm it is no reason to send it back. \
Do not judge style or taste, and do not ask for more than the goal does. The length is counted for you: only one that is clearly not \
what was asked for matters. When in doubt, it fits.
The form: {"checked":"…","problems":["…"],"fits":true}. "checked" is for what you worked out, in short; \
"problems" lists only what must be put right, each in one sentence that says where it is and what would be right; at most five, the \
gravest first. "fits" is true where there are none.
`

export function judgeBrief(context: Context, { result, files, material }: Judged): Brief {
  return {
    kind: 'check/result',
    version: 2,
    role: 'judge',
    input: { goal: goalText(context.block.goal), result },
    system: [RULES, FENCE_RULE],
    sections: [
      goalSection(context, "The goal, in the person's words:"),
      personSection(context),
      ...material,
      {
        need: 'whole',
        title: `The result to be judged (${measures(result)}):`,
        items: [{ text: result, data: 'result' }],
      },
      {
        need: 'first',
        items: files.map(({ path, text, of }) => ({
          about: `The file ${path}, as it is now (${of === undefined ? measures(text) : `the first of its ${of} lines`}):`,
          text,
          data: 'file',
        })),
      },
    ],
    question: 'Would they accept it?',
    schema: verdictSchema.json,
  }
}

/** Models count badly. */
function measures(text: string): string {
  return `${count(text, 'words').low} words, ${text.length} characters`
}

export const verdictSchema: Schema<Verdict> = {
  json: {
    type: 'object',
    properties: {
      checked: { type: 'string' },
      problems: { type: 'array', items: { type: 'string' } },
      fits: { type: 'boolean' },
    },
    // A verdict without its work counts, too.
    required: ['problems', 'fits'],
  },
  check(value) {
    const { problems, fits } = asObject(value)
    if (typeof fits !== 'boolean') throw invalidReply('"fits" must be true or false', value)
    if (!Array.isArray(problems) || problems.some((problem) => typeof problem !== 'string'))
      throw invalidReply('"problems" must be a list of texts', value)
    return { problems, fits }
  },
}
