export type { Blueprint, BlueprintPlan, BlueprintTask } from './blueprint.ts'
export { blueprintSchema } from './blueprint-schema.ts'
export { BLUEPRINT_TOOLS, blueprintTools, type ListedBlueprint } from './blueprint-tools.ts'
export { type FilledBlueprint, fillBlueprint } from './fill-blueprint.ts'
export {
  BLUEPRINTS_PATH,
  type BrokenBlueprint,
  type LoadedBlueprints,
  loadBlueprints,
} from './load-blueprints.ts'
export { parseBlueprint } from './parse-blueprint.ts'
