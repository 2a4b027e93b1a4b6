import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { clusterSettings } from '../../src/config/cluster-settings.ts'
import { checkSchema } from '../../src/schema/check-schema.ts'
import { compose, kubernetes } from './shapes.ts'

const folder = join(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

interface Container {
  env?: { name: string; value?: string; valueFrom?: object }[]
}
interface Kubernetes {
  kind: string
  metadata: { name: string }
  spec: {
    selector?: { matchLabels: Record<string, string> }
    template: {
      metadata: { labels: Record<string, string> }
      spec: { terminationGracePeriodSeconds?: number; containers: Container[] }
    }
  }
}

const manifests = readdirSync(join(folder, 'kubernetes')).flatMap((file) =>
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => {
    expect(document.errors).toEqual([])
    return [file, document.toJS() as Kubernetes] as const
  }),
)
const composed = parse(read('compose.yaml')) as {
  services: Record<string, { environment: Record<string, string>; stop_grace_period?: string }>
}

it('compose.yaml is one', () => {
  expect(checkSchema(composed, compose)).toEqual([])
  expect(checkSchema({ ...composed, service: {} }, compose)).not.toEqual([])
})

it.each(manifests.map(([file, one]) => [`${file}: ${one.kind} ${one.metadata.name}`, one]))(
  '%s is one',
  (_, one) => {
    const schema = kubernetes[one.kind]
    expect(schema, one.kind).toBeDefined()
    expect(checkSchema(one, schema as Record<string, unknown>)).toEqual([])
  },
)

it('pods have the labels that they are selected by', () => {
  const sets = manifests.filter(([, { kind }]) => ['Deployment', 'StatefulSet'].includes(kind))
  expect(sets).toHaveLength(1)
  for (const [, { spec }] of sets)
    expect(spec.template.metadata.labels).toMatchObject(spec.selector?.matchLabels as object)
})

const workers = manifests.find(
  ([file, { kind }]) => file === 'workers.yaml' && kind === 'Deployment',
)?.[1] as Kubernetes

function workerEnvs(): [string, Record<string, string>][] {
  const [container] = workers.spec.template.spec.containers as [Container]
  const fromKubernetes = Object.fromEntries(
    (container.env ?? []).map(({ name, value = 'postgres://from-a-secret/thinkon' }) => [name, value]),
  )
  return [
    ['kubernetes', fromKubernetes],
    ['compose', { ...composed.services.worker?.environment, POSTGRES_PASSWORD: 'secret' }],
  ]
}

it.each(workerEnvs())('the workers of %s are told all that they need, by names that exist', (_, env) => {
  const { postgres, version } = clusterSettings({ config: {}, workspace: folder, env })
  expect(postgres).toMatch(/^postgres:\/\/[^$]+$/)
  expect(version).toBe('1')
})

it('passwords and keys are in no file', () => {
  for (const { env = [] } of workers.spec.template.spec.containers)
    for (const one of env)
      if (/POSTGRES|API_KEY/.test(one.name)) expect(one.valueFrom, one.name).toBeDefined()
  for (const [name, value] of Object.entries(composed.services.worker?.environment ?? {}))
    if (/POSTGRES|API_KEY/.test(name)) expect(value, name).toMatch(/\$\{/)
})

it('workers are given longer to end than they take at most', () => {
  const { drainMs } = clusterSettings({ config: {}, workspace: folder, env: workerEnvs()[0]?.[1] ?? {} })
  expect(workers.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainMs / 1_000)
  expect(composed.services.worker?.stop_grace_period).toBe(`${drainMs / 60_000 + 1}m`)
})
