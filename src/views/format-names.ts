/** The formats of every run. */
export const FORMATS: readonly string[] = ['mermaid', 'dot', 'svg', 'json', 'md']
