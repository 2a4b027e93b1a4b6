const MAX_TEXTS = 1_024
const MAX_CHARS = 4 * 1024 * 1024

/** A map of texts that forgets everything when it has grown too large. */
export class RecentTexts {
  private readonly texts = new Map<string, string>()
  private chars = 0

  has(key: string): boolean {
    return this.texts.has(key)
  }

  get(key: string): string | undefined {
    return this.texts.get(key)
  }

  set(key: string, text: string): void {
    if (this.texts.size >= MAX_TEXTS || this.chars >= MAX_CHARS) this.clear()
    this.texts.set(key, text)
    this.chars += key.length + text.length
  }

  clear(): void {
    this.texts.clear()
    this.chars = 0
  }
}
