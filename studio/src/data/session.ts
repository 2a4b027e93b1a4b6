/**
 * The session of this page, which its requests send in a header. It is opened with the code of the address, or with a token that a person
 * enters, and kept in the storage of the origin: unlike a cookie it reaches no other port.
 */
import { useSyncExternalStore } from 'react'

const base = new URL('.', location.href)
const KEY = `thinkon-session ${base.pathname}`

let isSignedOut = false
let entering = enterByAddress()
const listeners = new Set<() => void>()

/** Requests of the session. An answer that needs a token ends it. */
export async function sessionFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  await entering
  const session = localStorage.getItem(KEY)
  const headers = new Headers(init?.headers)
  if (session !== null) headers.set('authorization', `Bearer ${session}`)
  const response = await fetch(input, { ...init, headers })
  if (response.status === 401) setSignedOut(true)
  return response
}

/** Opens a session with a token. False if the token is wrong. */
export async function signIn(token: string): Promise<boolean> {
  const opened = open({ headers: { authorization: `Bearer ${token}` } })
  entering = opened.then(() => {})
  const isOpen = await opened.catch(() => false)
  if (isOpen) setSignedOut(false)
  return isOpen
}

export function useSignedOut(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isSignedOut,
  )
}

function setSignedOut(value: boolean): void {
  isSignedOut = value
  for (const listener of listeners) listener()
}

/** The code leaves the address bar at once. */
async function enterByAddress(): Promise<void> {
  const address = new URL(location.href)
  const code = address.searchParams.get('code')
  if (code === null) return
  address.searchParams.delete('code')
  history.replaceState(null, '', address)
  // A code that was used before leaves the session as it is.
  await open({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) }).catch(
    () => {},
  )
}

async function open(init: RequestInit): Promise<boolean> {
  const response = await fetch(new URL('api/session', base), { method: 'POST', ...init })
  if (!response.ok) return false
  const { session } = (await response.json()) as { session: string }
  localStorage.setItem(KEY, session)
  return true
}
