export type { MinimalOptions, Move } from './schema.ts'
export { minimal } from './strategy.ts'
