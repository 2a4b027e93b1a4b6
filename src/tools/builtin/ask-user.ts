import { doesNothing } from '../../kernel/deed.ts'
import { defineTool, type GuardedTool, toolError } from '../define-tool.ts'
import { objectSchema, optional, text, texts } from '../object-schema.ts'

const input = objectSchema({
  question: text('What to ask, short and complete', { minLength: 1, maxLength: 4_000 }),
  choices: optional(texts('Answers to choose from; any text when left out', 20)),
})

/** A call is a question to a person: the kernel asks it in the calling block instead of running the tool. */
export function askUserTool(): GuardedTool {
  return defineTool({
    name: 'ask_user',
    description:
      'Asks the person who started this, and gives the answer. Only for what no tool can find out.',
    access: 'read',
    input,
    deeds: doesNothing,
    asks(given) {
      const { question, choices } = input.check(given)
      return choices === undefined || choices.length === 0 ? { text: question } : { text: question, choices }
    },
    async run() {
      throw toolError('there is nobody to ask: decide yourself, and say what you assumed')
    },
  })
}
