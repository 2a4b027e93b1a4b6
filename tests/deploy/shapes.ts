// JSON Schemas of the files under deploy/: of what Compose and Kubernetes know, the part that is used there, and nothing else is allowed,
// so that a key with a slip of the pen is found.

type Schema = Record<string, unknown>

const text: Schema = { type: 'string', minLength: 1 }
const whole: Schema = { type: 'integer', minimum: 0 }
const flag: Schema = { type: 'boolean' }
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const list = (items: Schema): Schema => ({ type: 'array', minItems: 1, items })
const map = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties })
const shape = (
  properties: Record<string, Schema>,
  required: readonly string[] = Object.keys(properties),
): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const some = (properties: Record<string, Schema>, required: readonly string[] = []): Schema =>
  shape(properties, required)

// --- Compose

const duration: Schema = { type: 'string', pattern: '^(\\d+(ms|s|m|h))+$' }
const composeService = some(
  {
    image: { type: 'string', pattern: '^[\\w./-]+:[\\w.-]+$' },
    build: some({ context: text, dockerfile: text }, ['context']),
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
    environment: texts,
    volumes: list({ type: 'string', pattern: '^[\\w./-]+:[\\w./-]+(:ro)?$' }),
    ports: list({ type: 'string', pattern: '^[\\d.]+:\\d+:\\d+$' }),
    healthcheck: some({ test: list(text), interval: duration, timeout: duration, retries: whole }, ['test']),
    depends_on: {
      anyOf: [
        list(text),
        map(
          shape({
            condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] },
          }),
        ),
      ],
    },
    stop_grace_period: duration,
  },
  ['restart'],
)
export const compose = shape({ name: text, services: map(composeService), volumes: map(some({})) })

// --- Kubernetes

const metadata = some({ name: { type: 'string', pattern: '^[a-z0-9-]{1,63}$' }, labels: texts }, ['name'])
const selector = shape({ matchLabels: texts })
const quantity: Schema = { type: 'string', pattern: '^\\d+(m|Mi|Gi)?$' }
const resources = some({ requests: map(quantity), limits: map(quantity) })
const env = {
  anyOf: [
    shape({ name: text, value: { type: 'string' } }),
    shape({ name: text, valueFrom: shape({ secretKeyRef: shape({ name: text, key: text }) }) }),
  ],
}
const container = some(
  {
    name: text,
    image: { type: 'string', pattern: '^[\\w./-]+:[\\w.-]+$' },
    env: list(env),
    resources,
    securityContext: some({ runAsNonRoot: flag, allowPrivilegeEscalation: flag }),
  },
  ['name', 'image', 'resources'],
)
const pod = some({ terminationGracePeriodSeconds: whole, containers: list(container) }, ['containers'])
const template = shape({ metadata: shape({ labels: texts }), spec: pod })
const object = (apiVersion: string, kind: string, spec: Schema) =>
  shape({ apiVersion: { const: apiVersion }, kind: { const: kind }, metadata, spec })

export const kubernetes: Readonly<Record<string, Schema>> = {
  Deployment: object(
    'apps/v1',
    'Deployment',
    some(
      {
        replicas: whole,
        selector,
        strategy: shape({ rollingUpdate: shape({ maxUnavailable: whole, maxSurge: whole }) }),
        template,
      },
      ['replicas', 'selector', 'template'],
    ),
  ),
  NetworkPolicy: object(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    shape({
      podSelector: selector,
      policyTypes: list({ enum: ['Ingress', 'Egress'] }),
    }),
  ),
}
