/**
 * The secrets in the variables of an environment. To read one costs more than all the rest, so that a variable whose name says nothing is
 * read less often, and what was found in a value is remembered.
 */
import { type NameKind, nameKind, secretsIn } from './secret-values.ts'

/** So often variables are read whose names say nothing; at once if there are others than before. */
const OTHERS_AGE_MS = 1_000
const MAX_REMEMBERED = 2_000

export class Environment {
  private readonly kinds = new Map<string, NameKind>()
  private readonly found = new Map<string, readonly string[]>()
  /** Passwords in URLs and the like, in variables whose names say nothing. */
  private others: readonly string[] = []
  private names = ''
  /** Those that matter by their names. */
  private told: readonly string[] = []
  private readAtMs = Number.NEGATIVE_INFINITY

  secrets(env: NodeJS.ProcessEnv): string[] {
    // Each access to a variable asks the system, also the one by which `keys` looks what is enumerable: only those that matter are read.
    const names = Object.getOwnPropertyNames(env)
    const ageMs = Date.now() - this.readAtMs
    const all = names.join('\n')
    if (all !== this.names || ageMs < 0 || ageMs >= OTHERS_AGE_MS) {
      this.told = names.filter((name) => this.kindOf(name) !== 'none')
      const others = names.filter((name) => this.kindOf(name) === 'none')
      this.others = others.flatMap((name) => this.secretsOf(env[name], 'none'))
      this.names = all
      this.readAtMs = Date.now()
    }
    return [...this.told.flatMap((name) => this.secretsOf(env[name], this.kindOf(name))), ...this.others]
  }

  private kindOf(name: string): NameKind {
    return remembered(this.kinds, name, () => nameKind(name))
  }

  private secretsOf(value = '', kind: NameKind): readonly string[] {
    return remembered(this.found, `${kind} ${value}`, () => secretsIn(value, kind))
  }
}

function remembered<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key)
  if (before !== undefined) return before
  const found = find()
  if (known.size >= MAX_REMEMBERED) known.clear()
  known.set(key, found)
  return found
}
