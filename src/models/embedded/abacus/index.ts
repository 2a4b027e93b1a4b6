export { ABACUS, type AbacusModel, type AbacusOptions, abacusModel, refusalOf } from './abacus-model.ts'
export { type Analysis, type Answerer, CallTools, type Kind, type Kinds, kind } from './kinds.ts'
