// PLAN_PROBES: hypotheses, the looks that decide them, and their verdicts.
import { describe, expect, it } from 'vitest'
import { execute, goOn, probes, returned, solvePlanner, steps } from '../../../tests/planner/planner-runs.ts'

describe('probes', () => {
  const CAUSE = 'find the cause'
  const BLOCK = 'the cause of the login error'
  const HYPOTHESES = ['the token is expired', 'the gateway times out', 'the pool is empty']
  const begin = (signal?: string) => ({ [`plan ${CAUSE}`]: [probes(BLOCK, HYPOTHESES, signal)] })
  const judged = (...verdicts: readonly (readonly [number | string, string, string])[]) => ({
    verdicts: verdicts.map(([hypothesis, verdict, evidence]) => ({ hypothesis, verdict, evidence })),
  })
  const log = { 'auth.log': 'ok\n', 'gateway.log': 'ok\n504 upstream timed out\n' }
  const looks = [
    execute('look for 401', 'shell: grep -c 401 auth.log', ['exit code 1']),
    execute('look for 504', 'shell: grep 504 gateway.log', ['stdout contains "504"']),
  ]
  const fails = { [`reflect ${CAUSE}`]: [returned('failed', 'not found')] }

  it('become looks directly: each hypothesis gets its verdict and evidence, until Reflect finds the success signal met', async () => {
    const run = await solvePlanner(
      CAUSE,
      {
        ...begin('one is confirmed'),
        [`plan ${BLOCK}`]: looks,
        [`reflect ${BLOCK}`]: [
          { ...goOn, ...judged([1, 'refuted', 'no 401 in auth.log']) },
          returned('completed', 'the gateway times out', judged([2, 'confirmed', '504 in gateway.log'])),
        ],
      },
      { files: log },
    )
    expect(run.outcome.status).toBe('completed')
    expect(run.notes('planner/probe-judged')).toEqual([
      { hypothesis: HYPOTHESES[0], verdict: 'refuted', evidence: 'no 401 in auth.log' },
      { hypothesis: HYPOTHESES[1], verdict: 'confirmed', evidence: '504 in gateway.log' },
    ])
    expect(run.requests.map(({ kind }) => kind.slice(8))).toEqual([
      'plan',
      'plan',
      'reflect',
      'plan',
      'reflect',
      'reflect',
    ])
    expect(run.block('1').done[0]).toMatch(
      /^\*\*Refuted\*\* the token is expired\nevidence: no 401 in auth\.log\n\*\*Confirmed\*\* the gateway times out\nevidence: 504 in gateway\.log\n\n### Completion/,
    )
    expect(run.block('1-1').children, 'the third is not probed any more').toHaveLength(2)
    const second = run.prompt(`plan ${BLOCK}`, 2)
    expect(second, 'later probes know what earlier ones found').toContain(
      'Its plan is hypotheses:\n1. [refuted] the token is expired (no 401 in auth.log)\n2. [open] the gateway times out\n3. [open] the pool is empty\n',
    )
    expect(second).toContain('grep -c 401 auth.log')
    expect(second).toContain('One look or command that decides several is best')
    expect(run.prompt(`reflect ${BLOCK}`)).toContain('one more field: "verdicts":[{"hypothesis":1')
    expect(run.prompt(`reflect ${CAUSE}`)).not.toContain('"verdicts"')
    expect(run.prompt(`reflect ${BLOCK}`, 2)).toContain('2. [to be judged] the gateway times out')
    expect(run.prompt(`reflect ${BLOCK}`, 2)).toContain('Success signal: one is confirmed')
    expect((await run.engine.replay(run.id)).differences).toEqual([])
  })

  it('share evidence: one look that decides four hypotheses costs one look, by update_plan', async () => {
    const four = [...HYPOTHESES, 'the request is malformed']
    const run = await solvePlanner(
      CAUSE,
      {
        [`plan ${CAUSE}`]: [probes(BLOCK, four, 'one is confirmed')],
        [`plan ${BLOCK}`]: [
          execute('read the logs', 'shell: cat *.log', ['exit code 0'], { update_plan: [] }),
        ],
        [`reflect ${BLOCK}`]: [
          returned(
            'completed',
            'found',
            judged(
              [1, 'refuted', 'no 401'],
              [2, 'confirmed', '504'],
              ['The pool is empty.', 'refuted', 'no wait'],
              [4, 'undecided', ''],
            ),
          ),
        ],
      },
      { files: log },
    )
    expect(run.requests.map(({ kind }) => kind.slice(8))).toEqual(['plan', 'plan', 'reflect', 'reflect'])
    expect(run.notes('planner/probe-judged')).toMatchObject(
      ['refuted', 'confirmed', 'refuted', 'undecided'].map((verdict, i) => ({
        hypothesis: four[i],
        verdict,
      })),
    )
    expect(run.prompt(`reflect ${BLOCK}`)).toContain('4. [to be judged] the request is malformed')
    expect(run.outcome.status).toBe('completed')
  })

  it('that a look decides as well are not tested any more', async () => {
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [execute('look', 'shell: true'), execute('look elsewhere', 'shell: echo 2')],
      [`reflect ${BLOCK}`]: [
        { ...goOn, ...judged([1, 'refuted', 'no'], [3, 'refuted', 'no']) },
        returned('completed', 'found', judged([2, 'confirmed', 'yes'])),
      ],
    })
    expect(run.plans('1-1')).toEqual([HYPOTHESES, HYPOTHESES.slice(1), [HYPOTHESES[1]], []])
    expect(run.outcome.status).toBe('completed')
  })

  it('may have a block of their own where one call does not decide it', async () => {
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [steps('see whether the token is expired', ['log in', 'wait', 'call again'])],
      'plan see whether the token is expired': [execute('log in', 'shell: true', [], { update_plan: [] })],
      [`reflect ${BLOCK}`]: [returned('completed', 'found', judged([1, 'confirmed', 'it is']))],
    })
    expect(run.block('1-1-1').outcome?.status).toBe('completed')
    expect(run.prompt('plan see whether the token is expired'), 'who works on it sees the others').toContain(
      'the pool is empty',
    )
    expect(run.notes('planner/probe-judged')).toHaveLength(1)
  })

  it('are judged as the prompt says: all but those in update_plan, without it the first', async () => {
    const judgedAfter = async (more: object) => {
      const run = await solvePlanner(CAUSE, {
        ...begin('one is confirmed'),
        [`plan ${BLOCK}`]: [execute('read the logs', 'shell: true', [], more)],
        [`reflect ${BLOCK}`]: [returned('completed', 'found')],
      })
      expect(run.prompt(`plan ${BLOCK}`)).toContain('Without "update_plan" only the first one is.')
      return run.notes('planner/probe-judged').map((note) => (note as { hypothesis: string }).hypothesis)
    }
    expect(await judgedAfter({})).toEqual(HYPOTHESES.slice(0, 1))
    expect(await judgedAfter({ update_plan: [HYPOTHESES[1]] })).toEqual([HYPOTHESES[0], HYPOTHESES[2]])
    expect(await judgedAfter({ update_plan: [] })).toEqual(HYPOTHESES)
  })

  it('are put back when the look that was to decide them fails', async () => {
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [
        execute('read the logs', 'shell: cat *.log', ['exit code 0'], { update_plan: [HYPOTHESES[2]] }),
        execute('look elsewhere', 'shell: true', [], { update_plan: [] }),
      ],
      [`reflect ${BLOCK}`]: [goOn, returned('completed', 'found')],
    })
    expect(run.plans('1-1').slice(0, 3)).toEqual([HYPOTHESES, [HYPOTHESES[2]], HYPOTHESES])
    expect(run.notes('planner/probe-judged'), 'what Reflect says nothing about is undecided').toEqual(
      HYPOTHESES.map((hypothesis) => ({ hypothesis, verdict: 'undecided', evidence: '' })),
    )
  })

  it('without a success signal are all made, then judged at once, and a warning is noted', async () => {
    const run = await solvePlanner(CAUSE, {
      ...begin(),
      [`plan ${BLOCK}`]: HYPOTHESES.map((one, i) => execute(`look at ${one}`, `shell: echo ${i}`)),
      [`reflect ${BLOCK}`]: [
        returned(
          'partial',
          'nothing is sure',
          judged([1, 'refuted', 'a'], [2, 'undecided', ''], [3, 'refuted', 'b']),
        ),
      ],
      [`reflect ${CAUSE}`]: [returned('partial', 'nothing is sure')],
    })
    expect(run.notes('planner/plan-warned')).toContainEqual({ warning: 'NO_SUCCESS_SIGNAL' })
    expect(run.block('1-1').children).toHaveLength(3)
    expect(run.requests.filter(({ kind }) => kind === 'planner/reflect')).toHaveLength(2)
    expect(run.notes('planner/probe-judged')).toHaveLength(3)
    expect(run.outcome.status).toBe('partial')
  })

  it('that did not decide it are not made again: other hypotheses are', async () => {
    const other = ['the clock is wrong', 'the key is revoked', 'the request is malformed']
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [
        execute('look at all', 'shell: true', [], { update_plan: [] }),
        probes('once more', [...HYPOTHESES].reverse(), 'one is confirmed'),
        probes('others', other, 'one is confirmed'),
      ],
      [`reflect ${BLOCK}`]: [goOn, returned('failed', 'it is not to be found')],
      'plan others': [execute('look', 'shell: date -u +%Y >/dev/null')],
      'reflect others': [returned('failed', 'not found')],
      ...fails,
    })
    expect(run.outcome).toMatchObject({ status: 'failed', violations: { REPEATS_FAILED_PLAN: 1 } })
  })

  it('are judged by verdicts in capitals and by numbers that are texts', async () => {
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [execute('look', 'shell: true')],
      [`reflect ${BLOCK}`]: [
        returned('completed', 'tested', {
          verdicts: [{ hypothesis: '1', verdict: 'Confirmed', evidence: 'seen' }],
        }),
      ],
    })
    expect(run.outcome.violations).toBeUndefined()
    expect(run.block('1-1').outcome?.result).toContain('**Confirmed**')
  })

  it.each<[what: string, verdict: object]>([
    ['a verdict that is none of the three', { hypothesis: 1, verdict: 'maybe', evidence: '' }],
    ['a hypothesis that there is not', { hypothesis: 4, verdict: 'refuted', evidence: '' }],
  ])('are judged again after %s', async (_, verdict) => {
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [execute('look', 'shell: true')],
      [`reflect ${BLOCK}`]: [
        returned('completed', 'tested', { verdicts: [verdict] }),
        returned('completed', 'tested', judged([1, 'confirmed', 'seen'])),
      ],
    })
    expect(run.prompt(`reflect ${BLOCK}`, 2)).toContain('VERDICT_UNCLEAR: "verdicts" must be a list of')
    expect(run.outcome.violations).toEqual({ VERDICT_UNCLEAR: 1 })
  })

  it('that a limit cuts short keep the verdicts that they have, and those of the summary', async () => {
    const run = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: [execute('look', 'shell: true'), 'what?', 'what?', 'what?'],
      [`reflect ${BLOCK}`]: [{ ...goOn, ...judged([1, 'refuted', 'no']) }],
      ...fails,
    })
    expect(run.block('1').done[0]).toMatch(
      /^\[failed: 3 replies[^\]]*\]\s\*\*Refuted\*\* the token is expired\nevidence: no\n/,
    )
    const looped = await solvePlanner(CAUSE, {
      ...begin('one is confirmed'),
      [`plan ${BLOCK}`]: Array.from({ length: 4 }, () => execute('look', 'shell: exit 3')),
      [`reflect ${BLOCK}`]: [goOn],
      [`close ${BLOCK}`]: [returned('partial', 'looked once', judged([1, 'refuted', 'exit 3']))],
      ...fails,
    })
    expect(looped.block('1').done[0]).toMatch(
      /^\[partial: [^\]]*\]\s\*\*Refuted\*\* the token is expired\nevidence: exit 3\n/,
    )
  })

  it('where there is no depth left are executed as they are, and judged all the same', async () => {
    const run = await solvePlanner(
      CAUSE,
      {
        ...begin('one is confirmed'),
        [`plan ${BLOCK}`]: [looks[1]],
        [`reflect ${BLOCK}`]: [returned('completed', 'found', judged([1, 'confirmed', '504 is there']))],
      },
      { files: log, options: { maxDepth: 2 } },
    )
    expect(run.prompt(`reflect ${BLOCK}`)).toContain('504 upstream timed out')
    expect(run.block('1').done[0]).toMatch(/^\*\*Confirmed\*\* the token is expired/)
  })

  it('can be made by another strategy', async () => {
    const thought = {
      current_thinking: 'It is refuted: there is no 401.',
      planning: [{ description: 'judge it', status: 'Done', result: 'refuted: there is no 401' }],
      next_thought_needed: false,
    }
    const run = await solvePlanner(
      CAUSE,
      {
        ...begin('one is confirmed'),
        'cot/think': [thought],
        [`reflect ${BLOCK}`]: [returned('completed', 'found', judged([1, 'refuted', 'no 401']))],
      },
      { options: { probeStrategy: 'cot' } },
    )
    expect(run.block('1-1-1')).toMatchObject({
      strategy: expect.stringMatching(/^cot@/),
      outcome: { status: 'completed' },
      goal: {
        intent: 'Test the hypothesis: the token is expired',
        constraint: 'gather evidence only; repair and change nothing',
      },
    })
    expect(run.block('1-1').done[0]).toContain('no 401')
    expect(run.notes('planner/probe-judged')).toHaveLength(1)
  })
})
