export type { Executor, ExecutorResult } from './executor.ts'
export { SHELL } from './executor.ts'
export {
  EXECUTORS_PATH,
  type ExecutorToolOptions,
  executorTools,
  loadExecutors,
} from './executor-tools.ts'
export { executorsSchema } from './executors-schema.ts'
export { checkObservation, checkObservations, type ObservationResult, type Observed } from './observations.ts'
export { parseExecutors } from './parse-executors.ts'
export { checkInputs, type Inputs, runExecutor } from './run-executor.ts'
