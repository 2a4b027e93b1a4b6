export type { FractalOptions } from './schema.ts'
export { fractal } from './strategy.ts'
