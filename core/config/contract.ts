// The configuration service as the rest of the core uses it.
import { PlayheadError } from '@playhead/sdk'
import type { TObject } from '@sinclair/typebox'

/** A plain JSON object without a prototype. */
export type ConfigDocument = { [key: string]: unknown }

export interface ConfigSection {
  readonly path: string
  readonly schema: TObject
  /** The defaults are known to be valid, so the schema need not be compiled while nothing is stored. */
  readonly hasCheckedDefaults?: boolean
}

export interface ConfigContribution {
  /** Plugin id, or `core`. */
  readonly owner: string
  /** Dotted paths of the owner's sections, for example `security`, `plugins.hello`. */
  readonly sections: readonly ConfigSection[]
  /** Fields that the owner adds to core sections, see additions.ts. */
  readonly additions?: readonly ConfigSection[]
  /**
   * Receives the section with defaults, or an object by path for several sections. Unchanged defaults are not stored.
   */
  readonly normalize?: (section: unknown) => unknown
  /** Loads the owner's code, which provides `normalize` and `migrate`. */
  readonly load?: () => Promise<void>
  /** As `normalize`, on an upgrade of the configuration. */
  readonly migrate?: (section: unknown, from: { readonly version: string }) => unknown
}

export interface ConfigChange {
  readonly revision: string
  /** Dotted paths whose stored value changed, array positions as `[n]`. */
  readonly paths: readonly string[]
}

interface ChangeOptions {
  /** Fails with PLH_CONFLICT (`config_conflict`) if the revision differs. */
  readonly ifRevision?: string | undefined
  /** The mutator may be asynchronous and take this long, in milliseconds; other changes wait for it. */
  readonly waitMs?: number
}

export interface ConfigService {
  /**
   * The effective document: stored values over the defaults of all active sections, secrets in clear. Immutable; do not
   * keep it longer than one operation. Throws `ConfigUnavailableError` if nothing could be loaded.
   */
  current(): Readonly<ConfigDocument>
  /** The effective value at a dotted path. */
  at(path: string): unknown
  /** Changes with every save. */
  revision(): string
  /**
   * Applies a change to the latest document inside the single writer and resolves once it is on disk. The mutator is
   * synchronous (see `waitMs`) and receives a draft of the stored document (no defaults, secrets in clear); throwing cancels the
   * change. A value that breaks its section's schema fails with PLH_CONFIG_INVALID (`details.problems`).
   */
  change(by: string, mutate: (draft: ConfigDocument) => void, options?: ChangeOptions): Promise<ConfigChange>
  /** The effective document with every secret masked. */
  masked(): ConfigDocument
  /** True for paths that are secret by name or by an active section's schema. */
  isSecret(path: readonly (string | number)[]): boolean
  /** All stored secret values, for redaction; empty while nothing is loaded. Never throws. */
  secretValues(): ReadonlySet<string>
  /** Sets the plugins' contributions; called when a composition is published. */
  setContributions(contributions: readonly ConfigContribution[]): void
  /** Resolves a section against a schema, as a plugin would receive it, without storing anything. */
  resolve(
    path: string,
    schema: TObject,
    options?: Pick<ConfigSection, 'hasCheckedDefaults'>,
  ): {
    readonly value: unknown
    readonly problems: readonly { readonly path: string; readonly message: string }[]
    /** False if the value breaks the schema and cannot be repaired with defaults. */
    readonly valid: boolean
  }
  /** Runs after each save, with the changed paths. */
  onSaved(listener: (change: ConfigChange) => void): () => void
}

export type UnavailableReason = 'unreadable' | 'key_missing' | 'key_wrong' | 'not_loaded'

/** Thrown by every reader of an unavailable configuration; the HTTP response is 503 without the cause. */
export class ConfigUnavailableError extends PlayheadError {
  readonly reason: UnavailableReason

  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super('PLH_NOT_READY', message, { wire: 'Service unavailable', cause })
    this.name = 'ConfigUnavailableError'
    this.reason = reason
  }
}
