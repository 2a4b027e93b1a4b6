/** What a reader of one form tells. */
export interface FieldSink {
  begin(key: string): void
  text(text: string): void
  end(): void
  /** From here on, the text of this field may be meant in another way. */
  doubt(): void
  /** It is not: the text is sure up to here. */
  settle(): void
}

/** Takes the pieces of a reply, from where its form was recognised. */
export type FormReader = (piece: string) => void
