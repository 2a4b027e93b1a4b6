/** The webhooks of a configuration, with addresses and secrets from the environment. Secrets are in no message. */
import { ThinkonError } from '../protocol/index.ts'
import { type ThinkonConfig, WEBHOOK_EVENTS, type WebhookEvent } from './config.ts'
import { type Environment, fillVariables } from './fill-variables.ts'

export interface WebhookSettings {
  readonly url: string
  /** The bytes of each. */
  readonly secrets: readonly Uint8Array[]
  readonly events: readonly WebhookEvent[]
  readonly content: boolean
}

export function webhookSettings(
  { webhooks = [] }: Pick<ThinkonConfig, 'webhooks'>,
  env: Environment = process.env,
): WebhookSettings[] {
  const settings = webhooks.map(({ url, secret, events = WEBHOOK_EVENTS, content = false }, index) => {
    const key = `webhooks[${index}]`
    const given = typeof secret === 'string' ? [secret] : secret
    return {
      url: address(fillVariables(url, env, `${key}.url`), key),
      secrets: given.map((text) => bytesOf(fillVariables(text, env, `${key}.secret`), key)),
      events,
      content,
    }
  })
  const twice = settings.find(({ url }, index) => settings.findIndex((one) => one.url === url) !== index)
  if (twice !== undefined) throw bad(`webhooks: two of them have the same url: give its events in one`)
  return settings
}

function address(text: string, key: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw bad(`${key}.url must be an address that begins with http:// or https://`)
  if (url.username !== '' || url.password !== '')
    throw bad(`${key}.url has a name or a password in it: webhooks are signed instead; take it out`)
  return url.href
}

const LEAST_BYTES = 24
const MOST_BYTES = 64

function bytesOf(text: string, key: string): Uint8Array {
  const base64 = text.replace(/^whsec_/, '')
  const bytes = Buffer.from(base64, 'base64')
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(base64)
  if (isBase64 && bytes.length >= LEAST_BYTES && bytes.length <= MOST_BYTES) return bytes
  throw bad(
    `${key}.secret must be ${LEAST_BYTES} to ${MOST_BYTES} bytes in base64, with or without "whsec_" before them: make one with node -p "'whsec_'+crypto.randomBytes(32).toString('base64')"`,
  )
}

function bad(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message)
}
