import type { Document, Scalar } from 'yaml'

type Yaml = Pick<typeof import('yaml'), 'visit' | 'isScalar'>

/**
 * The keys of a YAML document that come a second time in their mapping. For documents that were parsed with `uniqueKeys: false`: the
 * parser compares every key with every other, which takes a minute for 30,000.
 */
export function duplicateKeys({ visit, isScalar }: Yaml, document: Document): Scalar[] {
  const found: Scalar[] = []
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) found.push(key)
        seen.add(key.value)
      }
    },
  })
  return found
}
