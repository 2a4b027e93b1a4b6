/** One engine for all that a service does with runs: what is about a run goes to the engine that works on it. */
import type { Engine } from '../engine/api.ts'

/** `engineOf`: the one that works on the run, or one to look with. */
export function routedEngine(engineOf: (run?: string) => Promise<Engine>, checkEdit: CheckEdit): Engine {
  return {
    start: async (goal, options) => (await engineOf()).start(goal, options),
    resume: async (run, options) => (await engineOf(run)).resume(run, options),
    check: async (run, options) => (await engineOf(run)).check(run, options),
    replay: async (run) => (await engineOf(run)).replay(run),
    async fork(run, at, edit, options) {
      if (edit !== undefined) await checkEdit(edit)
      return (await engineOf(run)).fork(run, at, edit, options)
    },
    redo: async (run, path, message, options) => (await engineOf(run)).redo(run, path, message, options),
    signal: async (run, path, name, value) => (await engineOf(run)).signal(run, path, name, value),
    questions: async (query) => (await engineOf()).questions(query),
    countQuestions: async (query) => (await engineOf()).countQuestions(query),
    answer: async (run, value, options) => (await engineOf(run)).answer(run, value, options),
    list: async (query) => (await engineOf()).list(query),
    row: async (run) => (await engineOf()).row(run),
    count: async (query) => (await engineOf()).count(query),
    state: async (run) => (await engineOf()).state(run),
    outline: async (run, follow) => (await engineOf()).outline(run, follow),
    events: async (run, from, to) => (await engineOf()).events(run, from, to),
    tools: async () => (await engineOf()).tools(),
    delete: async (runs, options) => (await engineOf()).delete(runs, options),
    prune: async (options) => (await engineOf()).prune(options),
    origin: async (run) => (await engineOf(run)).origin(run),
    compact: async () => (await engineOf()).compact(),
    backup: async (file) => (await engineOf()).backup(file),
    export: async (run) => (await engineOf()).export(run),
    import: async (file, options) => (await engineOf()).import(file, options),
    close: async () => (await engineOf()).close(),
  }
}

/** Throws for an edit that a request may not make. */
export type CheckEdit = (edit: Record<string, unknown>) => Promise<void>
