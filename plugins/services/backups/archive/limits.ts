// How much an archive may ask for.
export interface Limits {
  /** Bytes of the archive. */
  readonly archiveBytes: number
  /** Bytes of its files, unpacked. */
  readonly totalBytes: number
}

export const MAX_MEMBERS = 100_000
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024
