/** A recorded model by the names of the GenAI conventions. */
import { type Attributes, attributesOf } from './trace-span.ts'

/** Providers whose names are others there. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  azure: 'azure.ai.openai',
  'amazon-bedrock': 'aws.bedrock',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
  gguf: 'llama.cpp',
  embedded: 'thinkon',
}

/** They answer in this process. */
const LOCAL = new Set(['gguf', 'embedded', 'replay', 'module'])

export interface NamedModel {
  readonly name: string
  readonly isLocal: boolean
  readonly attributes: Attributes
}

/** Of several, the first: the others answer while it is out, and a reply says so. */
export function namedModel(specs: string): NamedModel {
  const spec = specs.split(',')[0] ?? ''
  if (/^https?:/i.test(spec) && URL.canParse(spec)) return addressed(new URL(spec))
  const [, provider = '', rest = spec] = /^([\w.-]+):([\s\S]*)$/.exec(spec) ?? []
  const isLocal = LOCAL.has(provider)
  // A file is named without its folder, which says more of a machine than of a model.
  const name = isLocal ? (rest.split(/[\\/]/).at(-1) ?? rest) : rest
  return { name, isLocal, attributes: modelAttributes(providerName(provider), name) }
}

/** `openai.responses:gpt-5` is how a model object of the AI SDK calls itself. */
function providerName(given: string): string {
  const provider = given.split('.')[0] ?? ''
  return PROVIDERS[provider] ?? (provider === '' ? 'custom' : provider)
}

/** Whoever speaks OpenAI's protocol at this address. */
function addressed({ hash, hostname, port, protocol }: URL): NamedModel {
  const name = decodeURIComponent(hash.slice(1))
  const usual = protocol === 'https:' ? 443 : 80
  return {
    name,
    isLocal: false,
    attributes: attributesOf({
      ...modelAttributes('openai_compatible', name),
      'server.address': hostname,
      'server.port': port === '' ? usual : Number(port),
    }),
  }
}

function modelAttributes(provider: string, name: string): Attributes {
  return attributesOf({
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': name === '' ? undefined : name,
  })
}
