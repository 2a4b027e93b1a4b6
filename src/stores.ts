/** `thinkon/stores`: where runs are kept, for those who open a store themselves. Elsewhere the name of a file will do. */

export type { AssignableStore, DueRun, Standing, WorkerOffer } from './kernel/run-assignment.ts'
export type { RowStatus } from './kernel/run-query.ts'
export type {
  AsyncStore,
  Draft,
  ImportedRun,
  NewRun,
  QuestionKey,
  QuestionQuery,
  RunImport,
  RunQuery,
  RunRow,
  Store,
  SweepProgress,
} from './kernel/store.ts'
export { type MemoryOptions, memoryStore } from './store/memory.ts'
export { type PostgresOptions, postgresStore } from './store/postgres/postgres.ts'
export { type SqliteOptions, sqliteStore } from './store/sqlite.ts'
