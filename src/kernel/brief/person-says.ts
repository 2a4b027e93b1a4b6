/** A person's words are instructions, and are marked as theirs (B7). */
export function personSays(message: string): string {
  return `The person says: ${message}`
}
