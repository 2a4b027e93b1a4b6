/** The notes that `outline` writes to the journal. Strategy and view share the types, so that a changed shape does not compile. */
export interface OutlineNotes {
  'outline/split': { readonly parts: readonly string[] }
  'outline/refused': { readonly problems: readonly string[] }
}
