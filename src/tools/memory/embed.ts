/** A vector for each text, all of the same length. The signal says that they are no longer needed. */
export type Embed = (
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly (readonly number[])[]>
