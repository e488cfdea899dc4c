// The tracker store as a capability for other plugins. Reading creates no workspace and restores nothing.
import { PlayheadError, type Item, type ProviderKit, type TrackerStore } from '@playhead/sdk'
import type { Exchange } from './exchange.ts'
import { chunked, versionsAt } from './rows.ts'
import { isTracked, TRACKED, type Profile, type Tracked } from './settings.ts'
import { changeOf, knownSpaceOf, stateOf } from './spaces.ts'
import type { Store } from './store.ts'
import { rowOf, shownItem } from './stored-item.ts'
import type { Db, StoredRow, StoredState } from './tables.ts'
import { checkRetained, readVersions } from './versions.ts'

const PAGE = 250
const LATEST = 'latest'

type Kit = Pick<ProviderKit<Profile, unknown>, 'account' | 'profile'>

export function createTrackerStore(
  db: Db,
  store: Store,
  exchange: Exchange,
  kit: Kit,
  profiles: () => readonly string[],
): TrackerStore {
  async function known(
    instance: string,
    feature: string,
    revision?: string,
  ): Promise<(StoredState & { readonly feature: Tracked }) | undefined> {
    const space = isTracked(feature) ? await knownSpaceOf(db, instance) : undefined
    const state = space === undefined ? undefined : await stateOf(db, space, feature as Tracked)
    if (state === undefined) return undefined
    const change = changeOf(revision, state.space) ?? state.change_no
    return { ...state, change_no: change } as StoredState & { readonly feature: Tracked }
  }

  async function* rows(
    instance: string,
    feature: string,
    revision?: string,
  ): AsyncGenerator<readonly { readonly key: string; readonly item: Item }[]> {
    const state = await known(instance, feature, revision)
    if (state === undefined) return
    for (let after = 0; ; ) {
      const page = (await versionsAt(db, state.space, state.feature, state.change_no)
        .selectAll('r')
        .where('r.id', '>', after)
        .orderBy('r.id')
        .limit(PAGE)
        .execute()) as unknown as readonly StoredRow[]
      if (page.length > 0) yield page.map((row) => toShown(state.feature, row))
      const last = page.at(-1)
      if (page.length < PAGE || last === undefined) break
      after = last.id
    }
    await checkRetained(db, state)
  }

  return {
    async snapshots(instance, feature) {
      return isTracked(feature) ? store.snapshots(instance, feature) : []
    },
    async restore(instance, feature, name) {
      await store.restore(instance, kit.profile(instance), trackedOf(feature), name)
    },
    async selected(instance, feature) {
      return kit.profile(instance)[`restore_${trackedOf(feature)}`]
    },
    async select(instance, feature, name) {
      const tracked = trackedOf(feature)
      if (name !== LATEST && !(await store.snapshots(instance, tracked)).some((snapshot) => snapshot.name === name)) {
        throw new PlayheadError('PLH_NOT_FOUND', `There is no such snapshot of ${feature}.`, {
          wire: 'snapshot_not_found',
        })
      }
      await kit.account(instance).save({ [`restore_${tracked}`]: name })
    },
    async revision(instance, feature) {
      const state = await known(instance, feature)
      return state === undefined ? '' : `${state.space}:${state.change_no}`
    },
    rows,
    async *versions(instance, feature, revision) {
      const state = await known(instance, feature, revision)
      if (state !== undefined) yield* readVersions(db, state)
    },
    async items(instance, feature, keys) {
      const state = await known(instance, feature)
      if (state === undefined) return []
      const found: { readonly key: string; readonly item: Item }[] = []
      for (const part of chunked(keys)) {
        const page = (await versionsAt(db, state.space, state.feature, state.change_no)
          .selectAll('r')
          .where('r.row_key', 'in', part)
          .execute()) as unknown as readonly StoredRow[]
        found.push(...page.map((row) => toShown(state.feature, row)))
      }
      return found
    },
    profiles: async () => profiles(),
    clear: async (instance, what) => exchange.clear(instance, kit.profile(instance), what),
    beginImport: async (instance, features, snapshots) =>
      exchange.begin(instance, kit.profile(instance), features, snapshots),
    addToImport: exchange.add,
    endImport: exchange.end,
    dropImport: exchange.drop,
    stats: (instance) => store.stats(instance),
  }
}

function toShown(feature: Tracked, row: StoredRow): { readonly key: string; readonly item: Item } {
  const read = rowOf(row)
  return { key: read.key, item: shownItem(feature, read) }
}

function trackedOf(feature: string): Tracked {
  if (isTracked(feature)) return feature
  throw new PlayheadError('PLH_UNSUPPORTED', `The tracker keeps ${TRACKED.join(', ')}.`, {
    wire: 'unsupported_feature',
  })
}
