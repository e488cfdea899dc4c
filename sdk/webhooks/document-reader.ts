/** Takes a body in chunks. */
export interface DocumentReader {
  write(chunk: Buffer): void
  /** The bytes of the document; null without one. */
  end(): Promise<Uint8Array | null | 'parse_error' | 'too_large'>
}
