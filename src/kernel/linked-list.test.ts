import { expect, test } from 'vitest'
import { LinkedList } from './linked-list.ts'

class Member {
  before: Member | null = null
  after: Member | null = null
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

test('members stay in the order in which they were added, whichever are removed', () => {
  const list = new LinkedList<Member>()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Member(name)) as [
    Member,
    Member,
    Member,
    Member,
  ]
  const names = () => [...list].map(({ name }) => name).join('')
  expect(list.isEmpty).toBe(true)
  for (const member of [a, b, c, d]) list.add(member)
  expect(names()).toBe('abcd')
  list.remove(b)
  expect(names()).toBe('acd')
  list.remove(d)
  list.remove(a)
  list.add(b)
  list.add(a)
  expect(names()).toBe('cba')
  for (const member of [...list]) list.remove(member)
  expect(list.isEmpty).toBe(true)
  list.add(d)
  expect(names()).toBe('d')
})
