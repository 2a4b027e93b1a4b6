import { describe, expect, it } from 'vitest'
import type { ProgressTask } from './task-nodes.ts'
import { currentTaskText, progressText } from './task-progress.ts'

type Given = Partial<Omit<ProgressTask, 'subtasks'>> & { subtasks?: Given[] }

/** Fills in what a test does not care about; indices by place. */
function tree(given: Given, index = '1'): ProgressTask {
  const { subtasks = [], ...fields } = given
  return {
    index,
    name: `task ${index}`,
    goal: '',
    status: 'created',
    status_summary: '',
    task_summary: '',
    attempt: 1,
    ...fields,
    subtasks: subtasks.map((subtask, i) => tree(subtask, `${index}-${i + 1}`)),
  }
}

const times = (n: number, make: (i: number) => Given): Given[] => Array.from({ length: n }, (_, i) => make(i))

describe('the progress of tasks', () => {
  const security = tree({
    name: '提升安全',
    subtasks: [
      {
        name: '分析安全需求',
        status: 'queueing',
        subtasks: [
          { name: '审查认证', status: 'completed', task_summary: 'OAuth2 实现\n已验证' },
          { name: '审计授权', status: 'processing', status_summary: '检查角色权限' },
          { name: '检查加密' },
        ],
      },
      {
        name: '实施修复',
        status: 'completed',
        subtasks: [
          { name: '更新认证模块', status: 'completed', task_summary: '添加了 MFA 支持', attempt: 2 },
        ],
      },
      { name: '迁移', status: 'aborted', reason: '没有权限' },
      { name: '写报告', status: 'skipped', reason: '用户不要' },
    ],
  })

  it('has a mark and a note for every state, in Chinese', () => {
    expect(progressText(security, { lang: 'zh', maxChars: 5_000 }).split('\n')).toEqual([
      ' -[~] 1. "提升安全" (部分完成)',
      '  -[~] 1-1. "分析安全需求" (部分完成)',
      '   -[x] 1-1-1. "审查认证" (Finished:OAuth2 实现 已验证)',
      '   -[-] 1-1-2. "审计授权" (执行中) (status:检查角色权限)',
      '   -[ ] 1-1-3. "检查加密" (未开始)',
      '  -[x] 1-2. "实施修复" (已完成)',
      '   -[x] 1-2-1. "更新认证模块" (Finished:添加了 MFA 支持) (第 2 次)',
      '  -[!] 1-3. "迁移" (已中止:没有权限)',
      '  -[/] 1-4. "写报告" (已跳过:用户不要)',
    ])
  })

  it('says the same in English', () => {
    const text = progressText(security, { lang: 'en', maxChars: 5_000 })
    for (const words of ['(partly done)', '(executing) (status:', '(not started)', '(aborted:', '(skipped:'])
      expect(text).toContain(words)
    expect(text).toContain('(Finished:添加了 MFA 支持) (attempt 2)')
  })

  it('adds goals when details are wanted', () => {
    const task = tree({ name: 'a "b"', goal: 'all of it', status: 'processing' }, '1-2')
    expect(currentTaskText(task, { lang: 'en', maxChars: 500 })).toBe(
      ' -[-] 1-2. "a \\"b\\""(goal:"all of it") (executing)',
    )
    expect(currentTaskText(task, { lang: 'zh', maxChars: 500 })).toContain('(目标:"all of it") (执行中)')
  })

  it('draws a parent by what is below it, where its own status does not say', () => {
    const markOf = (...statuses: ProgressTask['status'][]) =>
      progressText(tree({ status: 'queueing', subtasks: statuses.map((status) => ({ status })) }), {
        lang: 'en',
        maxChars: 1_000,
      }).slice(0, 5)
    expect(markOf('completed', 'completed')).toBe(' -[x]')
    expect(markOf('completed', 'skipped')).toBe(' -[x]')
    expect(markOf('completed', 'aborted')).toBe(' -[!]')
    expect(markOf('completed', 'created')).toBe(' -[~]')
    expect(markOf('processing', 'created')).toBe(' -[-]')
    expect(markOf('created', 'queueing')).toBe(' -[ ]')
  })

  it('shows what comes before a task where that is wanted', () => {
    const root = tree({ subtasks: [{ id: 'a' }, { id: 'b', depends_on: ['a', 'gone'] }] })
    const text = progressText(root, { lang: 'en', maxChars: 5_000, needs: true })
    const [, first, second] = text.split('\n')
    expect(second).toMatch(/ \(after 1-1\) \(not started\)$/)
    expect(first).not.toContain('after')
    expect(progressText(root, { lang: 'en', maxChars: 5_000 })).not.toContain('after')
  })

  it('cuts goals, unless they are to be whole and there is room for all', () => {
    const goal = `${'x'.repeat(900)} THE END`
    const root = tree({ subtasks: times(3, () => ({ goal })) })
    const wholes = (options: { wholeGoals?: boolean; maxChars: number }) =>
      progressText(root, { lang: 'en', details: true, ...options }).match(/THE END/g)?.length ?? 0
    expect(wholes({ maxChars: 5_000 })).toBe(0)
    expect(wholes({ maxChars: 5_000, wholeGoals: true })).toBe(3)
    const narrow = progressText(root, { lang: 'en', details: true, maxChars: 2_000, wholeGoals: true })
    expect(narrow.match(/goal:/g), 'all are there, cut').toHaveLength(3)
  })

  it('keeps names and notes short and on one line', () => {
    const text = progressText(
      tree({ name: `a\nb${'😀'.repeat(200)}`, status: 'completed', task_summary: 'x\n'.repeat(900) }),
      { lang: 'en', maxChars: 5_000 },
    )
    expect(text.split('\n')).toHaveLength(1)
    expect(text.length).toBeLessThan(400)
    expect(text).toMatch(/^ -\[x\] 1\. "a b/)
    expect(text.isWellFormed()).toBe(true)
  })
})

describe('the progress of ten thousand tasks', () => {
  /** Groups × tasks: finished up to `at`, which is executing; one failed long before. */
  function large(groups: number, each: number, at: number): ProgressTask {
    return tree({
      status: 'queueing',
      subtasks: times(groups, (g) => ({
        status: g * each + each <= at ? 'completed' : 'queueing',
        subtasks: times(each, (i) => leaf(g * each + i, at)),
      })),
    })
  }

  function leaf(n: number, at: number): Given {
    if (n === 3) return { status: 'aborted', reason: 'no such file' }
    if (n === at) return { status: 'processing', status_summary: 'reading' }
    return n < at ? { status: 'completed', task_summary: `result ${n}` } : { status: 'created' }
  }

  it.each([
    ['in groups', 100, 100, '1-51-51'],
    ['side by side', 1, 10_000, '1-1-5051'],
    ['in many small groups', 5_000, 2, '1-2526-1'],
  ])(
    '%s fits, with the way to the current one, its neighbours and the failure',
    (_, groups, each, current) => {
      const root = large(groups, each, 5_050)
      for (const maxChars of [2_000, 8_000]) {
        const text = progressText(root, { lang: 'en', maxChars, current })
        expect(text.length).toBeLessThanOrEqual(maxChars)
        expect(text.length).toBeGreaterThan(maxChars / 2)
        const lines = text.split('\n')
        expect(lines.filter((line) => line.includes(`-[-] ${current}. `))).toHaveLength(1)
        const parent = current.slice(0, current.lastIndexOf('-'))
        expect(text).toContain(`] ${parent}. `)
        const place = Number(current.slice(current.lastIndexOf('-') + 1))
        expect(text).toContain(`[ ] ${parent}-${place + 1}. `)
        expect(text).toContain('(aborted:no such file)')
      }
    },
  )

  it('counts every leaf that it does not show', () => {
    const text = progressText(large(100, 100, 5_050), { lang: 'en', maxChars: 3_000, current: '1-51-51' })
    let counted = 0
    for (const line of text.split('\n')) {
      const folded = /(?:… [\d-]+(?: … [\d-]+)?: |\(\+)(.*?)\)?$/.exec(line)
      if (folded === null) {
        if (/\] \d+-\d+-\d+\. /.test(line)) counted++
      } else for (const [, n] of (folded[1] as string).matchAll(/(\d+) [a-z]/g)) counted += Number(n)
    }
    expect(counted).toBe(10_000)
  })

  it('stays within its room when everything is executing or has failed', () => {
    for (const status of ['processing', 'aborted'] as const) {
      const root = tree({
        subtasks: times(10_000, () => ({ status, reason: 'why', status_summary: 'what' })),
      })
      const text = progressText(root, { lang: 'zh', maxChars: 4_000, current: '1-9000' })
      expect(text.length).toBeLessThanOrEqual(4_000)
      expect(text).toContain('1-9000. ')
      expect(text).toContain('1-9001. ')
    }
  })

  it('shows the current task and the nearest above it where there is hardly any room', () => {
    let given: Given = { status: 'processing', name: 'the deepest' }
    for (let i = 0; i < 300; i++) given = { name: `level ${300 - i}`, subtasks: [given] }
    const root = tree(given)
    const current = Array(301).fill('1').join('-')
    const text = progressText(root, { lang: 'en', maxChars: 3_000, current })
    expect(text.length).toBeLessThanOrEqual(3_000)
    expect(text).toContain('"the deepest" (executing)')
    expect(text).toContain('"level 300"')
    expect(progressText(root, { lang: 'en', maxChars: 50, current }).length).toBeLessThanOrEqual(50)
  })

  it('is made by looking at each task a few times', () => {
    const reads = (groups: number) => {
      let count = 0
      const watch = (task: ProgressTask): ProgressTask =>
        new Proxy(
          { ...task, subtasks: task.subtasks.map(watch) },
          {
            get(target, field, receiver) {
              count++
              return Reflect.get(target, field, receiver)
            },
          },
        )
      const root = watch(large(groups, 100, groups * 50))
      count = 0
      progressText(root, { lang: 'en', maxChars: 6_000, current: `1-${groups / 2 + 1}-1` })
      return count
    }
    expect(reads(100)).toBeLessThan(reads(10) * 12)
    expect(reads(100)).toBeLessThan(10_000 * 40)
  })
})
