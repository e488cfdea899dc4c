// A running plugin, and one that is not loaded before its first use.
import type { StagedPlugin } from './run/stage.ts'
import type { PluginManifest } from '@playhead/sdk'
import type { ConfigContribution } from '../config/contract.ts'
import type { PluginSnapshot } from './dormant/contract.ts'

/** An active plugin with its settings. */
export interface LivePlugin {
  readonly staged: StagedPlugin
  readonly contribution: ConfigContribution | null
  /** Hash of its code and its initial settings. */
  readonly version: string
  config: Readonly<Record<string, unknown>>
}

export interface DormantPlugin {
  readonly manifest: PluginManifest
  readonly snapshot: PluginSnapshot
  readonly contribution: ConfigContribution | null
  /** Loads it, or waits for the current load. Null: it could not be loaded. */
  readonly activate: () => Promise<LivePlugin | null>
}
