/** The positions of a configuration's keys and values in its file. */
export type Path = readonly (string | number)[]

export interface Position {
  /** Offsets in the text. A list item has no key. */
  readonly key?: number
  readonly value: number
}

export interface LineColumn {
  readonly line: number
  readonly column: number
}

export class Positions {
  private readonly byPath = new Map<string, Position>()

  set(path: Path, position: Position): void {
    this.byPath.set(JSON.stringify(path), position)
  }

  has(path: Path): boolean {
    return this.byPath.has(JSON.stringify(path))
  }

  /** Paths with the offsets of their values; what contains others comes first. */
  entries(): [path: Path, value: number][] {
    return [...this.byPath].map(([path, { value }]) => [JSON.parse(path), value])
  }

  /** The offset of the value or of its key; of the closest parent if it is not there; undefined if nothing is known. */
  offsetOf(path: Path, atKey: boolean): number | undefined {
    for (let length = path.length; length >= 0; length--) {
      const position = this.byPath.get(JSON.stringify(path.slice(0, length)))
      if (position !== undefined)
        return atKey && length === path.length ? (position.key ?? position.value) : position.value
    }
    return undefined
  }
}

export function lineColumn(text: string, offset: number): LineColumn {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}
