import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUILTIN_TOOLS } from '../../config/index.ts'
import { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { toolIo } from '../../testing/tool-io.ts'
import type { GuardedTool } from '../define-tool.ts'
import type { Blueprint, BlueprintTask } from './blueprint.ts'
import {
  BLUEPRINT_TOOLS,
  BLUEPRINTS_PATH,
  blueprintTools,
  type ListedBlueprint,
  loadBlueprints,
} from './blueprint-tools.ts'
import { type FilledBlueprint, fillBlueprint } from './fill-blueprint.ts'

const SHIPPED = ['code-audit', 'documentation', 'migration', 'security-review']
let workspace = ''

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-blueprints-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

function write(file: string, yaml: string): void {
  mkdirSync(join(workspace, BLUEPRINTS_PATH), { recursive: true })
  writeFileSync(join(workspace, BLUEPRINTS_PATH, file), yaml)
}

async function call<T>(name: string, input: unknown): Promise<T> {
  const tool = blueprintTools().find((one) => one.name === name) as GuardedTool
  return (await tool.run(input, toolIo({ workspace }))) as T
}

describe('the tools for blueprints', () => {
  it('are hidden and only read', () => {
    const tools = blueprintTools()
    expect(tools.map(({ name }) => name)).toEqual(BLUEPRINT_TOOLS)
    for (const { hidden, access } of tools) expect([hidden, access]).toEqual([true, 'read'])
  })

  it('list those that are shipped and those of the workspace, which come first by name', async () => {
    write('own.yaml', 'name: own\ndescription: mine\ninit_prompt: x\n')
    write('migration.yaml', 'name: migration\ndescription: our way\ninit_prompt: x\n')
    write('notes.txt', 'no blueprint')
    const listed = await call<ListedBlueprint[]>('blueprint__list', {})
    expect(listed.map(({ name }) => name)).toEqual([
      'code-audit',
      'documentation',
      'migration',
      'own',
      'security-review',
    ])
    expect(listed[2]).toEqual({
      name: 'migration',
      verbose_name: 'migration',
      description: 'our way',
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    })
  })

  it('read no file that a rule hides, and follow no link', async () => {
    writeFileSync(join(workspace, '.env'), 'SECRET: [hunter2')
    write('own.yaml', 'name: own\ndescription: mine\ninit_prompt: x\n')
    symlinkSync(join(workspace, '.env'), join(workspace, BLUEPRINTS_PATH, 'linked.yaml'))
    const { broken } = await loadBlueprints(workspace)
    expect(broken).toEqual([
      { name: 'linked', message: `${BLUEPRINTS_PATH}/linked.yaml is a link: put the file itself there` },
    ])
    const { blueprints } = await loadBlueprints(workspace, {
      permits: ({ does }) => (does === 'read' ? 'deny' : 'allow'),
    })
    expect(blueprints.map(({ name }) => name)).toEqual(SHIPPED)
  })

  it('load one whole, or fail with those there are', async () => {
    expect(await call<Blueprint>('blueprint__load', { name: 'code-audit' })).toMatchObject({
      verbose_name: 'Code audit',
      plan: { main_task: 'Audit the code at {{path}}' },
    })
    await expect(call('blueprint__load', { name: 'code-audits' })).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      message: `there is no blueprint "code-audits": did you mean "code-audit"? (there are: ${SHIPPED.join(', ')})`,
      data: { available: SHIPPED },
    })
  })

  it('fail with what is wrong in the workspace’s file, rather than do what its author did not mean', async () => {
    write('migration.yaml', 'name: migration\ndescription: d\ninit_promt: x\n')
    write('other.yml', 'name: other\n')
    await expect(call('blueprint__load', { name: 'migration' })).rejects.toThrow(
      '.thinkon/blueprints/migration.yaml:3:1: "init_promt" is not a known field: did you mean "init_prompt"?',
    )
    await expect(call('blueprint__fill', { name: 'other', params: {} })).rejects.toThrow(
      'rename it to other.yaml',
    )
    const listed = await call<ListedBlueprint[]>('blueprint__list', {})
    expect(listed.map(({ name }) => name)).toEqual(['code-audit', 'documentation', 'security-review'])
  })

  it('fill one, or fail with what is wrong with its parameters', async () => {
    const { prompts, plan, tools } = await call<FilledBlueprint>('blueprint__fill', {
      name: 'documentation',
      params: { path: 'src' },
    })
    expect(prompts.init_prompt).toContain('You document the code at "src"')
    expect(plan?.main_task).toBe('Document the code at "src"')
    expect(tools).toContain('write_file')
    await expect(call('blueprint__fill', { name: 'migration', params: { to: 'x' } })).rejects.toThrow(
      '"from" is missing',
    )
  })
})

const PARAMS: Record<string, Record<string, unknown>> = {
  'code-audit': {},
  documentation: {},
  migration: { from: 'express 4', to: 'express 5' },
  'security-review': { url: 'https://example.org', owner_confirms: true },
}

const namesOf = (tasks: readonly BlueprintTask[]): string[] =>
  tasks.flatMap(({ subtask_name, subtasks = [] }) => [subtask_name, ...namesOf(subtasks)])

describe('a shipped blueprint', () => {
  it.each(SHIPPED)(
    '%s has a plan of a few tasks, uses built-in tools, and leaves no place open',
    async (name) => {
      const { blueprints, broken } = await loadBlueprints(workspace)
      expect(broken).toEqual([])
      const blueprint = blueprints.find((one) => one.name === name) as Blueprint
      const { plan, tools, prompts, review } = fillBlueprint(
        blueprint,
        PARAMS[name],
        new DecodingBudget(name),
      )
      expect(plan?.tasks.length).toSatisfy((count: number) => count >= 3 && count <= 6)
      const known: readonly string[] = [...BUILTIN_TOOLS, 'read_result']
      for (const tool of tools ?? []) expect(known).toContain(tool)
      expect(JSON.stringify([plan, prompts])).not.toContain('{{')
      for (const text of Object.values(prompts)) expect(text.length).toBeGreaterThan(100)
      expect(prompts.persistent_prompt).toContain("Answer in the goal's language")
      expect(prompts.result_prompt).toContain("Answer in the goal's language")
      expect(new Set(namesOf(plan?.tasks ?? [])).size).toBeGreaterThanOrEqual(5)
      expect(review).toBe(true)
    },
  )

  it.each([
    [{ url: 'https://example.org' }, '"owner_confirms" is missing'],
    [{ url: 'https://example.org', owner_confirms: false }, '"owner_confirms" must be one of true'],
    [{ url: 'https://me:pw@example.org', owner_confirms: true }, '"url" must match'],
    [{ url: 'ftp://example.org', owner_confirms: true }, '"url" must match'],
    [{ url: 'https://example.org', owner_confirms: true, paths: ['admin'] }, '"paths.0" must match'],
  ])('security-review is refused without consent and a plain address: %j', async (params, said) => {
    await expect(call('blueprint__fill', { name: 'security-review', params })).rejects.toThrow(said)
  })

  it('security-review has no tool but http_fetch that reaches out or changes anything', async () => {
    const { tools, prompts } = await call<FilledBlueprint>('blueprint__fill', {
      name: 'security-review',
      params: PARAMS['security-review'],
    })
    expect(tools).toEqual(['http_fetch', 'read_result', 'ask_user'])
    expect(prompts.init_prompt).toMatch(/Each request\s+needs the user's approval/)
  })
})
