/**
 * Which leaves may be executed now. A leaf waits for what it and its ancestors depend on, and depending on a parent is
 * depending on all its leaves. Nothing is looked at twice: every task counts what it still waits for, and what ends
 * counts down what waits for it.
 *
 * It reads the tree's statuses and never changes them. An edit or a redo needs `rebuild`.
 */
import { FirstOf } from './first-of.ts'
import { depthFirst, hasFailed, isEnded, isLeaf, type Task } from './task.ts'
import { parentOf, type TaskTree } from './tree.ts'

interface Node {
  readonly task: Task
  readonly place: number
  readonly parent: Node | null
  readonly below: Node[]
  /** Those that depend on this one. */
  readonly dependents: Node[]
  /** Before it can start: its parent's start, and the ends it depends on. */
  waitsFor: number
  /** Before it has ended: its sub-tasks, or itself. */
  openBelow: number
  started: boolean
}

export class Schedule {
  private readonly tree: TaskTree
  private nodes: Node[] = []
  private readonly byId = new Map<string, Node>()
  private readyPlaces = new FirstOf(0)
  /** Leaves whose end was counted. */
  private readonly counted = new Set<string>()
  /** Leaves that failed and stop the plan, and failures that the plan continues after. */
  private readonly failed = new Set<string>()
  private readonly passed = new Set<string>()

  constructor(tree: TaskTree) {
    this.tree = tree
    this.rebuild()
  }

  /** Leaves that have not ended. */
  get open(): number {
    return this.nodes.filter(({ task }) => isLeaf(task) && !this.counted.has(task.id)).length
  }

  /** A leaf failed, and nobody has let the plan continue yet. */
  get stopped(): boolean {
    return this.failed.size > 0
  }

  /** At most so many leaves, in depth-first order; each is given out once. None after a failure, until `goOn`. */
  ready(limit: number): Task[] {
    const given: Task[] = []
    while (given.length < limit && !this.stopped) {
      const place = this.readyPlaces.take()
      if (place === undefined) break
      given.push((this.nodes[place] as Node).task)
    }
    return given
  }

  /** A task has ended: its status says how. Parents and ends that were counted before are ignored. */
  ended(id: string): void {
    const node = this.byId.get(id)
    if (node === undefined || !isLeaf(node.task) || !isEnded(node.task.status) || this.counted.has(id)) return
    this.counted.add(id)
    this.readyPlaces.remove(node.place)
    if (!hasFailed(node.task)) this.end(node)
    else if (!this.passed.has(id)) this.failed.add(id)
  }

  /** Past the failures so far. What depends on them stays where it is. */
  goOn(): void {
    for (const id of this.failed) this.passed.add(id)
    this.failed.clear()
  }

  /** By the tree as it now is; a leaf that is processing counts as given out. */
  rebuild(): void {
    this.counted.clear()
    this.failed.clear()
    this.nodes = []
    this.byId.clear()
    for (const task of depthFirst(this.tree.root)) this.add(task)
    this.readyPlaces = new FirstOf(this.nodes.length)
    for (const node of this.nodes) this.linkDependencies(node)
    this.release(this.nodes[0] as Node)
    for (const { task } of this.nodes) {
      if (this.passed.has(task.id) && !hasFailed(task)) this.passed.delete(task.id)
      this.ended(task.id)
    }
  }

  /** Parents come before their sub-tasks. */
  private add(task: Task): void {
    const place = this.nodes.length
    const parent = this.byId.get(parentOf(this.tree, task)?.id ?? '') ?? null
    const waitsFor = (parent === null ? 0 : 1) + task.depends_on.length
    const openBelow = Math.max(1, task.subtasks.length)
    const node = { task, place, parent, below: [], dependents: [], waitsFor, openBelow, started: false }
    parent?.below.push(node)
    this.nodes.push(node)
    this.byId.set(task.id, node)
  }

  private linkDependencies(node: Node): void {
    for (const id of node.task.depends_on) {
      const other = this.byId.get(id)
      if (other === undefined) node.waitsFor--
      else other.dependents.push(node)
    }
  }

  /** This one, and all below it that wait for nothing else, may start. */
  private release(first: Node): void {
    const stack = [first]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.waitsFor > 0 || node.started) continue
      node.started = true
      const { task, place, below } = node
      if (isLeaf(task) && !isEnded(task.status) && task.status !== 'processing') this.readyPlaces.add(place)
      for (const child of below) {
        child.waitsFor--
        stack.push(child)
      }
    }
  }

  /** This one, and those above it that have nothing else open, have ended. */
  private end(leaf: Node): void {
    let node: Node | null = leaf
    while (node !== null) {
      node.openBelow--
      if (node.openBelow > 0) return
      for (const dependent of node.dependents) {
        dependent.waitsFor--
        this.release(dependent)
      }
      node = node.parent
    }
  }
}
