/**
 * embedded:mini: a small language model for arithmetic, in this process. The strategies give its replies their form; what stands in them
 * it says itself (mini-mind.ts), and it is often wrong. It is deterministic: the same request of the same run gets the same reply. Its
 * weights are loaded when it is first asked.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseGoal } from '../../../arithmetic/parse-goal.ts'
import { packagePath } from '../../../files/package-path.ts'
import type { Model } from '../../../kernel/model.ts'
import type { Language } from '../../../protocol/index.ts'
import { answer, type KindOf, refusal } from '../embedded-model.ts'
import { askModel } from './ask-model.ts'
import { miniMind, translated } from './mini-mind.ts'
import { openTextModel, type TextModel } from './text-model.ts'
import { isWordProblem } from './word-problem.ts'
import { NOTHING, SELF } from './words.ts'

export const MINI = 'embedded:mini'

export interface MiniOptions {
  kindOf: KindOf
  /** How much longer each answer takes. */
  delayMs?: number
  /** Opens the language model; that of the package unless given. */
  open?: () => Promise<TextModel>
  /** A program passed no model: the first answer is accompanied by a warning of the process, and errors name `createEngine`. */
  isDefault?: boolean
}

export interface MiniModel extends Model {
  describe(language?: Language): string
  /** Ends what is asked, and frees the memory. */
  close(): Promise<void>
}

export function miniModel({
  kindOf,
  delayMs = 0,
  open = openShipped,
  isDefault = false,
}: MiniOptions): MiniModel {
  let opened: Promise<TextModel> | null = null
  const model = () => {
    opened ??= open()
    return opened
  }
  return {
    id: MINI,
    describe: (language = 'en') => SELF[language].about,
    cost: () => 0,
    refusal: (goal) =>
      parseGoal(goal) !== null || isWordProblem(goal)
        ? null
        : refusal(goal, { id: MINI, self: SELF, isDefault }),
    async call(request, io) {
      io.signal.throwIfAborted()
      if (isDefault) warnOnce()
      if (delayMs > 0) await sleep(delayMs, undefined, { signal: io.signal })
      const questions = askModel(model, request.settings, io)
      const reply = await answer(request, {
        id: MINI,
        self: SELF,
        isDefault,
        kindOf,
        mindFor: (language) => miniMind(questions, NOTHING[language]),
        understand: async (goal) =>
          parseGoal(goal) ?? (isWordProblem(goal) ? translated(questions, goal.trim()) : null),
        usage: () => questions.usage,
      })
      io.onDelta(reply.text)
      return reply
    },
    async close() {
      const model = await opened?.catch(() => null)
      await model?.close()
    },
  }
}

let isWarned = false

function warnOnce(): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning(
    `no model was passed, so ${MINI} answers, which knows only arithmetic and is often wrong. Pass the model: ` +
      `createEngine({ model: 'openai:<model>' }), or '${MINI}' to use it without this warning`,
    'ThinkonWarning',
  )
}

function openShipped(): Promise<TextModel> {
  return openTextModel(packagePath('src/models/embedded/mini/mini.gguf'))
}
