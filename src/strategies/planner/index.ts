export { planner } from './strategy.ts'
