// What the strategies were given when their runs were frozen, and the tools to resume them with.

import type { EngineOptions } from '../../src/engine.ts'
import { openTools } from '../../src/tools/open-tools.ts'

export interface FrozenGoal {
  readonly goal: string
  readonly options?: Record<string, unknown>
  /** What is drawn of the ended run besides its tree. */
  readonly formats: readonly string[]
}

const FORMATS = ['json', 'md', 'mermaid']

export const FROZEN_STRATEGIES: Readonly<Record<string, FrozenGoal>> = {
  auto: { goal: '计算 (3+4)*2', formats: FORMATS },
  cot: { goal: '(3+4)*(8-6)', formats: FORMATS },
  dual: { goal: 'compute (3+4)*2 and 12/4', formats: FORMATS },
  fractal: { goal: 'compute ((3+4)*(8-6))-5', formats: FORMATS },
  minimal: { goal: 'compute (1+2)*3', formats: FORMATS },
  planner: { goal: 'compute (3+4)*2', formats: FORMATS },
  tot: { goal: 'Make 24 from 4, 9, 10 and 13', formats: [...FORMATS, 'dot', 'messages'] },
}

const TOOLS: Readonly<Record<string, readonly string[]>> = { dual: ['calculate'], planner: ['shell'] }

/** Only those that the strategy uses: a run without one of its tools is not resumed. */
export function frozenTools(strategy: string, workspace: string): NonNullable<EngineOptions['tools']> {
  const only = TOOLS[strategy]
  if (only === undefined) return []
  // The frozen runs have no `approval`, and were allowed everything.
  return async () => {
    const { tools, close } = await openTools({ workspace, only })
    return { tools: tools.map(({ needsPolicy: _, ...tool }) => tool), close }
  }
}
