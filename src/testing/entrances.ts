/** What the functions of the test kit may be given, as tables. */
import { clock, modelObject, storeObject } from '../engine/given-objects.ts'
import { givenTool } from '../engine/tools/given-tools.ts'
import type { ToolIo } from '../kernel/tool.ts'
import {
  type Arguments,
  abortSignal,
  amount,
  anyText,
  anything,
  type Check,
  either,
  type Fields,
  fields,
  flag,
  func,
  isFunction,
  isList,
  list,
  must,
  oneOf,
  record,
  text,
  whole,
} from '../protocol/check-arguments.ts'
import { isObject } from '../protocol/json.ts'

const replies = either('a list of replies, or a function', [isList, anything], [isFunction, anything])

export const SCRIPTED_MODEL: Arguments = {
  checks: {
    script: either(
      'a list of replies, an object with lists of them, or a function',
      [isList, anything],
      [isFunction, anything],
      [isObject, record(replies, 'lists of replies by goal or kind')],
    ),
    options: fields({ id: text, cost: func() }),
  },
  needs: { script: 'replies in order, lists of them by goal or kind, or a function' },
}

export const REPLY: Arguments = {
  checks: {
    body: anything,
    options: fields({
      usage: record(amount(), 'tokens and cost'),
      deltas: list(anyText, 'texts'),
      toolCalls: list(fields({ name: text }, { needs: { name: "the tool's name" }, open: true }), 'calls'),
      cutOff: flag,
    }),
  },
}

/** By the call's number, or a function. */
function faultPlan(faults: readonly string[]): Check {
  const fault = fields(
    {
      fault: oneOf(faults),
      text: anyText,
      message: anyText,
      retryAfterMs: amount(),
      afterMs: amount(),
      delayMs: amount(),
    },
    { needs: { fault: `one of ${faults.join(', ')}` } },
  )
  return either(
    'an object with faults by the number of the call, or a function',
    [isFunction, anything],
    [isObject, record(fault, 'faults')],
  )
}

export const FAULTY_MODEL: Arguments = {
  checks: {
    model: modelObject,
    plan: faultPlan(['malformed', 'rate-limit', 'timeout', 'cut-stream', 'outage', 'slow']),
    clock,
  },
  needs: { model: 'the model whose calls fail', plan: 'which call gets which fault' },
}

export const FAULTY_TOOL: Arguments = {
  checks: { tool: givenTool, plan: faultPlan(['crash', 'timeout', 'slow']), clock },
  needs: { tool: 'the tool whose calls fail', plan: 'which call gets which fault' },
}

export const CRASH_AT: Arguments = {
  checks: {
    store: storeObject,
    n: either(
      'a whole number of 1 or more',
      [(value) => value === Number.POSITIVE_INFINITY, anything],
      [() => true, whole(1)],
    ),
    options: fields({ how: oneOf(['throw', 'kill']) }),
  },
  needs: { store: 'the store that crashes' },
}

const MS = 'how many milliseconds pass'
export const MANUAL_CLOCK: Arguments = { checks: { startMs: amount() } }
export const ADVANCE: Arguments = { checks: { ms: amount() }, needs: { ms: MS } }
export const JUMP: Arguments = {
  checks: { ms: must('a number of milliseconds', Number.isFinite) },
  needs: { ms: MS },
}

export const TOOL_IO: Arguments = {
  checks: {
    options: fields({
      run: text,
      path: text,
      n: whole(1),
      signal: abortSignal,
      workspace: text,
      permits: func(),
      journal: func(),
      spend: func(),
    } satisfies Fields<ToolIo>),
  },
}
