/**
 * Where a person at the terminal is the model: each request is shown as a whole, on the terminal's own screen, so that one can scroll in it,
 * and is answered there. The view of the run comes back afterwards.
 */
import type { PendingQuestion } from '../../protocol/index.ts'
import { requestText } from '../../views/request-text.ts'
import type { Lang } from '../../views/words.ts'
import type { LiveParts } from '../run-view.ts'
import { answerRequest } from './answer-request.ts'
import { Left } from './fill-form.ts'
import { terminalAsker } from './terminal-asker.ts'
import { PERSON_WORDS } from './words.ts'

export interface PersonDesk {
  /** Takes the terminal, if it is a request to the model. */
  take(asking: PendingQuestion): boolean
  /** It is answered here, and the run has not taken the answer yet. */
  isAnswered(asking: PendingQuestion): boolean
  close(): void
}

interface DeskParts {
  readonly lang: Lang
  readonly live: Pick<LiveParts, 'answer' | 'stop' | 'state'>
  /** The terminal is free until `end`. */
  begin(): void
  end(): void
}

const LOOK_MS = 200

export function personDesk({ lang, live, begin, end }: DeskParts): PersonDesk {
  const answered = new Set<number>()
  let at: AbortController | null = null

  async function ask(question: PendingQuestion, signal: AbortSignal, isOpen: () => boolean): Promise<void> {
    if (question.request === undefined) return
    const words = PERSON_WORDS[lang]
    const asker = terminalAsker(signal, live.stop)
    asker.say(`\n${words.head(question.path, question.text)}\n\n${requestText(question.request, lang)}\n`)
    try {
      const answer = await answerRequest(question.request, asker, lang)
      answered.add(question.id)
      live.answer(question, answer)
      asker.say(words.sent)
    } catch (thrown) {
      if (!(thrown instanceof Left)) throw thrown
      if (!isOpen()) asker.say(`\n${words.answeredElsewhere}`)
    } finally {
      asker.close()
    }
  }

  return {
    isAnswered: ({ id }) => answered.has(id),
    take(asking) {
      if (asking.request === undefined) return false
      if (at !== null) return true
      const controller = new AbortController()
      at = controller
      const { path, id } = asking
      const isOpen = () => live.state.blocks.get(path)?.questions.some((one) => one.id === id) === true
      // Others may answer it, too.
      const looking = setInterval(() => isOpen() || controller.abort(), LOOK_MS)
      begin()
      void ask(asking, controller.signal, isOpen).finally(() => {
        clearInterval(looking)
        at = null
        end()
      })
      return true
    },
    close() {
      at?.abort()
    },
  }
}
