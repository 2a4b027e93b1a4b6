/** The dual engine with a scripted model and the real tools in a workspace of its own, which is gone when the test has finished. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  builtinTools,
  createEngine,
  type Engine,
  type EngineOptions,
  type RunOutcome,
  type StartOptions,
} from '../../src/index.ts'
import { type Event, type ModelRequest, messageText } from '../../src/protocol/index.ts'
import { type Script, ScriptedModel } from '../../src/testing/index.ts'
import { kindOf } from '../answers.ts'

export interface DualRun {
  readonly engine: Engine
  readonly id: string
  readonly outcome: RunOutcome
  readonly events: readonly Event[]
  /** The data of the notes of that name. */
  notes(name: string): Record<string, unknown>[]
  /** The texts of all prompts of the kind, the rules included. */
  prompts(kind: string): string[]
  requests(kind: string): ModelRequest[]
}

export interface DualSettings extends StartOptions {
  workspace?: string
  engine?: EngineOptions
  /** Answers to questions by their names; `continue` to any other. */
  answers?: Readonly<Record<string, readonly string[]>>
}

export async function solveDual(
  goal: string,
  script: Script | ScriptedModel,
  settings: DualSettings = {},
): Promise<DualRun> {
  const { workspace = newWorkspace(), engine: engineOptions = {}, answers = {}, ...start } = settings
  const model = script instanceof ScriptedModel ? script : new ScriptedModel(script)
  const engine = createEngine({ model, tools: builtinTools({ workspace }), ...engineOptions })
  onTestFinished(() => engine.close())
  const run = await engine.start(goal, { strategy: 'dual', workspace, ...start })
  const left = new Map(Object.entries(answers).map(([name, given]) => [name, [...given]]))
  for await (const event of run.events) {
    if (event.type !== 'signal-asked' || event.question === undefined || event.timeoutMs === 0) continue
    await run.answer(left.get(kindOf(event.name))?.shift() ?? 'continue', { question: event.seq })
  }
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  return {
    engine,
    id: run.id,
    outcome,
    events,
    notes: (name) =>
      events.flatMap((event) =>
        event.type === 'note' && event.name === name ? [event.data as Record<string, unknown>] : [],
      ),
    prompts: (kind) => model.calls.filter((request) => request.kind === kind).map(promptText),
    requests: (kind) => model.calls.filter((request) => request.kind === kind),
  }
}

export function promptText({ messages }: ModelRequest): string {
  return messages.map(messageText).join('\n')
}

/** A folder with these files. */
export function newWorkspace(files: Readonly<Record<string, string>> = {}): string {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-dual-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true })
    writeFileSync(join(workspace, name), text)
  }
  return workspace
}

export function fileOf(workspace: string, name: string): string {
  return readFileSync(join(workspace, name), 'utf8')
}

/** A plan of tasks that stand beside each other. */
export function plan(...names: readonly string[]) {
  return {
    action: 'plan',
    main_task: 'all of it',
    main_task_goal: 'it is there',
    tasks: names.map((name) => ({ subtask_name: name, subtask_goal: `${name} is done` })),
  }
}

export function finish(result: string, more: object = {}) {
  return { action: 'finish', human_readable_thought: 'It is done.', result, ...more }
}

export function call(tool: string, params: object) {
  return { action: 'require_tool', human_readable_thought: `Use ${tool}.`, tool, params }
}
