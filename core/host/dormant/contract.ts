// The record of a plugin's last run, so that the plugin is not loaded before its first use.
import type { HookKind, JobOptions, JobTiming } from '@playhead/sdk'
import type { ConfigSection } from '../../config/contract.ts'
import type { FileIdentity } from '../../storage/atomic-file.ts'

export interface CapabilitySnapshot {
  /** Non-function members. */
  readonly values: Readonly<Record<string, unknown>>
  /** Results of functions provided with `whileDormant`. */
  readonly answers: Readonly<Record<string, unknown>>
}

export interface PluginSnapshot {
  readonly format: number
  /** The core and the SDK that ran it. */
  readonly build: string
  readonly sourceHash: string
  /** Identities of its source files by path, so that a start need not read them. */
  readonly files: Readonly<Record<string, FileIdentity>>
  /** Version of the plugin's code, manifest and settings. */
  readonly version: string
  readonly sections: readonly ConfigSection[] | null
  readonly additions?: readonly ConfigSection[]
  /** Its code normalizes or migrates settings, so a settings change loads it first. */
  readonly shapesSettings: boolean
  readonly hookKinds: Readonly<Record<string, HookKind>>
  readonly taps: readonly { readonly hook: string; readonly name: string; readonly stage: number }[]
  readonly listeners: readonly string[]
  /** Without a timing: the last one set is in the scheduler's state. */
  readonly jobs: readonly {
    readonly name: string
    readonly timing?: JobTiming
    /** Without a timing: its code had set a time. */
    readonly isSet?: boolean
    readonly options: JobOptions
  }[]
  readonly capabilities: Readonly<Record<string, CapabilitySnapshot>>
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  readonly services: readonly string[]
  /** It has work to do after a start, to recover from an unclean end. */
  readonly worksAfterStart: boolean
}
