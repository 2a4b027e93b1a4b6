import type { ResumeChange } from './event.ts'

/** How many blocks a text names. */
const MAX_NAMED = 5

/** `the prompt fractal/think of blocks 1, 1-2` */
export function changeText(change: ResumeChange): string {
  const blocks = blocksText(change.blocks)
  if (change.what === 'prompt') return `the prompt ${change.kind} of ${blocks}`
  const role = change.role === undefined ? '' : ` of ${change.role}`
  return `the model${role} of ${blocks}, from ${change.was} to ${change.is}`
}

/** `block 1`, or `blocks 1, 1-1, … and 12 more`. */
export function blocksText(paths: readonly string[]): string {
  const { named, more } = namedBlocks(paths)
  return `block${paths.length === 1 ? '' : 's'} ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

/** Those that a text names, and how many others there are. */
export function namedBlocks(paths: readonly string[]): { named: readonly string[]; more: number } {
  return { named: paths.slice(0, MAX_NAMED), more: Math.max(0, paths.length - MAX_NAMED) }
}
