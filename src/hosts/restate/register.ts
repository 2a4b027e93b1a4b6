import { setTimeout as pause } from 'node:timers/promises'
import { ThinkonError } from '../../protocol/errors.ts'

const AGAIN_MS = 500
const REQUEST_MS = 10_000

/**
 * Tells the server where this version of the workers is: the address of a balancer when there are several workers. Every worker may do so
 * whenever it starts: an address that is known is not registered again. Never a worker's own address if there is more than one: all new
 * work would go there, and begun work would wait for it when it is gone.
 */
export async function registerVersion(admin: string, address: string, signal?: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(REQUEST_MS)
  const answer = await fetch(`${admin}/deployments`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: address, force: false }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((cause) => {
    signal?.throwIfAborted()
    throw unregistered(
      `no Restate server answers at ${admin}: start it, or give its admin address`,
      true,
      cause,
    )
  })
  if (!answer.ok) throw refusal(answer.status, await answer.text().catch(() => ''), admin, address)
}

/** Repeats it until the server has accepted it. `onWait` hears why that takes longer, once for each reason. */
export async function registerPatiently(
  admin: string,
  address: string,
  { signal, onWait }: { signal?: AbortSignal; onWait?: (why: string) => void } = {},
): Promise<void> {
  let told = ''
  for (;;) {
    try {
      return await registerVersion(admin, address, signal)
    } catch (thrown) {
      if (!ThinkonError.isInstance(thrown) || !thrown.retryable) throw thrown
      if (thrown.message !== told) onWait?.(thrown.message)
      told = thrown.message
    }
    await pause(AGAIN_MS, undefined, { ...(signal && { signal }) })
  }
}

function refusal(status: number, text: string, admin: string, address: string): ThinkonError {
  const said = shortened(text)
  if (status === 409)
    return unregistered(
      `other services are registered at ${address}: set another cluster.version (${said})`,
      false,
    )
  if (status === 401 || status === 403)
    return unregistered(`the Restate server at ${admin} refuses access (${said})`, false)
  if (said.includes('401 Unauthorized'))
    return unregistered(
      `the workers at ${address} refuse the Restate server at ${admin}: give its public key (cluster.identityKeys), which it says in its log at start`,
      true,
    )
  return unregistered(
    `the Restate server at ${admin} does not accept the workers at ${address} (${said})`,
    true,
  )
}

function unregistered(message: string, retryable: boolean, cause?: unknown): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, { retryable, ...(cause !== undefined && { cause }) })
}

function shortened(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > 300 ? `${flat.slice(0, 299)}…` : flat
}
