/** The scheme of Standard Webhooks (standardwebhooks.com): an HMAC of id, time and body with each of the receiver's secrets. */
import { createHmac } from 'node:crypto'

export interface Signed {
  readonly id: string
  readonly body: string
  readonly secrets: readonly Uint8Array[]
}

export function signatureHeaders({ id, body, secrets }: Signed, nowMs: number): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1_000)
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
