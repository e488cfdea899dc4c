// The dependencies that the parts of the plugin share.
import {
  type Accounts,
  ACCOUNTS,
  type Actions,
  ACTIONS,
  assertOnePerson,
  householdOf,
  type ListService,
  LISTS,
  type Logger,
  type PlaylistPolicy,
  PLAYLIST_POLICY,
  type PluginContext,
  type Remote,
  type SyncService,
  SYNC,
} from '@playhead/sdk'
import { joinedBy } from './config/mappings.ts'
import { type PlaylistsConfig, readStored } from './settings.ts'
import { createStore, type Store } from './store/store.ts'

export interface Parts {
  readonly ctx: PluginContext<PlaylistsConfig>
  readonly store: Store
  readonly log: Logger
  readonly accounts: Remote<Accounts>
  readonly lists: Remote<ListService>
  readonly actions: Pick<Remote<Actions>, 'apply' | 'outcomes'>
  readonly policy: Remote<PlaylistPolicy>
  /** Undefined while the sync plugin is off. */
  sync(): Remote<SyncService> | undefined
  config(): PlaylistsConfig
  /**
   * Runs in the single writer of the configuration; an exception cancels the change.
   *
   * @param acrossPersons a person confirmed that mappings join accounts of several persons
   * @throws `PLH_CONFLICT` (`crosses_persons`)
   */
  change<Value>(
    make: (config: PlaylistsConfig) => { readonly change: object; readonly value: Value },
    acrossPersons?: boolean,
  ): Promise<Value>
  /** Epoch milliseconds. */
  now(): number
}

/** @param changed called after each change of the configuration */
export function createParts(ctx: PluginContext<PlaylistsConfig>, changed: () => void): Parts {
  return {
    ctx,
    store: createStore(ctx),
    log: ctx.log.channel('PLAYLISTS'),
    accounts: ctx.use(ACCOUNTS),
    lists: ctx.use(LISTS),
    actions: ctx.use(ACTIONS),
    policy: ctx.use(PLAYLIST_POLICY),
    sync: () => ctx.tryUse(SYNC),
    config: () => ctx.config as PlaylistsConfig,
    async change(make, acrossPersons) {
      const made: { value?: ReturnType<typeof make>['value'] } = {}
      const persons = await householdOf(ctx)
      await ctx.updateConfig((stored) => {
        const before = readStored(stored)
        const { change, value } = make(before)
        assertOnePerson(persons, joinedBy({ ...before, ...change }), acrossPersons, joinedBy(before))
        made.value = value
        return change as Readonly<Record<string, unknown>>
      })
      changed()
      return made.value as ReturnType<typeof make>['value']
    },
    now: Date.now,
  }
}
