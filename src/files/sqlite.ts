/** `node:sqlite`, without the warning that it is experimental: Node 22 gives it when the module is loaded. All other warnings are left alone. */
import { type Registration, registerDatabase } from './open-databases.ts'

const sqlite = withoutItsWarning(() => process.getBuiltinModule('node:sqlite'))

/** Registers its files while it is open, so that nothing else in this process opens them (open-databases.ts). */
export class DatabaseSync extends sqlite.DatabaseSync {
  private readonly registration: Registration

  constructor(...args: ConstructorParameters<typeof sqlite.DatabaseSync>) {
    super(...args)
    this.registration = registerDatabase(args[0])
  }

  override exec(sql: string): void {
    super.exec(sql)
    this.registration.update()
  }

  override close(): void {
    super.close()
    this.registration.end()
  }
}

/** Waits up to `timeoutMs` for locks of other connections. Node 23 has no option for it. */
export function openDatabaseSync(path: string | URL, timeoutMs: number): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA busy_timeout = ${Math.max(0, Math.floor(timeoutMs))}`)
  return database
}

/** Does nothing if no transaction is open. Node 23 has no property for that. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {}
}

/** Only while the module is loaded, which takes one turn: nobody else says anything meanwhile. */
function withoutItsWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!/^SQLite is an experimental/.test(String(warning)))
      Reflect.apply(emitWarning, process, [warning, ...rest])
  }
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
