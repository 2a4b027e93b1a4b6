import { STRATEGIES, viewsOf } from '../../src/strategies/registry.ts'

/** The views of the strategies that ship. */
export const SHIPPED_VIEWS = await viewsOf(STRATEGIES)
