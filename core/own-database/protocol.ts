// Messages between a database and its thread: one request at a time, with one answer each.
import type { SqlValue } from '@playhead/sdk'

export interface ThreadSettings {
  /** Path of the module that the thread runs. */
  readonly thread: string
  readonly file: string
  readonly readOnly: boolean
  /** Path of the module with callable functions. */
  readonly module: string | null
  /** Set on each connection. */
  readonly pragmas: readonly string[]
  /** The file was found to be readable before. */
  readonly isChecked: boolean
  /** Compile cache folder, which saves memory on the thread; null for none. */
  readonly compileCache: string | null
}

export type ThreadRequest =
  | { readonly kind: 'run'; readonly sql: string; readonly values: readonly unknown[] }
  /** One statement per row of values. */
  | { readonly kind: 'many'; readonly sql: string; readonly rows: readonly (readonly SqlValue[])[] }
  /** Several statements without values and rows. */
  | { readonly kind: 'all'; readonly statements: readonly string[] }
  /** Calls a function of the module. */
  | { readonly kind: 'call'; readonly name: string; readonly argument: unknown }
  /** The next rows of the previous statement. */
  | { readonly kind: 'more' }
  /** Ends a transaction; SQLite may already have rolled it back, for example on a full disk. */
  | { readonly kind: 'rollback' }
  | { readonly kind: 'close' }

/** A SQLite error with its codes. */
export interface ThreadFailure {
  readonly message: string
  readonly code?: unknown
  readonly errcode?: unknown
  readonly errstr?: unknown
}

export type ThreadAnswer =
  /** `more`: further rows are available. */
  | {
      readonly kind: 'rows'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly SqlValue[])[]
      readonly more: boolean
    }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'done'; readonly changes: bigint; readonly insertId: bigint }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure }
