/** Injects the faults that happen to models and tools. */

import type { UserTool } from '../engine/tools/user-tool.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import type { Model } from '../kernel/model.ts'
import { pause } from '../kernel/pause.ts'
import type { ToolIo } from '../kernel/tool.ts'
import { decorateModel } from '../models/decorate-model.ts'
import { checkArguments } from '../protocol/check-arguments.ts'
import { type ModelRequest, ThinkonError } from '../protocol/index.ts'
import { FAULTY_MODEL, FAULTY_TOOL } from './entrances.ts'

export type ModelFault =
  /** The reply is not what was asked for, but `text`. */
  | { fault: 'malformed'; text?: string }
  /** 429 with Retry-After. */
  | { fault: 'rate-limit'; retryAfterMs?: number }
  /** No reply in time. */
  | { fault: 'timeout'; afterMs?: number }
  /** The connection breaks after the first chunks. */
  | { fault: 'cut-stream'; text?: string }
  /** It can't be reached: the run waits, and asks again when it is resumed. */
  | { fault: 'outage'; message?: string }
  /** The reply is late. */
  | { fault: 'slow'; delayMs: number }

export type ToolFault =
  | { fault: 'crash'; message?: string }
  | { fault: 'timeout'; afterMs?: number }
  | { fault: 'slow'; delayMs: number }

/** Which call gets which fault: by the call's number, counted from 1, or by a function that may return none. */
export type FaultPlan<Fault, Input> =
  | Readonly<Record<number, Fault>>
  | ((input: Input, call: number) => Fault | undefined)

export function faultyModel(
  model: Model,
  plan: FaultPlan<ModelFault, ModelRequest>,
  clock: Clock = systemClock,
): Model {
  checkArguments('faultyModel', FAULTY_MODEL, [model, plan, clock])
  let calls = 0
  return decorateModel(model, {
    async call(request, io) {
      const fault = faultOf(plan, request, ++calls)
      switch (fault?.fault) {
        case undefined:
          return model.call(request, io)
        case 'malformed':
          return {
            text: fault.text ?? 'Sure! Here is {"do": what you',
            usage: { inputTokens: 1, outputTokens: 8 },
          }
        case 'rate-limit': {
          const retryAfterMs = fault.retryAfterMs ?? 1_000
          throw new ThinkonError('MODEL_ERROR', `too many requests; try again in ${retryAfterMs} ms`, {
            retryable: true,
            data: { status: 429, retryAfterMs },
          })
        }
        case 'timeout':
          throw await timedOut(fault.afterMs ?? 0, io.signal, clock, 'the model')
        case 'cut-stream':
          for (const piece of (fault.text ?? '{"do": "ret').match(/.{1,4}/gs) ?? []) io.onDelta(piece)
          throw new ThinkonError('MODEL_ERROR', 'the connection broke in the middle of the reply', {
            retryable: true,
          })
        case 'outage':
          throw new ThinkonError('MODEL_OUTAGE', fault.message ?? 'the model is out')
        case 'slow':
          await pause(fault.delayMs, io.signal, clock)
          return model.call(request, io)
        default:
          return fault satisfies never
      }
    },
  })
}

export function faultyTool<T extends UserTool>(
  tool: T,
  plan: FaultPlan<ToolFault, unknown>,
  clock: Clock = systemClock,
): T {
  checkArguments('faultyTool', FAULTY_TOOL, [tool, plan, clock])
  let calls = 0
  const run = async (input: unknown, io: ToolIo) => {
    const fault = faultOf(plan, input, ++calls)
    switch (fault?.fault) {
      case undefined:
        return tool.run(input, io)
      case 'crash':
        throw new Error(fault.message ?? `${tool.name} crashed`)
      case 'timeout':
        throw await timedOut(fault.afterMs ?? 0, io.signal, clock, `the tool ${tool.name}`)
      case 'slow':
        await pause(fault.delayMs, io.signal, clock)
        return tool.run(input, io)
      default:
        return fault satisfies never
    }
  }
  // A tool may be an instance of a class: it keeps its prototype.
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { run })
}

function faultOf<Fault, Input>(plan: FaultPlan<Fault, Input>, input: Input, call: number): Fault | undefined {
  return typeof plan === 'function' ? plan(input, call) : plan[call]
}

async function timedOut(
  afterMs: number,
  signal: AbortSignal,
  clock: Clock,
  what: string,
): Promise<ThinkonError> {
  await pause(afterMs, signal, clock)
  return new ThinkonError('TIMEOUT', `${what} gave no answer within ${afterMs} ms`, { retryable: true })
}
