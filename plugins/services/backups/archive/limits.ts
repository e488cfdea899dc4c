// How much an archive may ask for.
export interface Limits {
  /** Bytes of the archive. */
  readonly archiveBytes: number
  /** Bytes of its files, unpacked. */
  readonly totalBytes: number
}

export const MAX_MEMBERS = 100_000
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024
export const MAX_RATIO = 200
/** Below this a member may be packed better: pages of a new database are almost empty. */
export const RATIO_FROM_BYTES = 1024 * 1024
export const MAX_PATH_LENGTH = 512
export const MAX_DEPTH = 16
/** The directory of the archive, which is read at once. */
export const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024

/** Why a member's name is refused; undefined for a good one. */
export function problemOfName(name: string): 'unsafe_path' | 'path_too_long' | undefined {
  if (name.length > MAX_PATH_LENGTH || name.split('/').length > MAX_DEPTH) return 'path_too_long'
  const isUnsafe =
    name === '' ||
    name.startsWith('/') ||
    name.includes('\\') ||
    /^[A-Za-z]:|[\u0000-\u001f\u007f]/.test(name) ||
    name.split('/').some((part) => part === '' || part === '.' || part === '..')
  return isUnsafe ? 'unsafe_path' : undefined
}
