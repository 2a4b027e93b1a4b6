export { dual } from './strategy.ts'
