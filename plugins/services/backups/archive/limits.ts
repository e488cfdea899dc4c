export interface Limits {
  /** Maximum size of the archive in bytes. */
  readonly archiveBytes: number
  /** Maximum unpacked size of its files in bytes. */
  readonly totalBytes: number
}

export const MAX_MEMBERS = 100_000
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024
