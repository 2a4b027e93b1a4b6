/**
 * Where a person at the terminal is the model: each request is shown as a whole, on the terminal's own screen, so that one can scroll in it,
 * and is answered there. The view of the run comes back afterwards.
 */
import { requestText } from '../../views/request-text.ts'
import type { Lang } from '../../views/words.ts'
import type { Asking } from '../prompt.ts'
import type { LiveParts } from '../run-view.ts'
import { answerRequest } from './answer-request.ts'
import { Left } from './fill-form.ts'
import { terminalAsker } from './terminal-asker.ts'
import { PERSON_WORDS } from './words.ts'

export interface PersonDesk {
  /** Takes the terminal, if it is a request to the model. */
  take(asking: Asking): boolean
  /** It is answered here, and the run has not taken the answer yet. */
  isAnswered(asking: Asking): boolean
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
  const answered = new Set<string>()
  let at: AbortController | null = null

  async function ask([path, open]: Asking, signal: AbortSignal, isOpen: () => boolean): Promise<void> {
    const { question } = open
    if (question?.request === undefined) return
    const words = PERSON_WORDS[lang]
    const asker = terminalAsker(signal, live.stop)
    asker.say(`\n${words.head(path, question.text)}\n\n${requestText(question.request, lang)}\n`)
    try {
      const answer = await answerRequest(question.request, asker, lang)
      answered.add(keyOf([path, open]))
      live.answer(path, open, answer)
      asker.say(words.sent)
    } catch (thrown) {
      if (!(thrown instanceof Left)) throw thrown
      if (!isOpen()) asker.say(`\n${words.answeredElsewhere}`)
    } finally {
      asker.close()
    }
  }

  return {
    isAnswered: (asking) => answered.has(keyOf(asking)),
    take(asking) {
      if (asking[1].question?.request === undefined) return false
      if (at !== null) return true
      const controller = new AbortController()
      at = controller
      const [path, { n }] = asking
      const isOpen = () => live.state.blocks.get(path)?.questions.some((one) => one.n === n) === true
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

function keyOf([path, { n }]: Asking): string {
  return `${path} ${n}`
}
