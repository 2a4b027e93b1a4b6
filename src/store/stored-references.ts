/**
 * The hashes that stand in a stored text: a body, a link of a chain. They are found by how they look, so that a text of a user's may look
 * like one, which keeps a blob that nothing needs; one that is needed is never missed. What is found here is what Texts, MessageChains
 * and EventCodec write, of any version: a reference with its mark, or a hash that is a string of its own.
 */
export function referencesIn(stored: string): string[] {
  const found: string[] = []
  for (const [, marked, alone] of stored.matchAll(REFERENCE)) found.push((marked ?? alone) as string)
  return found
}

const REFERENCE = /¶[tpj]([\w-]{24})|"([\w-]{24}|[\da-f]{64})"/g
