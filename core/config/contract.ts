// What the rest of the core may ask of the configuration.
import type { TObject } from '@sinclair/typebox'

/** A plain JSON object without a prototype. */
export type ConfigDocument = { [key: string]: unknown }

export interface ConfigSection {
  readonly path: string
  readonly schema: TObject
  /** The defaults were checked before: while nothing is stored, nothing has to be compiled for it. */
  readonly hasCheckedDefaults?: boolean
}

export interface ConfigContribution {
  /** Plugin id, or `core`. */
  readonly owner: string
  /** Dotted path of each section the owner describes, for example `security`, `plugins.hello`. */
  readonly sections: readonly ConfigSection[]
  /** Fields that the owner adds to sections of the core, see additions.ts. */
  readonly additions?: readonly ConfigSection[]
  /**
   * Gets the section with its defaults, or with several sections an object of them by path. What stays as it was is not
   * stored.
   */
  readonly normalize?: (section: unknown) => unknown
  /** Brings `normalize` and `migrate`, which come with the owner's code. Before it is called they are missing. */
  readonly load?: () => Promise<void>
  /** As `normalize`, when the configuration is brought to a new version. */
  readonly migrate?: (section: unknown, from: { readonly version: string }) => unknown
}

export interface ConfigChange {
  readonly revision: string
  /** Dotted paths whose stored value changed, array positions as `[n]`. */
  readonly paths: readonly string[]
}

export interface ChangeOptions {
  /** Fails with PLH_CONFLICT (`config_conflict`) unless the document is still of this revision. */
  readonly ifRevision?: string | undefined
}

export interface ConfigService {
  /**
   * The effective document: defaults of all live sections under the stored values, secrets in clear. Never changes in
   * place; keep it no longer than one operation. Throws `ConfigUnavailableError` when nothing could be loaded.
   */
  current(): Readonly<ConfigDocument>
  /** The effective value at a dotted path. */
  at(path: string): unknown
  /** Changes with every save. */
  revision(): string
  /**
   * Applies a change to the latest document inside the single writer and resolves once it is on disk. The mutator is
   * synchronous and gets a draft of the stored document (no defaults, secrets in clear); throwing abandons the change.
   * A change that brings a value its section's schema does not allow fails with PLH_CONFIG_INVALID
   * (`details.problems`).
   */
  change(by: string, mutate: (draft: ConfigDocument) => void, options?: ChangeOptions): Promise<ConfigChange>
  /** The effective document with every secret masked. */
  masked(): ConfigDocument
  /** True for paths that are secret by name or by a live section's schema. */
  isSecret(path: readonly (string | number)[]): boolean
  /** Every secret value that is stored now, for redaction; none while nothing is loaded. Never throws. */
  secretValues(): ReadonlySet<string>
  /** Replaces what plugins contribute; called when a composition is published. */
  setContributions(contributions: readonly ConfigContribution[]): void
  /** Checks and completes one section against a schema without changing anything: the value a plugin would get. */
  resolve(
    path: string,
    schema: TObject,
  ): {
    readonly value: unknown
    readonly problems: readonly { readonly path: string; readonly message: string }[]
    /** False when the value still breaks the schema, because a field without a default is missing or wrong. */
    readonly valid: boolean
  }
  /** Runs after each save, with the changed paths. */
  onSaved(listener: (change: ConfigChange) => void): () => void
}
