/** The notes that `outline` leaves in the journal. Strategy and view share them: a changed shape does not compile. */
export interface OutlineNotes {
  'outline/split': { readonly parts: readonly string[] }
  'outline/refused': { readonly problems: readonly string[] }
}
