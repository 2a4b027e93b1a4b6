export { auto } from './strategy.ts'
