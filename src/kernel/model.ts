/** The model port. A model is a function from request to reply; everything else about it is the adapter's business. */
import type { ModelReply, ModelRequest, Reserve, RetryNote, ThinkonError, Usage } from '../protocol/index.ts'

export interface Model {
  /** The spec or name under which the journal knows it. */
  readonly id: string
  /**
   * Must heed `io.signal`. Throws a ThinkonError; `retryable` ones were retried already. MODEL_OUTAGE: the same request may
   * succeed once somebody has acted or some time has passed, so the run waits instead of taking the error for a result.
   */
  call(request: ModelRequest, io: ModelIo): Promise<ModelReply>
  /** The context window in tokens, where it is known: half of it, at most 48,000, is what a request may carry. */
  readonly window?: number
  /** The user's cap on a reply in tokens: a request may ask for less. It is reserved, and it is what the provider is told. */
  readonly maxOutputTokens?: number
  /**
   * What the model may think before it answers. It is reserved on top of the cap of every reply, and since providers count it
   * within the cap, the model adds it to `maxOutputTokens` of a request when it tells its provider.
   */
  readonly thinkingTokens?: number
  /** The most bytes of a reply, with what was thought and the arguments of calls: 4 MiB unless given. */
  readonly maxReplyBytes?: number
  /** A person answers: the kernel puts each request as a question, and `call` reads what `io.answers` has. See person-calls.ts. */
  readonly asksPerson?: true
  /** Why this model can't work on a goal at all; asked before a run is begun. */
  refusal?(goal: string): ThinkonError | null
  /** Its calls cost nothing: a limit of cost needs no `cost`. */
  readonly free?: true
  /** The models of a list; the next one answers while the first is out. */
  readonly alternatives?: readonly Model[]
  /** What tokens cost, where a price is known: used to reserve before a call and to fill in what a reply leaves out. */
  cost?(usage: Omit<Usage, 'calls'>): number
}

export interface ModelIo {
  /** Whose call it is. The kernel always says; whoever calls a model by hand need not. */
  readonly run?: string | undefined
  /** The run's: for a model that draws by chance itself, where a request has no seed of its own. */
  readonly seed?: string | undefined
  /** Which step this is: the block's path, and the operation's number in it. */
  readonly path: string
  readonly n: number
  readonly signal: AbortSignal
  /** What a person has answered, where one is the model. */
  readonly answers?: readonly unknown[] | undefined
  onDelta(text: string): void
  /** Text of the reply that nobody is shown, such as reasoning and the arguments of calls: it counts towards its maximum size. */
  onHidden?(text: string): void
  /** Tells whoever watches that an attempt failed and another follows. */
  onRetry?(note: RetryNote): void
  /** One paid ask of several that make up this call; see EffectIo. */
  part<T>(run: () => Promise<{ value: T; usage: Omit<Usage, 'calls'> }>, reserve?: Reserve): Promise<T>
}
