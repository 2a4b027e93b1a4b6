// Blueprints as the strategy uses them: shipped ones and those of a workspace, with real files, tools and questions.

import { cpSync, existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documenter } from '../../examples/models/documenter.ts'
import { builtinTools } from '../../src/index.ts'
import type { Event, ModelRequest } from '../../src/protocol/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { kindOf } from '../answers.ts'
import { call, fileOf, finish, newWorkspace, plan, promptText, solveDual } from './dual-runs.ts'

const GREET = `name: greet
description: Greets somebody.
parameters:
  who: string
  times: { type: integer, minimum: 1 }
persistent_prompt: Be kind to {{who}}.
result_prompt: Say how often {{who}} was greeted.
tools: [calculate]
review: true
plan:
  main_task: Greet {{who}}
  main_task_goal: "{{times}} greetings"
  tasks:
    - { subtask_name: say hello, subtask_goal: "hello to {{who}}, {{times}} times" }
`
const withGreet = () => newWorkspace({ '.thinkon/blueprints/greet.yaml': GREET, 'a.txt': 'a' })
const greeting = { 'dual/decide': [finish('hello')], 'dual/summarize': [{ result: 'greeted' }] }
const marksOf = (notes: readonly Record<string, unknown>[]) => notes.map(({ mark }) => mark)
const toolsOffered = ({ tools = [] }: ModelRequest) => tools.map(({ name }) => name)

describe('the documentation blueprint on this very project, with a program as the model', () => {
  it('writes files that exist, below the folder it was given, and true to the code', async () => {
    const workspace = newWorkspace()
    const source = join(import.meta.dirname, '../../src/kernel')
    cpSync(source, join(workspace, 'src/kernel'), { recursive: true })
    const run = await solveDual('document src/kernel into docs/kernel', [], {
      workspace,
      engine: { model: documenter },
      approval: 'allow-all',
      options: { blueprint: 'documentation' },
    })
    expect(run.outcome).toMatchObject({ status: 'completed' })
    const written = readdirSync(join(workspace, 'docs/kernel')).sort()
    expect(written).toEqual(['getting-started.md', 'index.md', 'reference.md'])
    expect(readdirSync(workspace).sort()).toEqual(['docs', 'src'])

    const reference = fileOf(workspace, 'docs/kernel/reference.md')
    const names = [...reference.matchAll(/`export (?:async )?(?:function|const|class|interface|type) (\w+)/g)]
    expect(names.length).toBeGreaterThan(60)
    const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => fileOf(source, file))
      .join('\n')
    for (const [, name] of names) expect(code).toMatch(new RegExp(`export .*\\b${name}\\b`))
    const index = fileOf(workspace, 'docs/kernel/index.md')
    expect(index).toContain('| `src/kernel/context.ts` | The Context: all that a strategy can reach')
    for (const [, link] of index.matchAll(/\]\(([^)]+)\)/g))
      expect(existsSync(join(workspace, 'docs/kernel', link as string))).toBe(true)
    expect(run.outcome.result).toContain('Checked: docs/kernel/getting-started.md')
    expect((await run.engine.replay(run.id)).differences).toEqual([])
  })
})

describe('parameters', () => {
  it('are extracted by the model; wrong ones are told and asked again', async () => {
    const run = await solveDual(
      'greet Ada twice',
      {
        'dual/blueprint-params': [
          { params: { who: 'Ada', times: 'many' } },
          { params: { who: 'Ada', times: 2 } },
        ],
        ...greeting,
      },
      { workspace: withGreet(), options: { blueprint: 'greet' } },
    )
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'greeted' })
    const [first, second] = run.prompts('dual/blueprint-params')
    expect(first).toContain('"times":{"type":"integer","minimum":1}')
    expect(second).toMatch(
      /"times":"many"\}\}\nThis can't be used: parameters of blueprint "greet": "times" must be/,
    )
    expect(run.prompts('dual/decide')[0]).toContain('hello to "Ada", 2 times')
  })

  it('that can not be had end it, after three asks, with what is wrong', async () => {
    const run = await solveDual(
      'greet',
      { 'dual/blueprint-params': () => ({ params: {} }) },
      { workspace: withGreet(), options: { blueprint: 'greet' } },
    )
    expect(run.outcome).toMatchObject({ status: 'failed', reason: expect.stringMatching(/who.*times/) })
    expect(run.prompts('dual/blueprint-params')).toHaveLength(3)
    expect(marksOf(run.notes('dual/blueprint-marked')).at(-1)).toBe('[BLUEPRINT_INVOKE_FAILED]')
  })

  it('that a person gave stand; the model says only what is missing', async () => {
    const run = await solveDual(
      'greet somebody',
      { 'dual/blueprint-params': [{ params: { who: 'Eve', times: 7 } }], ...greeting },
      { workspace: withGreet(), options: { blueprint: 'greet', params: { who: 'Ada' } } },
    )
    expect(run.outcome.status).toBe('completed')
    expect(run.prompts('dual/decide')[0]).toContain('hello to "Ada", 7 times')
    const all = { blueprint: 'greet', params: { who: 'Ada', times: 1 } }
    const fit = { 'dual/blueprint-params': [{ params: { who: 'Eve', times: 7 } }], ...greeting }
    const second = await solveDual('greet somebody', fit, { workspace: withGreet(), options: all })
    expect(second.prompts('dual/decide')[0]).toContain('hello to "Ada", 1 times')
    // Without anybody who could fit it to the goal it is used as it is.
    const third = await solveDual('greet somebody', greeting, { workspace: withGreet(), options: all })
    expect(third.prompts('dual/decide')[0]).toContain('hello to "Ada", 1 times')
  })

  it('that are no object are refused before the run begins', async () => {
    const options = { blueprint: 'greet', params: 'Ada' }
    await expect(solveDual('greet', [], { workspace: withGreet(), options })).rejects.toThrow(
      'params must be an object such as {"path": "src"}, not "Ada"',
    )
  })

  it('are reviewed where the blueprint wants it and a person reviews', async () => {
    const options = { blueprint: 'greet', params: { who: 'Ada', times: 2 }, review: 'manual' }
    const run = await solveDual('greet Ada', greeting, {
      workspace: withGreet(),
      options,
      answers: { 'review-params': ['{"times": 3}'] },
    })
    expect(run.outcome.status).toBe('completed')
    expect(run.prompts('dual/decide')[0]).toContain('hello to "Ada", 3 times')
    const refused = await solveDual('greet Ada', greeting, {
      workspace: withGreet(),
      options,
      answers: { 'review-params': ['end'] },
    })
    expect(refused.outcome).toMatchObject({ status: 'failed', reason: 'a person does not want "greet"' })
  })

  it('are not used when the review says anything but yes', async () => {
    const options = { blueprint: 'greet', params: { who: 'Ada', times: 2 }, review: 'manual' }
    const asked = await solveDual('greet Ada', greeting, {
      workspace: withGreet(),
      options,
      answers: { 'review-params': ['not so often', '{"times": 1}'] },
    })
    expect(asked.prompts('dual/decide')[0]).toContain('hello to "Ada", 1 times')
    const questions = asked.events.flatMap((event) =>
      event.type === 'signal-asked' && kindOf(event.name) === 'review-params' ? [event.question?.text] : [],
    )
    expect(questions[1]).toContain('! not so often ?\ngreet: {"who":"Ada","times":2}')
    const refused = await solveDual('greet Ada', greeting, {
      workspace: withGreet(),
      options,
      answers: { 'review-params': ['no', 'no', 'no'] },
    })
    expect(refused.outcome.status).toBe('failed')
  })
})

describe('a blueprint', () => {
  it('restricts the tools of its loops and plans, tells its prompts, and leaves the marks of the document', async () => {
    const options = { blueprint: 'greet', params: { who: 'Ada', times: 2 } }
    const inner = { action: 'request_plan_and_execution', plan_request_payload: 'warm up the voice' }
    const run = await solveDual(
      'greet Ada',
      {
        'dual/plan': [plan('hum')],
        'dual/decide': [inner, call('read_file', { path: 'a.txt' }), finish('hummed'), finish('hello')],
        'dual/summarize': [{ result: 'greeted' }],
      },
      { workspace: withGreet(), options },
    )
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'greeted' })
    for (const request of [...run.requests('dual/decide'), ...run.requests('dual/plan')]) {
      expect(toolsOffered(request)).toEqual(['calculate'])
      const prompt = promptText(request)
      expect(prompt).toContain('Be kind to "Ada".')
      expect(prompt).not.toContain('solve_with_strategy')
    }
    expect(run.notes('dual/action-refused')).toMatchObject([
      { problem: 'There is no tool "read_file"; there are: calculate.' },
    ])
    expect(run.prompts('dual/summarize').at(-1)).toContain('Say how often "Ada" was greeted.')
    expect(marksOf(run.notes('dual/blueprint-marked'))).toEqual([
      '[BLUEPRINT_INVOKE_START]',
      '[BLUEPRINT_FOUND]',
    ])
  })

  it('is an action of a loop: its plan runs below, its outcome and the marks come back', async () => {
    const blueprint = {
      action: 'require_ai_blueprint',
      blueprint_payload: 'greet',
      params: { who: 'Ada', times: 1 },
    }
    const run = await solveDual(
      'be nice',
      {
        'dual/plan': [plan('greet people')],
        'dual/decide': [blueprint, finish('hello, Ada'), finish('all greeted')],
        'dual/summarize': [{ result: 'Ada was greeted once' }],
      },
      { workspace: withGreet() },
    )
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'all greeted' })
    const [outer, , after] = run.prompts('dual/decide') as [string, string, string]
    const [first, second] = run.requests('dual/decide') as [ModelRequest, ModelRequest]
    expect(toolsOffered(first)).toContain('write_file')
    expect(outer).toContain('Blueprints:\n- code-audit: ')
    expect(outer).toContain('\n- greet: Greets somebody.\n')
    expect(toolsOffered(second)).toEqual(['calculate'])
    expect(after).toMatch(
      /\[BLUEPRINT_INVOKE_START\] greet\n\[BLUEPRINT_FOUND\] greet \(greet\)\nResult of require_ai_blueprint .*\n<data-\w+ .*>\nAda was greeted once\n/,
    )
    expect(run.prompts('dual/summarize')[0]).toContain('Say how often "Ada" was greeted.')
  })

  it('that is not there is told, to the loop as an observation, at the root as the outcome', async () => {
    const blueprint = { action: 'require_ai_blueprint', blueprint_payload: 'gret' }
    const run = await solveDual(
      'be nice',
      {
        'dual/plan': [plan('greet people')],
        'dual/decide': [blueprint, finish('by hand')],
        'dual/reflect': [{ advice: 'do it by hand', spinning: false }],
      },
      { workspace: withGreet() },
    )
    expect(run.outcome.status).toBe('completed')
    expect(run.prompts('dual/decide')[1]).toMatch(
      /FAILED: \[BLUEPRINT_INVOKE_START\] gret\n\[BLUEPRINT_NOT_FOUND\] gret/,
    )
    expect(run.prompts('dual/decide')[1]).toContain('did you mean "greet"?')
    const root = await solveDual('be nice', [], { workspace: withGreet(), options: { blueprint: 'gret' } })
    expect(root.outcome).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('there is no blueprint "gret": did you mean "greet"?'),
    })
  })
})

describe('the security review', () => {
  async function service() {
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      response.end('hello')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  const questions = (events: readonly Event[], name: string) =>
    events.flatMap((event) =>
      event.type === 'signal-asked' && event.name === name ? [event.question?.text ?? ''] : [],
    )

  /** The model claims the owner's word; every task asks for the page once, and ends. */
  async function review(answers: Record<string, readonly string[]>) {
    const { requests, url } = await service()
    const workspace = newWorkspace()
    const fetching = call('http_fetch', { url, headers: true })
    const model = new ScriptedModel((request) => {
      const { name, history = [] } = request.input as { name?: string; history?: unknown[] }
      if (request.kind === 'dual/blueprint-params') return { params: { url, owner_confirms: true } }
      if (request.kind === 'dual/summarize') return { result: 'reviewed' }
      if (request.kind !== 'dual/decide') return { advice: 'go on', spinning: false }
      return name === 'Check headers' && history.length === 0 ? fetching : finish('seen')
    })
    const run = await solveDual(`review ${url}`, model, {
      workspace,
      engine: { model, tools: builtinTools({ workspace, http: { allow: ['127.0.0.1'] } }) },
      options: { blueprint: 'security-review' },
      approval: { workspace, asks: 'person' },
      answers,
    })
    return { ...run, served: requests, url }
  }

  it("does not begin without the person's own word that the service is theirs", async () => {
    const run = await review({ 'confirm-params': ['no'] })
    expect(run.outcome).toMatchObject({
      status: 'failed',
      reason: '"owner_confirms" of the blueprint "security-review" was not confirmed',
    })
    expect(questions(run.events, 'confirm-params')).toEqual([
      expect.stringContaining('The user says that the service is their own'),
    ])
    expect(run.served).toEqual([])
  })

  it('asks for permission for every request, and makes none that is refused', async () => {
    const run = await review({ 'confirm-params': ['yes'], approve: ['no'] })
    expect(run.outcome.status).toBe('completed')
    expect(questions(run.events, 'approve')).toEqual([
      expect.stringContaining('http_fetch (network) asks for permission'),
    ])
    expect(run.served).toEqual([])
    const allowed = await review({ 'confirm-params': ['yes'], approve: ['yes'] })
    expect(allowed.served).toEqual(['GET /'])
    for (const request of allowed.requests('dual/decide'))
      expect(toolsOffered(request).sort()).toEqual(['ask_user', 'http_fetch', 'read_result'])
  })
})
