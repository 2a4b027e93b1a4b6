/** Runs of the dual engine whose reviews are answered from outside. */

import { expect } from 'vitest'
import { kindOf } from '../answers.ts'
import { violations } from '../conformance/invariants.ts'
import { type DualRun, startDual, type TaskScript } from './scripted-tasks.ts'

/** Starts it, and gives these answers to reviews of the plan; tasks are continued, unless said otherwise. */
export async function reviewed(
  script: TaskScript,
  answers: readonly unknown[],
  taskAnswers: readonly unknown[] = [],
  options: Record<string, unknown> = {},
): Promise<DualRun> {
  const run = await startDual('all', script, { options: { review: 'manual', ...options } })
  const answer = async () => {
    const left = { 'review-plan': [...answers], 'review-task': [...taskAnswers] }
    for await (const event of run.run.events) {
      if (event.type !== 'signal-asked' || event.question === undefined) continue
      const next = left[kindOf(event.name) as keyof typeof left]?.shift() ?? 'continue'
      await run.run.answer(next, { question: event.seq })
    }
  }
  await Promise.all([answer(), run.outcome()])
  const events = await run.events()
  expect(violations(events)).toEqual([])
  expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  return run
}

/** The tasks of the plan as it last was. */
export async function names(run: Pick<DualRun, 'notes'>): Promise<string[]> {
  const [last] = (await run.notes('dual/plan-changed')).slice(-1) as { tree: Shown }[]
  return shown(last!.tree)
}

interface Shown {
  readonly index: string
  readonly name: string
  readonly subtasks: readonly Shown[]
}

function shown({ index, name, subtasks }: Shown): string[] {
  return [`${index} ${name}`, ...subtasks.flatMap(shown)].filter((line) => !line.startsWith('1 '))
}
