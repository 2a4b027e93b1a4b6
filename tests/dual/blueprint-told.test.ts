// What a blueprint says to whoever begins, and the marks of its way, stand in every request made by it, whoever makes the plan.
import { describe, expect, it } from 'vitest'
import { ScriptedModel } from '../../src/testing/index.ts'
import { toolIo } from '../../src/testing/tool-io.ts'
import { openTools } from '../../src/tools/open-tools.ts'
import { type DualRun, finish, newWorkspace, plan, solveDual } from './dual-runs.ts'

const SHIPPED: Readonly<Record<string, Record<string, unknown>>> = {
  'code-audit': { path: 'src', report: 'findings.md', focus: 'inputs' },
  documentation: { path: 'src', out: 'docs/api', audience: 'beginners' },
  migration: { from: 'express 4', to: 'fastify 5', path: 'src', test_command: 'npm test' },
  'security-review': { url: 'http://127.0.0.1:1/', owner_confirms: true, paths: ['/admin'] },
}

/** The lines of the blueprint's `init_prompt`, filled in. */
async function initLines(name: string): Promise<readonly string[]> {
  const workspace = newWorkspace()
  const { tools, close } = await openTools({ workspace })
  const fill = tools.find((tool) => tool.name === 'blueprint__fill')
  const io = toolIo({ workspace })
  const filled = await fill?.run(fill.input?.check({ name, params: SHIPPED[name] }), io)
  await close()
  const { prompts } = filled as { prompts: { init_prompt: string } }
  return prompts.init_prompt.split('\n').filter((line) => line.trim() !== '')
}

const marks = (name: string) => [`[BLUEPRINT_INVOKE_START] ${name}`, `[BLUEPRINT_FOUND] ${name} (`]

/** Every task finishes at once; `first` are the decisions before that. */
function atOnce(...first: readonly object[]): ScriptedModel {
  const left = [...first]
  return new ScriptedModel(({ kind }) => {
    if (kind === 'dual/blueprint-params') return { params: {} }
    if (kind === 'dual/plan') return plan('one thing')
    if (kind === 'dual/decide') return left.shift() ?? finish('seen')
    return { result: 'all of it', advice: '', spinning: false, risk: 1, reason: 'a risk' }
  })
}

function expectTold(prompts: readonly string[], lines: readonly string[]): void {
  expect(prompts.length).toBeGreaterThan(0)
  for (const prompt of prompts) for (const line of lines) expect(prompt.split(line)).toHaveLength(2)
}

const told = async (run: DualRun, name: string, kinds: readonly string[], from = 0) => {
  const lines = [...(await initLines(name)), ...marks(name)]
  for (const kind of kinds) expectTold(run.prompts(kind).slice(from), lines)
}

describe.each(Object.keys(SHIPPED))('the instructions and the marks of %s are told', (name) => {
  const options = { blueprint: name, params: SHIPPED[name] as Record<string, unknown> }

  it('to every task of its plan, and to the summary', async () => {
    const run = await solveDual('do it', atOnce(), { options })
    expect(run.outcome.status).toBe('completed')
    await told(run, name, ['dual/decide', 'dual/summarize'])
  })

  it('to the plan that a person wants changed, and to who judges its risk', async () => {
    const run = await solveDual('do it', atOnce(), {
      options: { ...options, review: 'ai' },
      answers: { 'review-plan': ['shorter, please'] },
    })
    expect(run.outcome.status).toBe('completed')
    expect(run.prompts('dual/plan')).toHaveLength(1)
    expect(run.prompts('dual/decide')).toHaveLength(1)
    await told(run, name, ['dual/plan', 'dual/decide'])
  })

  it('to a plan within its plan', async () => {
    const inner = { action: 'request_plan_and_execution', plan_request_payload: 'the hard part' }
    const run = await solveDual('do it', atOnce(inner), { options })
    expect(run.outcome.status).toBe('completed')
    await told(run, name, ['dual/plan', 'dual/decide'])
  })

  it('to the tasks below a loop that uses it, and its marks to the loop', async () => {
    const use = { action: 'require_ai_blueprint', blueprint_payload: name, params: SHIPPED[name] }
    const run = await solveDual('do it', atOnce(use), { answers: { 'confirm-params': ['yes'] } })
    expect(run.outcome.status).toBe('completed')
    const decides = run.requests('dual/decide')
    const outer = decides.map(({ input }) => (input as { name: string }).name === 'one thing')
    const prompts = run.prompts('dual/decide')
    expectTold(
      prompts.filter((_, i) => !outer[i]),
      [...(await initLines(name)), ...marks(name)],
    )
    expectTold(prompts.filter((_, i) => outer[i]).slice(1), marks(name))
  })
})

it('the security review says when it has to stop', async () => {
  const options = { blueprint: 'security-review', params: SHIPPED['security-review'] as object as never }
  const run = await solveDual('review my service', atOnce(), { options })
  for (const prompt of run.prompts('dual/decide')) expect(prompt).toContain('say so and stop')
})

it('a blueprint that is used within another does not lift what the outer one says', async () => {
  const yaml = (name: string, words: string) =>
    `name: ${name}\ndescription: ${name}\ninit_prompt: Begin ${words}.\npersistent_prompt: Keep ${words}.\n`
  const workspace = newWorkspace({
    '.thinkon/blueprints/outer.yaml': yaml('outer', 'from afar'),
    '.thinkon/blueprints/inner.yaml': yaml('inner', 'at once'),
  })
  const use = { action: 'require_ai_blueprint', blueprint_payload: 'inner', params: {} }
  const run = await solveDual('do it', atOnce(use), { workspace, options: { blueprint: 'outer' } })
  expect(run.outcome.status).toBe('completed')
  const [first, below] = run.prompts('dual/decide')
  for (const words of ['Begin from afar.', 'Keep from afar.']) {
    expect(first).toContain(words)
    expect(below).toContain(words)
  }
  for (const words of ['Begin at once.', 'Keep at once.']) expect(below).toContain(words)
})
