// A capture: a file with all rows of an account in one feature, or a bundle of such files.
import type { Feature } from '@playhead/sdk'

export const FEATURES_CAPTURED = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Feature[]
export type CapturedFeature = (typeof FEATURES_CAPTURED)[number]
/** `all`: a bundle. */
export type CaptureFeature = CapturedFeature | 'all'

/** Why a capture was made. Retention deletes only scheduled ones. */
export type Trigger = 'manual' | 'schedule' | 'pre_restore' | 'pre_clear'

export const SCHEMA_VERSION = 2

export interface Stats {
  readonly feature: CaptureFeature
  readonly count: number
  /** Items that share a row with another item; always 0 since version 2. */
  readonly collapsed?: number
  /** Sorted by count, descending. */
  readonly by_type?: Readonly<Record<string, number>>
  /** For bundles: rows by feature. */
  readonly features?: Readonly<Record<string, number>>
}

interface CaptureScope {
  readonly plays: boolean
  readonly libraries: readonly string[]
}

/** The first line of a file. */
export interface CaptureHeader {
  readonly kind: 'snapshot' | 'snapshot_bundle'
  readonly schema_version: typeof SCHEMA_VERSION
  /** ISO 8601, UTC. */
  readonly created_at: string
  readonly provider: string
  readonly instance: string
  readonly feature: CaptureFeature
  readonly label: string
  readonly trigger: Trigger
  /** The schedule job that created the capture. */
  readonly job_id?: string
  /** Set in files that belong to a bundle. */
  readonly bundle_path?: string
  readonly svc_version: string
}

export type BundleChild =
  | { readonly feature: CapturedFeature; readonly path: string; readonly stats: Stats }
  | { readonly feature: CapturedFeature; readonly error: string }

/** The last line of a file. A file without it is torn. */
export interface CaptureEnd {
  readonly kind: 'end'
  /** Copied from the header, so that a list only reads the end of a file. */
  readonly header: CaptureHeader
  readonly complete: boolean
  readonly count: number
  readonly stats: Stats
  /** SHA-256 of all preceding lines, including line feeds; hexadecimal. */
  readonly sha256: string
  /** Hash of the account's identity, equal for the same account. */
  readonly account?: string
  readonly scope?: CaptureScope
  /** Number of rows that the service announced; null if it announces none. */
  readonly expected_count?: number | null
  /** Number of rows of the previous read; null if there was none. */
  readonly known_count?: number | null
  /** `empty_read`, `shrunk_read`: the service may have hidden rows. */
  readonly doubt?: string | null
  /** Rows that could not be identified. */
  readonly unreadable?: number
  readonly children?: readonly BundleChild[]
  /** Number of rows before each compressed member of rows, and its position in the file, in bytes. */
  readonly members: readonly (readonly [row: number, offset: number])[]
}

export interface CaptureRow {
  readonly key: string
  readonly item: Readonly<Record<string, unknown>>
}

/** The index entry of a file. */
export interface CaptureEntry {
  readonly path: string
  readonly size: number
  /** Epoch seconds. */
  readonly mtime: number
  /** `YYYYMMDDTHHMMSSZ` */
  readonly stamp: string
  /** `broken`: no capture, or a torn one. */
  readonly kind: 'single' | 'bundle' | 'broken'
  readonly format: 1 | 2
  readonly header: Omit<CaptureHeader, 'schema_version' | 'svc_version'>
  readonly count: number
  readonly stats: Stats
  /** False if rows may be missing. Null if the file format does not contain this. */
  readonly complete: boolean | null
  readonly account: string | null
  readonly scope: CaptureScope | null
  readonly doubt: string | null
  readonly unreadable: number
  readonly children: readonly BundleChild[]
}
