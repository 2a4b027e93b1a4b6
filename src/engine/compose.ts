/** The composition root: opens the engine's parts, and has one function for each thing that an engine does. */
import { readAtOnce } from '../kernel/store.ts'
import { redactDeep } from '../models/secrets.ts'
import type { Engine, EngineOptions } from './api.ts'
import { raisableLimits } from './input.ts'
import { closeParts, openParts, openStateOf, requireRun, stateOf } from './parts.ts'
import { answerQuestion, countQuestions, listQuestions, withStanding } from './questions.ts'
import { sendSignal } from './send-signal.ts'
import { resumeRun, startRun } from './start-run.ts'
import { errorsWithoutSecrets } from './without-secrets.ts'

export async function compose(options: EngineOptions): Promise<Engine> {
  const parts = await openParts(options)
  const { store, kernel, host } = parts
  return errorsWithoutSecrets<Engine>({
    start: (goal, given) => startRun(parts, goal, given),
    resume: (id, given) => resumeRun(parts, id, given),
    async check(id, given = {}) {
      await requireRun(parts, id)
      await host.check(id, { ...given, budget: given.budget && raisableLimits(given.budget) })
    },
    async replay(id) {
      await requireRun(parts, id)
      const { replayRun } = await import('../hosts/local/replay.ts')
      return replayRun(await readAtOnce(store, id), kernel)
    },
    fork: async (id, at, edit, given) => (await forking()).forkRun(parts, id, at, redactDeep(edit), given),
    redo: async (id, path, message, given) =>
      (await forking()).redoBlock(parts, id, path, redactDeep(message), given),
    signal: (id, path, name, value) => sendSignal(parts, id, path, name, value),
    questions: (query) => listQuestions(parts, query),
    countQuestions: (query) => countQuestions(parts, query),
    answer: async (id, value, { question } = {}) => void (await answerQuestion(parts, id, value, question)),
    list: async (query) => store.list(query),
    async row(id) {
      await requireRun(parts, id)
      return store.row(id)
    },
    count: async (query) => store.count(query),
    state: async (id) => withStanding(parts, await stateOf(parts, id)),
    outline: async (id, follow) => withStanding(parts, await openStateOf(parts, id, follow)),
    async events(id, from, to) {
      await requireRun(parts, id)
      return readAtOnce(store, id, from, to)
    },
    tools: async () => redactDeep(parts.toolbox.known),
    delete: async (ids, given) => (await keepingHouse()).deleteRuns(parts, [ids].flat(), given),
    prune: async (given) => (await keepingHouse()).pruneRuns(parts, given),
    async origin(id) {
      await requireRun(parts, id)
      return store.origin(id)
    },
    compact: async () => store.compact(),
    backup: async (file) => store.backup(file),
    async export(id) {
      await requireRun(parts, id)
      return (await import('../store/export-run.ts')).exportRun(store, id)
    },
    async import(file, given) {
      return (await import('../store/import-run.ts')).importRun(store, file, given)
    },
    close: () => closeParts(parts),
  })
}

/** Loaded when it is used: most engines never fork. */
const forking = () => import('./fork-run.ts')
const keepingHouse = () => import('./keep-house.ts')
