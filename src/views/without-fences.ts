/** A text for people, without the lines that tell models where data from outside begins and ends. */
export function withoutFences(text: string): string {
  return text.replace(FENCES, '')
}

const FENCES = /^<\/?data-[0-9a-f]{12}(?: from="[^"\n]*")?>(?:\n|$)/gm
