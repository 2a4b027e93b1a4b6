// The kernel's promises on the local host, with both stores.

import { createEngine } from '../../src/engine.ts'
import { kernelConformance } from './kernel.ts'
import { memoryPlace, sqlitePlace } from './places.ts'
import {
  cotUnderTest,
  dualUnderTest,
  fractalUnderTest,
  minimalUnderTest,
  plannerUnderTest,
  totUnderTest,
} from './tasks.ts'

kernelConformance('minimal, memory', { engine: createEngine, place: memoryPlace, strategy: minimalUnderTest })
kernelConformance('minimal, SQLite', { engine: createEngine, place: sqlitePlace, strategy: minimalUnderTest })
kernelConformance('fractal, memory', { engine: createEngine, place: memoryPlace, strategy: fractalUnderTest })
kernelConformance('fractal, SQLite', { engine: createEngine, place: sqlitePlace, strategy: fractalUnderTest })
kernelConformance('cot, memory', { engine: createEngine, place: memoryPlace, strategy: cotUnderTest })
kernelConformance('cot, SQLite', { engine: createEngine, place: sqlitePlace, strategy: cotUnderTest })
kernelConformance('tot, memory', { engine: createEngine, place: memoryPlace, strategy: totUnderTest })
kernelConformance('tot, SQLite', { engine: createEngine, place: sqlitePlace, strategy: totUnderTest })
kernelConformance('planner, memory', { engine: createEngine, place: memoryPlace, strategy: plannerUnderTest })
kernelConformance('planner, SQLite', { engine: createEngine, place: sqlitePlace, strategy: plannerUnderTest })
kernelConformance('dual, memory', { engine: createEngine, place: memoryPlace, strategy: dualUnderTest })
kernelConformance('dual, SQLite', { engine: createEngine, place: sqlitePlace, strategy: dualUnderTest })
