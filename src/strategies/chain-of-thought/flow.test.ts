import { describe, expect, it } from 'vitest'
import { type Node, runFlow } from './flow.ts'

interface Store {
  count: number
  seen: string[]
}

function counter(name: string, actions: (count: number) => string): Node<Store, number, string> {
  return {
    prep: (shared) => ++shared.count,
    exec: async (count) => `${name}${count}`,
    post(shared, count, made) {
      shared.seen.push(made)
      return actions(count)
    },
  }
}

describe('a flow', () => {
  it('loops a node that is alone at continue, and stops at end', async () => {
    const shared: Store = { count: 0, seen: [] }
    await runFlow(
      counter('n', (count) => (count < 3 ? 'continue' : 'end')),
      shared,
    )
    expect(shared.seen).toEqual(['n1', 'n2', 'n3'])
  })

  it('goes from node to node as their actions say', async () => {
    const shared: Store = { count: 0, seen: [] }
    const odd = counter('odd', (count) => (count > 3 ? 'end' : 'over'))
    const even = counter('even', () => 'back')
    const nodes = { odd: { node: odd, on: { over: 'even' } }, even: { node: even, on: { back: 'odd' } } }
    await runFlow({ start: 'odd', nodes }, shared)
    expect(shared.seen).toEqual(['odd1', 'even2', 'odd3', 'even4', 'odd5'])
  })

  it('keeps nothing on a node: one node runs in two flows at once', async () => {
    const node: Node<Store, number, string> = {
      ...counter('n', (count) => (count % 10 < 5 ? 'continue' : 'end')),
      exec: async (count) => {
        await new Promise((resolve) => setTimeout(resolve, count % 3))
        return `n${count}`
      },
    }
    const [one, other]: Store[] = [
      { count: 0, seen: [] },
      { count: 10, seen: [] },
    ]
    await Promise.all([runFlow(node, one as Store), runFlow(node, other as Store)])
    expect(one?.seen).toEqual(['n1', 'n2', 'n3', 'n4', 'n5'])
    expect(other?.seen).toEqual(['n11', 'n12', 'n13', 'n14', 'n15'])
  })

  it('says so when an action leads nowhere', async () => {
    const stray = counter('n', () => 'elsewhere')
    await expect(runFlow(stray, { count: 0, seen: [] })).rejects.toThrow('known actions: continue, end')
    const nodes = { n: { node: stray, on: { elsewhere: 'm' } } }
    await expect(runFlow({ start: 'n', nodes }, { count: 0, seen: [] })).rejects.toThrow('no node "m"')
  })
})
