/** The server of a connection string, as the driver `pg` finds it: the query's last `host` and `port` win over those of the address. */
export interface PostgresPlace {
  /** With the port; empty if it is not valid. */
  readonly host: string
  /** `postgres://host:port/database` without user, password and query, which may be secret. */
  readonly address: string
}

const NOT_VALID: PostgresPlace = { host: '', address: 'a connection string that is not valid' }

/** Never throws. */
export function postgresPlace(text: string): PostgresPlace {
  const url = /^postgres(?:ql)?:\/\//i.test(text) ? URL.parse(encoded(text)) : null
  // Of a password with a slash in it, the rest would be taken for the database: postgres://me:1/2@host/runs
  if (url === null || (url.username === '' && url.href.includes('@'))) return NOT_VALID
  const last = (name: string) => url.searchParams.getAll(name).at(-1)
  const name = last('host') || decoded(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost'
  if (/[[\]]/.test(name)) return NOT_VALID
  const port = last('port') || url.port || '5432'
  const host = `${name.includes(':') ? `[${name}]` : name}:${port}`
  return { host, address: `postgres://${host}${url.pathname}` }
}

/** The driver encodes a whole text that has a space or an incomplete escape, also the escapes in it. */
function encoded(text: string): string {
  const isIncomplete = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i.test(text)
  return isIncomplete ? encodeURI(text.toWellFormed()).replace(/%25(\d\d)/g, '%$1') : text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
