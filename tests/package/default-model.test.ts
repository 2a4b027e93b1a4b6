// A program that passes no model: it is not answered by the small model without a word, and is not sent to options of the command line.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshProject, type Project } from './packed.ts'

let project: Project
beforeAll(() => {
  project = freshProject()
})
afterAll(() => project?.remove())

const ran = (goal: string, options = '{}') =>
  project.node([
    '--input-type=module',
    '-e',
    `import { solve } from 'thinkon'
    await solve(${JSON.stringify(goal)}, ${options}).then(({ status }) => console.log(status), ({ code, message }) => console.log(code, message))`,
  ])

it('warns when the small model answers, and names how to pass another', () => {
  const { stdout, stderr } = ran('Ann has 3 pens, buys 4 and gives away 2. How many are left?')
  expect(stdout.trim()).toMatch(/^(?:completed|partial|failed)$/)
  expect(stderr).toContain("createEngine({ model: 'openai:<model>' })")
  expect(ran('3 + 4', "{ model: 'embedded:mini' }").stderr).toBe('')
})

it('refuses any other goal with how a program passes a model', () => {
  const { stdout } = ran('Which offer is the best?')
  expect(stdout).toMatch(/^NO_MODEL[\s\S]*Pass a model: createEngine\(/)
  expect(stdout).not.toContain('--model')
})
