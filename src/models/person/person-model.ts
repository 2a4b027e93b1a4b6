/**
 * `person`: somebody who is asked what a model would be asked. The kernel puts each request as a question (kernel/person-calls.ts); here
 * the answers are read as the replies of any model are. What reads them is loaded when there is one: most runs have none.
 */
import type { Model, ModelIo } from '../../kernel/model.ts'
import { PERSON } from '../../kernel/model-spec.ts'
import { needsAnswer } from '../../kernel/person-calls.ts'
import { defined, type Message, type ModelRequest, messageText } from '../../protocol/index.ts'

export function personModel(): Model {
  return {
    id: PERSON,
    asksPerson: true,
    async call(request, io) {
      const answers = io.answers ?? []
      let taken = 0
      const one: Model = {
        id: PERSON,
        async call(asked) {
          if (taken === answers.length) throw unanswered(request, asked)
          const { replyOf } = await import('./read-answer.ts')
          return replyOf(answers[taken++], request, io)
        },
      }
      if (request.schema === undefined) return one.call(request, io)
      const { askStructured } = await import('../structured/ask-structured.ts')
      return askStructured(one, request, unpaid(io))
    },
  }
}

/** All answers so far are read again with each further one, so none of them is a part that is paid. */
function unpaid(io: ModelIo): ModelIo {
  const { run, path, n, signal } = io
  return {
    ...defined({ run }),
    path,
    n,
    signal,
    onDelta() {},
    part: async (ask) => (await ask()).value,
  }
}

function unanswered({ kind, messages }: ModelRequest, asked: ModelRequest): Error {
  const more = asked.messages.slice(messages.length)
  const why = more.at(-1)
  const message =
    why === undefined
      ? `a person has not answered ${kind} yet, and is asked`
      : `a person's reply to ${kind} could not be read, and they are asked again: ${problemsIn(why)}`
  return needsAnswer(message, more)
}

function problemsIn(correction: Message): string {
  const lines = messageText(correction).split('\n')
  return lines.filter((line) => line.startsWith('- ')).join(' ')
}
