export type { Agent, AgentFunction } from './agents.ts'
export type { TotOptions } from './schema.ts'
export type { TreeOfThoughts, Verification } from './strategy.ts'
export { tot, treeOfThoughts } from './strategy.ts'
