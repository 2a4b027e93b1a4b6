/** Around what an effect gets: passes on which step it is, and its signal, which is made when somebody looks at it. */
export class AroundIo<
  Io extends {
    readonly run?: string | undefined
    readonly path: string
    readonly n: number
    readonly signal: AbortSignal
  },
> {
  protected readonly io: Io

  constructor(io: Io) {
    this.io = io
  }

  get run(): Io['run'] {
    return this.io.run as Io['run']
  }

  get path(): string {
    return this.io.path
  }

  get n(): number {
    return this.io.n
  }

  get signal(): AbortSignal {
    return this.io.signal
  }
}
