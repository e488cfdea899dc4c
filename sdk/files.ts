// Files of a plugin in the data directory.

export interface FileEntry {
  readonly name: string
  readonly isDir: boolean
  /** Bytes; files only. */
  readonly size?: number
}

/** Positions in a file, both included. */
export interface ByteRange {
  readonly start?: number
  readonly end?: number
}

/** Files below one folder of the data directory. Paths are relative; leaving the folder fails with `PLH_FORBIDDEN`. */
export interface FileArea {
  read(path: string): Promise<Buffer>
  /** @param range positions of the first and last byte; default: the whole file */
  readStream(path: string, range?: ByteRange): Promise<import('node:stream').Readable>
  /** Replaces the file atomically. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Writes a temporary file and renames it when the source has ended without an error. */
  writeStream(path: string, source: AsyncIterable<Uint8Array | string>): Promise<void>
  /**
   * Appends to a file, creating it if needed; resolves to the size on disk after fsync. `at` truncates the file to that
   * byte first, to repair an incomplete append. Throws `PLH_CONFLICT` when the file is shorter.
   */
  append(path: string, content: string | Uint8Array, at?: number): Promise<number>
  /** At most 5000 entries, sorted by name. Links are listed as files without size and never followed. */
  list(path?: string): Promise<readonly FileEntry[]>
  stat(
    path: string,
  ): Promise<{ readonly isDir: boolean; readonly size: number; readonly modifiedAtMs: number } | undefined>
  remove(path: string): Promise<boolean>
}

export interface PluginFiles extends FileArea {
  /** A shared folder declared in `needs.files`. */
  shared(folder: string): FileArea
  /** Lists `path` below the shared folders; needs `needs.listFiles`. `''` lists the folders themselves. */
  listShared(path: string): Promise<readonly FileEntry[]>
}
