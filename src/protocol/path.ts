/**
 * A path is a block's place in its run: `1` is the root, `1-2` its second child, `1-2#2` the second attempt at that
 * child, `1-2#2-1` the first child of that attempt.
 */
export const ROOT_PATH = '1'

const SEGMENT = String.raw`[1-9]\d*(?:#(?:[2-9]|[1-9]\d+))?`
const PATH = new RegExp(`^${SEGMENT}(?:-${SEGMENT})*$`)

export function isPath(text: string): boolean {
  return PATH.test(text)
}

export function childPath(parent: string, index: number): string {
  return `${parent}-${index}`
}

/** The path of attempt `attempt` at the same place; attempt 1 is the place itself. */
export function attemptPath(path: string, attempt: number): string {
  const place = placeOf(path)
  return attempt === 1 ? place : `${place}#${attempt}`
}

/** A path without its own attempt mark; those of its ancestors stay. */
export function placeOf(path: string): string {
  const mark = path.indexOf('#', path.lastIndexOf('-') + 1)
  return mark === -1 ? path : path.slice(0, mark)
}

export function attemptOf(path: string): number {
  const place = placeOf(path)
  return place === path ? 1 : Number(path.slice(place.length + 1))
}

export function parentPath(path: string): string | null {
  const dash = path.lastIndexOf('-')
  return dash === -1 ? null : path.slice(0, dash)
}

/** The root is level 0. */
export function levelOf(path: string): number {
  let level = 0
  for (let i = path.indexOf('-'); i !== -1; i = path.indexOf('-', i + 1)) level++
  return level
}

export function isInside(path: string, ancestor: string): boolean {
  return path.startsWith(ancestor) && (path.length === ancestor.length || path[ancestor.length] === '-')
}
