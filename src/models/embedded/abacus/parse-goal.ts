/** What a goal says is understood in one place for all. */
export type { ComputeTask, ReachTask, Task } from '../../../arithmetic/parse-goal.ts'
export { parseGoal } from '../../../arithmetic/parse-goal.ts'
