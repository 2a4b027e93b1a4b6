/** What models are told of a run's `output`: a rule wherever its result is written, and the request for the value alone. */
import { defined, goalText, isObject, type ModelReply } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { schemaShape } from '../../schema/schema-shape.ts'
import type { Brief } from '../brief/brief.ts'
import { Conversation } from '../brief/conversation.ts'
import { personSays } from '../brief/person-says.ts'
import type { BlockAnswer } from '../durable.ts'
import { FENCE_RULE } from '../fence.ts'
import type { Context } from '../strategy.ts'

/** Stands with the rules of every request whose block answers the run: who plans has to know, too, what is asked for. */
export function outputRule(schema: JsonSchema): string {
  return `
What this goal asks for is handed over to a program, as one JSON value of this form:
${schemaShape(schema)}
Where you write what is handed over (the answer, the result, the deliverable, whatever it is called in your reply), its text is this value: valid JSON, with no word and no \
code fence around it. In a reply that is JSON itself it stands as a string, in YAML as a text after |. Plans, thoughts, judgements and reports on the work are written as they are asked for. Who works for you on a \
sub-goal does not see this form: if their result is to be handed over as it is, say the form in their goal. If the goal can't be reached, what is handed over is a text that says so and why: \
nothing is made up.
`
}

/** The kind of the request for the value alone. */
export const VALUE_REQUEST = 'output/value'

const VALUE_RULES = `A goal was worked on, and its result is there. Now a program needs it as a value. Write the result down in the form of that value: answer with \
the JSON value and nothing else.
Take everything from the result, and from what was said about the work; where they are silent, from the goal. Change nothing, add nothing of your own, and \
leave nothing out that the form has a place for. What is not known is left out or null where the form allows it.
If there is no such value in the result (it says that the goal was not reached, or lacks what the form can't do without), answer with {"noValue":"why, in a sentence"} instead, also when you are asked again: \
nothing is made up.
`

const NO_VALUE = {
  type: 'object',
  properties: { noValue: { type: 'string' } },
  required: ['noValue'],
  additionalProperties: false,
}

/** The value, or why there is none. References lead from the top, where definitions stay; a schema with others is asked for alone. */
function replySchema(schema: JsonSchema): JsonSchema {
  if (/"\$ref":"#(?!\/(?:\$defs|definitions)\/)/.test(JSON.stringify(schema))) return schema
  const { $defs, definitions, ...value } = schema
  return { ...defined({ $defs, definitions }), anyOf: [value, NO_VALUE] }
}

/** An open schema, as most are, takes `{"noValue": …}` for a value: it is one only where the schema names that field. */
export function mayHaveNoValueField(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"noValue"')
}

/** Why there is no value, where the reply says so. */
export function whyNoValue({ value }: ModelReply): string | null {
  const why = isObject(value) && Object.keys(value).length === 1 ? value.noValue : null
  return typeof why === 'string' ? why : null
}

/** `problems`: why the result is not the value as it stands. */
export function valueConversation(
  context: Context,
  { result, details = '' }: BlockAnswer,
  problems: readonly string[],
): Conversation {
  const said = context.known().filter(({ kind }) => kind === 'message')
  return new Conversation([
    { need: 'whole', title: 'The goal:', items: [{ text: goalText(context.block.goal) }] },
    { need: 'whole', items: said.map(({ text }) => ({ text: personSays(text) })) },
    { need: 'first', title: 'Its result:', items: [{ text: result, data: 'result' }] },
    {
      need: 'whole',
      title: 'Why the result is not the value as it stands:',
      items: [{ text: listOf(problems) }],
    },
    {
      need: 'then',
      title: 'What was said about the work:',
      items: details === '' ? [] : [{ text: details, data: 'details' }],
    },
  ])
}

export function valueBrief(
  context: Context,
  conversation: Conversation,
  { result }: BlockAnswer,
  schema: JsonSchema,
): Brief {
  return {
    kind: VALUE_REQUEST,
    version: 1,
    role: 'synthesize',
    input: { goal: goalText(context.block.goal), result, schema },
    system: [VALUE_RULES, `The form of the value:\n${schemaShape(schema)}\n`, FENCE_RULE],
    conversation,
    question: 'The value?',
    schema: replySchema(schema),
  }
}

export function refusedText(problems: readonly string[]): string {
  return `That value can't be used:
${listOf(problems)}Give the whole value again, corrected, as JSON and nothing else; or {"noValue":"…"}, if the result does not give it.
`
}

function listOf(problems: readonly string[]): string {
  return problems.map((problem) => `- ${problem}\n`).join('')
}
