/** Answers to the questions of runs, for tests. */
import type { Run, RunEndingAs } from '../src/engine/api.ts'
import type { Engine } from '../src/engine.ts'

/** Answers the next open question of the block; waits until it is asked. */
export async function answerAt(
  run: Pick<Run | RunEndingAs<unknown>, 'questions'>,
  path: string,
  value: unknown,
): Promise<void> {
  for await (const question of run.questions) if (question.path === path) return question.answer(value)
  throw new Error(`block ${path} asks nothing`)
}

/** The same for a run of any process, if the question is open. */
export async function answerIn(engine: Engine, run: string, path: string, value: unknown): Promise<void> {
  const open = await engine.questions({ run })
  const question = open.find((one) => one.path === path)
  if (question === undefined) throw new Error(`block ${path} of run ${run} asks nothing`)
  await engine.answer(run, value, { question: question.id })
}

/** Answers every question of the run, now and later. */
export async function answerAll(
  run: Pick<Run | RunEndingAs<unknown>, 'questions'>,
  value: unknown,
): Promise<void> {
  for await (const question of run.questions) await question.answer(value)
}

/** `review-task` of the second question of this kind, `review-task-2`. */
export function kindOf(name: string): string {
  return name.replace(/-\d+$/, '')
}
