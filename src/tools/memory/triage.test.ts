import { describe, expect, it } from 'vitest'
import type { Entity } from './entity.ts'
import { looksSecret, type Triage, triage } from './triage.ts'

const entity = (text: string, more: Partial<Entity> = {}): Entity => ({
  id: 'e1',
  text,
  kind: 'fact',
  tags: [],
  source: { run: 'r', path: '1' },
  score: { relevance: 0.5, importance: 0.5 },
  createdMs: 0,
  usedMs: 0,
  uses: 0,
  ...more,
})

const against = (text: string, existing: string) => triage({ text }, [entity(existing)]).verdict

describe('what is to be remembered', () => {
  it('is kept with what was not said filled in', () => {
    expect(triage({ text: '  The tests run with vitest. ', tags: ['Tests', 'tests', ' '] }, [])).toEqual({
      verdict: 'keep',
      entity: {
        text: 'The tests run with vitest.',
        kind: 'fact',
        tags: ['tests'],
        score: { relevance: 0.5, importance: 0.5 },
      },
    } satisfies Triage)
  })

  it.each([
    ['   \n', 'empty'],
    ['ok', 'too short'],
    ['!!! ??? ... ---', 'too short'],
    ['好的', 'too short'],
  ])('is dropped when it says nothing: %j', (text, reason) =>
    expect(triage({ text }, [])).toEqual({ verdict: 'drop', reason }),
  )

  it('is kept in Chinese from three characters on', () =>
    expect(triage({ text: '用中文' }, []).verdict).toBe('keep'))

  it.each([
    [' Lesson ', 'lesson'],
    ['user preference', 'user-preference'],
    ['经验', '经验'],
    ['!', 'fact'],
  ])('is of a kind that is one short word: %j', (kind, word) =>
    expect(triage({ text: 'The tests run with vitest', kind }, [])).toMatchObject({ entity: { kind: word } }),
  )

  it('is dropped when its score is low, and not for a low part alone', () => {
    const text = 'the weather was nice'
    expect(triage({ text, score: { relevance: 0.1, importance: 0.1 } }, [])).toMatchObject({
      reason: 'low score',
    })
    expect(triage({ text, score: { relevance: 0, importance: 0.9 } }, []).verdict).toBe('keep')
  })

  it('is dropped when it looks like a secret, also in a tag', () => {
    expect(triage({ text: 'the key is sk-abcdefghijklmnop1234' }, [])).toMatchObject({
      reason: 'looks secret',
    })
    expect(triage({ text: 'a harmless text', tags: ['ghp_abcdefghijklmnop1234'] }, [])).toMatchObject({
      reason: 'looks secret',
    })
  })

  it('is cut when it is a document, and never through a character', () => {
    const decision = triage({ text: '𝒳'.repeat(3_000) }, [])
    const text = decision.verdict === 'keep' ? decision.entity.text : ''
    expect(text.length).toBeLessThanOrEqual(4_000)
    expect([text.isWellFormed(), text.endsWith('…')]).toEqual([true, true])
  })

  it.each([
    ['The tests run with Vitest', 'the tests  run with vitest!'],
    ['项目使用 pnpm 安装依赖', '项目使用pnpm安装依赖。'],
    [
      'Dates are stored as UTC milliseconds in the journal',
      'Dates are stored as UTC milliseconds in journal',
    ],
    ['the release script needs a clean tree', 'the release script needs a clean tree and a tag on main'],
  ])('is merged with what says the same: %s', (text, existing) => {
    expect(against(text, existing)).toBe('merge')
    expect(against(existing, text)).toBe('merge')
  })

  it.each([
    ['the server listens on port 8080 by default', 'the server listens on port 8081 by default'],
    ['the tests pass on node 22 with the flag', 'the tests do not pass on node 22 with the flag'],
    ['这个模块支持并发写入操作', '这个模块不支持并发写入操作'],
    ['the tests run with vitest', 'the linter is biome, run by npm'],
  ])('is kept beside what says another thing: %s', (text, existing) =>
    expect(against(text, existing)).toBe('keep'),
  )

  it('is not merged into another kind by likeness alone', () => {
    const existing = entity('Answers should be short and in the language of the user', { kind: 'preference' })
    expect(triage({ text: 'Answers should be short and in language of the user' }, [existing]).verdict).toBe(
      'keep',
    )
    expect(triage({ text: existing.text }, [existing]).verdict).toBe('merge')
  })

  it('leaves the longer text, both tags and the higher scores when it is merged', () => {
    const was = entity('the release script needs a clean tree', {
      tags: ['release'],
      score: { relevance: 0.9, importance: 0.2 },
    })
    const longer = 'the release script needs a clean tree and a tag'
    const score = { relevance: 0.3, importance: 0.8 }
    expect(
      triage({ text: longer, tags: ['git'], score }, [entity('another thing entirely', { id: 'e0' }), was]),
    ).toEqual({
      verdict: 'merge',
      into: 'e1',
      entity: {
        text: longer,
        kind: 'fact',
        tags: ['release', 'git'],
        score: { relevance: 0.9, importance: 0.8 },
      },
    })
  })
})

describe('a secret is recognised', () => {
  it.each([
    'OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrst',
    'use ghp_abcdefghijklmnopqrst to push',
    'aws AKIAIOSFODNN7EXAMPLE',
    '-----BEGIN RSA PRIVATE KEY-----',
    'Authorization: Bearer abcdefghijklmnop.qrst',
    'postgres://admin:hunter2@db.local/x',
    'the password is hunter2!',
    '数据库密码是 hunter2x',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc',
    'it is q7Rt0PzLk29XvBn4Ws8YdGh1Jm5Cf3Aa',
  ])('%s', (text) => expect(looksSecret(text)).toBe(true))

  it.each([
    'the password is asked for at login',
    'token budget: the run stops at 2,000,000 tokens',
    'fixed in commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'see src/strategies/fractal/very-long-folder-name/another-long-name/File2.ts',
    'the API key is read from the environment',
    '密码由用户在登录时输入',
    'https://example.com/a/b?c=d',
  ])('and not in: %s', (text) => expect(looksSecret(text)).toBe(false))
})
