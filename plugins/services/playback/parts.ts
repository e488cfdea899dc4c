import {
  ACCOUNTS,
  ACTIONS,
  type CurrentStream,
  householdOf,
  LIBRARY,
  METADATA,
  type PairState,
  type Person,
  type PluginContext,
  providerCapability,
  SCROBBLE,
  SYNC,
} from '@playhead/sdk'
import { type Act, createActions } from './act/actions.ts'
import { listProfiles, type ProfileList } from './profiles.ts'
import { createReads, type Reads } from './read/reads.ts'
import type { PlaybackSettings } from './settings.ts'

export interface Parts {
  readonly reads: Reads
  readonly act: Act
  settings(): Readonly<PlaybackSettings>
  profiles(): Promise<ProfileList>
  /** Undefined while no service reports current playback. */
  streams(): Promise<readonly CurrentStream[]>
  /** Undefined without the sync engine. */
  pairs(): Promise<readonly PairState[]>
  hasArt(): Promise<boolean>
  /** None without the plugin. */
  persons(): Promise<readonly Person[]>
}

export function createParts(ctx: PluginContext<PlaybackSettings>): Parts {
  const { log, signal } = ctx
  const settings = () => ctx.config
  const profiles = () => listProfiles(ctx.use(ACCOUNTS), settings().disabled_profiles)
  const reads = createReads({
    provider: (id) => ctx.use(providerCapability(id)),
    library: () => ctx.tryUse(LIBRARY),
    log,
    signal,
  })
  const streams = () => orNone('what is playing', async () => (await ctx.tryUse(SCROBBLE)?.streams()) ?? [])

  // Optional data must not fail the list.
  async function orNone<Row>(what: string, read: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
    try {
      return await read()
    } catch (error) {
      log.debug({ err: error, what }, 'positions are shown without this')
      return []
    }
  }

  return {
    reads,
    persons: () => householdOf(ctx),
    act: createActions({
      profiles,
      reads,
      streams,
      timeoutMs: () => settings().provider_timeout_seconds * 1_000,
      writer: () => (ctx.tryUse(LIBRARY) === undefined ? undefined : ctx.tryUse(ACTIONS)),
      log,
    }),
    settings,
    profiles,
    streams,
    pairs: () => orNone('pairs', async () => (await ctx.tryUse(SYNC)?.pairs()) ?? []),
    async hasArt() {
      const ready = await orNone('pictures', async () => [(await ctx.tryUse(METADATA)?.ready()) ?? false])
      return ready[0] === true
    },
  }
}
