// Types shared by the main thread and the thread of the backups.
import { capability } from '@playhead/sdk'
import type { Manifest } from './manifest.ts'
import type { Reading, ReadOrder } from './read.ts'
import type { WriteOrder, Written } from './write.ts'

/** Progress reports of the thread. */
export const PROGRESS = capability<{ packed(bytes: number): void }>('backups:progress')

export interface ArchiveFacts {
  /** Path relative to the folder of backups, with forward slashes. */
  readonly path: string
  readonly size: number
  readonly modifiedAtMs: number
  /** The manifest without its list of files; null if there is none. */
  readonly manifest: Header | null
}
export type Header = Omit<
  Manifest,
  'files' | 'db_schema_versions' | 'plugins' | 'warnings' | 'groups' | 'kind' | 'database_snapshots'
> & { readonly encrypted: boolean }

export interface ArchiveThread {
  write(order: WriteOrder, signal: AbortSignal): Promise<Written>
  read(order: ReadOrder, signal: AbortSignal): Promise<Reading>
  /** All archives below a folder, newest file first. @param known facts of an earlier call, used for unchanged files */
  list(folder: string, known: readonly ArchiveFacts[]): Promise<readonly ArchiveFacts[]>
  /** Facts of one archive; null if it does not exist. */
  facts(folder: string, path: string): Promise<ArchiveFacts | null>
  /** Content of a small file; null if it is missing. */
  readText(file: string): Promise<string | null>
  /** Creates a folder. */
  makeFolder(folder: string): Promise<void>
  /** Moves a file; creates the folder of the target. */
  move(from: string, to: string): Promise<void>
  /** Removes a file, and its folder if that is then empty. */
  remove(file: string): Promise<void>
  /** Removes a folder with everything in it. */
  clear(folder: string): Promise<void>
}
