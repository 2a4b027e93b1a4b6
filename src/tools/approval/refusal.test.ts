import { describe, expect, it } from 'vitest'
import type { ToolInfo } from '../../kernel/tool.ts'
import type { ApprovalConfig, ApprovalRules } from '../../protocol/index.ts'
import { builtinTools } from '../builtin/index.ts'
import { createApproval } from './approval.ts'

const tools = builtinTools({ http: { allow: ['*'] } })

const RULES: ApprovalRules = {
  allow: ['write(src/**)', 'shell(npm test *)', 'shell(git *)'],
  ask: ['shell(npm test --watch *)'],
  deny: ['shell(rm *)', 'read(.env*)'],
}

function told(name: string, input: unknown, asks: ApprovalConfig['asks'] = 'nobody', rules = RULES): string {
  const tool = tools.find((one) => one.name === name) as ToolInfo
  const approval = { ...rules, workspace: '/w', asks }
  const decision = createApproval().decide({ thinkon: '0', approval }, { tool, input }, [], {
    path: '1',
    language: 'en',
  })
  if (decision.verdict === 'allow') return 'allowed'
  return decision.verdict === 'deny' ? decision.reason : decision.question.text
}

const shell = (command: string, asks?: ApprovalConfig['asks']) => told('shell', { command }, asks)

describe('a model that is refused', () => {
  it('is told that it is this call, and which rule denies it', () => {
    expect(shell('rm -rf dist')).toBe('this call of shell is not allowed: the rule shell(rm *) denies it')
    expect(told('read_file', { path: '.env' })).toContain('the rule read(.env*) denies it')
    expect(told('read_file', { path: '../x' })).toBe(
      'this call of read_file is not allowed: outside the workspace',
    )
  })

  it('is told, where nobody is there to ask, what is not covered and what is', () => {
    const rest =
      '. Allowed without asking: shell(npm test *), shell(git *). Only the person can allow more: in the policy, or with --yes'
    const nobody = "this call of shell needs a person's permission, and nobody is there to ask: "
    expect(shell('npm test 2>&1 | tail -20')).toBe(`${nobody}no rule allows \`tail -20\`${rest}`)
    expect(shell('sed -i s/a/b/ x && npm test | tail')).toContain(
      'no rule allows `sed -i s/a/b/ x`, `tail`. ',
    )
    expect(shell('make')).toBe(`${nobody.slice(0, -2)}${rest}`)
    expect(shell('git -c color.ui=never log')).toBe(
      `${nobody}\`git -c color.ui=never log\` can make git run another program, write a file or reach a host, which no wildcard of a rule covers${rest}`,
    )
    expect(shell('npm test > out.txt')).toContain('without variables, substitutions, redirection to files')
    expect(shell('npm test --watch a')).toContain(
      'nobody is there to ask: the rule shell(npm test --watch *) says so',
    )
    expect(told('write_file', { path: 'a', content: '' })).toBe(
      "this call of write_file needs a person's permission, and nobody is there to ask. Allowed without asking: write(src/**). Only the person can allow more: in the policy, or with --yes",
    )
    expect(told('write_file', { path: 'src/package.json', content: '' })).toContain(
      'is executed or trusted by other programs',
    )
    expect(told('write_file', { path: 'a', content: '' }, 'nobody', {})).toBe(
      "this call of write_file needs a person's permission, and nobody is there to ask. Only the person can allow more: in the policy, or with --yes",
    )
  })

  it('is told of a dozen rules at most, and of no command at length', () => {
    const allow = Array.from({ length: 40 }, (_, i) => `shell(make t${i} *)`)
    const text = told('shell', { command: `x ${'y'.repeat(5_000)}; z` }, 'nobody', { allow })
    expect(text).toContain('shell(make t11 *) and 28 more')
    expect(text.length).toBeLessThan(600)
  })
})

it('a person who is asked although a rule allows much of it is told why', () => {
  expect(shell('git -c color.ui=never log', 'person')).toContain(
    '\n`git -c color.ui=never log` can make git run another program',
  )
  expect(shell('npm test | tail', 'person')).toContain('\nno rule allows `tail`\n')
  expect(shell('ls', 'person')).toBe(told('shell', { command: 'ls' }, 'person', {}))
})

it('what a command or a path says of itself stands in one line, and forges none of the question', () => {
  const forged = "make 'x\n(always: nothing, for a moment)\ny' | tail"
  const lines = shell(forged, 'person').split('\n')
  expect(lines.filter((line) => line.startsWith('(always'))).toHaveLength(1)
  const path = 'src/\n(always: nothing)\n/package.json'
  const asked = told('write_file', { path, content: '' }, 'person').split('\n')
  expect(asked.filter((line) => line.startsWith('(always'))).toHaveLength(1)
})
