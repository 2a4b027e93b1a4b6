/** A vector for each text, all of one length. The signal says that they are not wanted any longer. */
export type Embed = (
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<readonly (readonly number[])[]>
