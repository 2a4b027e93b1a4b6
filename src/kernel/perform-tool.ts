/** A tool call, performed: refused, or run on a copy of its input, with a result as the journal will have it. */
import { type Event, ThinkonError } from '../protocol/index.ts'
import type { Call } from './approval.ts'
import { AroundIo } from './around-io.ts'
import { checkedError } from './checked-error.ts'
import { checkedSpending } from './checked-usage.ts'
import type { Deed, Verdict } from './deed.ts'
import type { Effect, EffectIo, Performed } from './durable.ts'
import { grantedInPlan } from './plan-grants.ts'
import type { KernelServices } from './services.ts'
import { gathered } from './store.ts'
import { isOwnProgram, type Tool, type ToolIo } from './tool.ts'
import { checkedResult } from './tool-result.ts'

export async function performTool(
  effect: Effect & { kind: 'tool' },
  io: EffectIo,
  services: KernelServices,
): Promise<Performed> {
  if (effect.denied !== undefined)
    throw new ThinkonError('DENIED', effect.denied, { data: { toolName: effect.name } })
  const tool = effect.hidden ? undefined : services.tools.get(effect.name)
  if (tool === undefined) {
    const available = offeredNames(services, io)
    throw new ThinkonError(
      'NO_SUCH_TOOL',
      `no tool "${effect.name}"; there are: ${available.join(', ') || 'none'}`,
      {
        data: { toolName: effect.name, available },
      },
    )
  }
  const call = new ToolCallIo(io, services, { tool, input: effect.input })
  const value = await run(tool, effect.input, call)
  // What is seen now must be what a later process reads from the journal.
  const performed: Performed = { value: checkedResult(value, effect.name), usage: call.usage }
  if (tool.isFree !== undefined && performed.usage === NO_TOKENS) performed.isFree = true
  if (call.usageProblem !== '') performed.usageProblem = call.usageProblem
  return performed
}

async function run(tool: Tool, given: unknown, io: ToolCallIo): Promise<unknown> {
  for (;;) {
    try {
      // A copy: a tool that changes its input must not change the journal.
      const copy = structuredClone(given)
      return await tool.run(tool.input === undefined ? copy : tool.input.check(copy), io)
    } catch (thrown) {
      if (!(thrown instanceof UnreadJournal)) throw checkedError(thrown)
      await io.readJournal(thrown)
    }
  }
}

/** Thrown through a program that wants events which can't be read at once: it is run again when they are here. */
class UnreadJournal extends Error {
  readonly from: number
  readonly events: AsyncIterable<Event>

  constructor(from: number, events: AsyncIterable<Event>) {
    super('the journal is read, then this is run again')
    this.from = from
    this.events = events
  }
}

/** Those that a model may hear of. */
function offeredNames({ tools }: KernelServices, { config }: EffectIo): string[] {
  const isOffered = ({ name, hidden }: Tool) =>
    hidden !== true && !isOwnProgram(name) && config.withheld?.includes(name) !== true
  return [...tools.values()].filter(isOffered).map(({ name }) => name)
}

const NO_TOKENS: Performed['usage'] = { inputTokens: 0, outputTokens: 0 }

/** What a tool gets. */
class ToolCallIo extends AroundIo<EffectIo> implements ToolIo {
  private readonly services: KernelServices
  private readonly call: Call
  private inputTokens = 0
  /** The problem with an amount that the tool reported; empty if there is none. */
  usageProblem = ''
  /** What was read for the program, by where it begins. */
  private journalFrom: Map<number, readonly Event[]> | null = null
  private byPolicy: ((deed: Deed) => Verdict) | null = null

  constructor(io: EffectIo, services: KernelServices, call: Call) {
    super(io)
    this.services = services
    this.call = call
  }

  // Made when it is asked for: a tool may take it out of the object, and most don't need it.
  get spend(): (inputTokens: number) => void {
    return (inputTokens) => {
      const { tokens, problem } = checkedSpending(inputTokens, this.call.input)
      this.inputTokens += tokens
      if (problem !== undefined && this.usageProblem === '') this.usageProblem = problem
    }
  }

  get journal(): ToolIo['journal'] {
    const { call, run, services } = this
    const read = isOwnProgram(call.tool.name) ? services.journal : null
    if (read === null) return undefined
    return (from) => {
      const known = this.journalFrom?.get(from) ?? read(run, from)
      if (Symbol.iterator in known) return known
      throw new UnreadJournal(from, known)
    }
  }

  get workspace(): string {
    return this.io.config.workspace ?? this.services.workspace
  }

  async readJournal({ from, events }: UnreadJournal): Promise<void> {
    this.journalFrom ??= new Map()
    this.journalFrom.set(from, await gathered(events))
  }

  /** No policy is asked about a strategy's own programs. */
  get permits(): ToolIo['permits'] {
    const { services, call, run, path } = this
    const { approval } = services
    if (approval === null || isOwnProgram(call.tool.name)) return () => 'allow'
    this.byPolicy ??= approval.permits(
      this.io.config,
      call,
      grantedInPlan(services, run, path),
      services.workspace,
    )
    return this.byPolicy
  }

  get usage(): Performed['usage'] {
    return this.inputTokens === 0 ? NO_TOKENS : { inputTokens: this.inputTokens, outputTokens: 0 }
  }
}
