// What crosses between a database and its thread: one request at a time, each with one answer.
import type { SqlValue } from '@playhead/sdk'

export interface ThreadSettings {
  readonly file: string
  readonly readOnly: boolean
  /** File of the module whose functions can be called. */
  readonly module: string | null
  /**
   * Where compiled modules are kept, so that the thread needs no memory for compiling its own; null where nothing is
   * kept.
   */
  readonly compileCache: string | null
}

export type ThreadRequest =
  | { readonly kind: 'run'; readonly sql: string; readonly values: readonly unknown[] }
  /** The statement once for each row of values. */
  | { readonly kind: 'many'; readonly sql: string; readonly rows: readonly (readonly SqlValue[])[] }
  /** One after the other, without values and rows. */
  | { readonly kind: 'all'; readonly statements: readonly string[] }
  /** A function of the module. */
  | { readonly kind: 'call'; readonly name: string; readonly argument: unknown }
  /** The next rows of the statement before. */
  | { readonly kind: 'more' }
  /** Ends a transaction without result; SQLite may have ended it by itself, after a full disk for example. */
  | { readonly kind: 'rollback' }
  | { readonly kind: 'close' }

/** What SQLite said, with its codes. */
export interface ThreadFailure {
  readonly message: string
  readonly code?: unknown
  readonly errcode?: unknown
  readonly errstr?: unknown
}

export type ThreadAnswer =
  /** `more`: there are further rows, to be asked for. */
  | {
      readonly kind: 'rows'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly SqlValue[])[]
      readonly more: boolean
    }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'done'; readonly changes: bigint; readonly insertId: bigint }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure }
