/** The kernel's promises hold for this strategy too: killed, resumed, forked and cancelled at every event. */
import { createEngine, type EngineOptions } from 'thinkon'
import type { ModelRequest } from 'thinkon/protocol'
import { ScriptedModel } from 'thinkon/testing'
import { strategyConformance } from '../../tests/conformance/kernel/strategy.ts'
import { memoryPlace, sqlitePlace } from '../../tests/conformance/places.ts'
import { findTask, type StrategyUnderTest, saysOf } from '../../tests/conformance/tasks.ts'
import outline from './index.ts'

interface OutlineInput {
  goal: string
  done: readonly string[]
  timeline: string
}

const outlineUnderTest: StrategyUnderTest = {
  name: 'outline',
  takesNothing: true,
  closing: 'closed with what there was',
  model: (root) =>
    new ScriptedModel((request: ModelRequest, io) => {
      const { goal, timeline } = request.input as OutlineInput
      const task = findTask(root, goal)
      if (request.kind === 'outline/close') return { text: 'closed with what there was' }
      if (request.kind === 'outline/draft') {
        const next = task.tools?.find(({ name }) => !saysOf(timeline, name))
        if (next !== undefined) return { tool: next.name, input: next.input }
        if (task.children) return { parts: task.children.map((child) => child.goal) }
      }
      if (task.instead) return task.instead(request, io)
      return { text: task.result ?? '' }
    }),
}

const engine = (options: EngineOptions) =>
  createEngine({ ...options, strategies: [outline, ...(options.strategies ?? [])] })

strategyConformance('outline, memory', { engine, place: memoryPlace, strategy: outlineUnderTest })
strategyConformance('outline, SQLite', { engine, place: sqlitePlace, strategy: outlineUnderTest, every: 4 })
