/** `run` and `wait`: a short run is answered with its result, a long one with its handle. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { CLIENT_MODEL } from '../../kernel/model-spec.ts'
import { ENDED, type Goal, ThinkonError } from '../../protocol/index.ts'
import { GOAL, RUN_ID, START_REQUEST, type StartRequest } from '../start-request.ts'
import type { Caller, Door } from './door.ts'
import { type Flow, flowOf, nextRound, takeAnswers } from './rounds.ts'
import { RUN_REPORT, reportResult } from './run-report.ts'
import type { McpTool } from './tool.ts'
import { waitForRun } from './wait-for-run.ts'

/** Shorter than the minute after which most clients give up on a call. */
const WAIT_SECONDS = 45

/** A client that does not read is told no more, until it does. */
const MAX_UNREAD = 100

const waitSeconds = {
  type: 'number',
  minimum: 0,
  maximum: 3_600,
  description: `How long to wait for the result before the handle is returned; ${WAIT_SECONDS}, unless given. The run goes on in any case.`,
} as const

/** A model that can read files has no need to send them. */
const { files: _, ...withoutFiles } = START_REQUEST.properties

export function runTools({ service }: Door): McpTool[] {
  return [
    {
      name: 'run',
      title: 'Work out a goal',
      description:
        'Works out a goal that needs several steps: plans, acts with tools in the workspace, judges, and returns the result. Say in the goal ' +
        'everything that matters: the run does not see this conversation. If it takes longer than waitSeconds, the handle (run) is returned ' +
        'with the status "running", and the run goes on by itself: call "wait" with the handle, not "run" again.',
      does: 'start',
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      inputSchema: {
        type: 'object',
        properties: {
          goal: GOAL,
          ...withoutFiles,
          strategy: { ...START_REQUEST.properties.strategy, description: strategyText(service.strategies) },
          options: {
            ...START_REQUEST.properties.options,
            description:
              'Options of the strategy, which "strategies" lists. Leave them out unless they are needed.',
          },
          model: { ...START_REQUEST.properties.model, enum: [...service.models] },
          waitSeconds,
        },
        required: ['goal'],
        additionalProperties: false,
      },
      outputSchema: RUN_REPORT,
      call: startRun,
    },
    {
      name: 'wait',
      title: 'Wait for a run',
      description:
        'Waits for a run and returns its result, or, if it has not ended after waitSeconds, its status and open questions. Also goes on with a ' +
        'run that has stopped.',
      does: 'look',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      inputSchema: {
        type: 'object',
        properties: { run: { ...RUN_ID, description: 'The handle of the run.' }, waitSeconds },
        required: ['run'],
        additionalProperties: false,
      },
      outputSchema: RUN_REPORT,
      async call(door, { run, waitSeconds: seconds }, caller) {
        const flow = flowOf(caller) ?? { run: run as string, round: 0, declined: [] }
        return follow(door, caller, { ...flow, run: run as string }, seconds)
      },
    },
  ]
}

function strategyText(strategies: Door['service']['strategies']): string {
  const lines = [...strategies.values()].map(({ name, summary = '' }) => `${name}: ${summary}`)
  return `The way of reasoning; leave it out unless the person names one.\n${lines.join('\n')}`
}

async function startRun(door: Door, args: Record<string, unknown>, caller: Caller) {
  const { service, limits, updates } = door
  const { goal, waitSeconds: seconds, ...request } = args
  const begun = flowOf(caller)
  if (begun !== null) return follow(door, caller, begun, seconds)
  requireSampling(caller, (request as StartRequest).model ?? service.models[0])
  limits?.countStart()
  const { client, scopes } = caller
  const { id: run } = await service.start(goal as Goal, request, { client, scopes })
  updates.listChanged()
  return follow(door, caller, { run, round: 0, declined: [] }, seconds)
}

function requireSampling({ canSample }: Caller, model: string | undefined): void {
  if (model !== CLIENT_MODEL || canSample) return
  throw new ThinkonError(
    'NO_MODEL',
    `${CLIENT_MODEL} is the client's own model, and this client offers none (no "sampling" among its capabilities): name another model, or start thinkon mcp with another --model`,
    { data: { model } },
  )
}

async function follow(
  door: Door,
  caller: Caller,
  given: Flow,
  waitSeconds: unknown = WAIT_SECONDS,
): Promise<CallToolResult | InputRequiredResult> {
  const { run } = given
  await takeUp(door, caller, run)
  const flow = await takeAnswers(door, caller, given)
  const tell = progressOf(caller)
  if (flow.round === 0) tell(0, `run ${run}`)
  const waited = await waitForRun(door, run, {
    waitMs: (waitSeconds as number) * 1_000,
    signal: caller.context.mcpReq.signal,
    canSample: caller.canSample,
    declined: new Set(flow.declined),
    onNews: tell,
  })
  const asks = waited.why === 'asked' || waited.why === 'sampling'
  return (asks ? nextRound(door, caller, flow, waited.state) : null) ?? reportResult(waited.state)
}

/** Goes on with a run that nobody works on. One that others work on is only watched. */
async function takeUp({ service }: Door, caller: Caller, run: string): Promise<void> {
  const row = await service.engine.row(run)
  if ((ENDED as readonly string[]).includes(row.status) || row.owned || !caller.may('resume')) return
  const taken = await service.attach(run)
  // The outcome is read from the journal.
  taken.outcome.catch(() => {})
}

/** Progress must grow: events count as one, signs of life in between as a little. */
function progressOf({ context: { mcpReq } }: Caller): (seq: number, line?: string) => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let last = -1
  let unread = 0
  return (seq, message) => {
    if (unread >= MAX_UNREAD) return
    const progress = seq > last ? seq : last + 0.001
    last = progress
    unread++
    const params = { progressToken, progress, ...(message !== undefined && { message }) }
    const sent = () => void unread--
    // A client that has gone is noticed elsewhere.
    mcpReq.notify({ method: 'notifications/progress', params }).then(sent, sent)
  }
}
