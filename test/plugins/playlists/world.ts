// The plugin with the real sync and the real policy; only the accounts are fake.
import {
  ACTIONS,
  featureCapability,
  LIBRARY,
  type LibraryService,
  LISTS,
  type ListService,
  PAIR_LISTS,
  PAIR_USAGE,
  type PairLists,
  SYNC,
  type SyncService,
} from '@playhead/sdk'
import { actionsOf } from '../actions/service.ts'
import { createTestHost } from '@playhead/sdk/testing'
import { createPlaylistPolicy } from '../../../plugins/features/playlists/policy.ts'
import plugin from '../../../plugins/services/playlists/index.ts'
import sync from '../../../plugins/services/sync/index.ts'
import { directoryOf, FakeAccount } from './account.ts'

const manifestOf = (id: string) => new URL(`../../../plugins/services/${id}/plugin.json`, import.meta.url)

export interface WorldOptions {
  readonly accounts?: readonly FakeAccount[]
  readonly settings?: Readonly<Record<string, unknown>>
  /** Without the sync plugin, and therefore without lists. */
  readonly alone?: boolean
}

export interface Answer {
  readonly status: number
  // JSON
  readonly body: any
}

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld({ accounts, settings = {}, alone = false }: WorldOptions = {}) {
  const all = accounts ?? ['ANN', 'BEN', 'CAT'].map((id) => new FakeAccount(id))
  const recorded: Record<string, unknown>[] = []
  const shared = {
    accounts: directoryOf(all),
    [featureCapability('playlists').token]: createPlaylistPolicy(),
    events: { record: async (events: readonly object[]) => void recorded.push(...(events as never[])) },
  }
  const lists: { own?: PairLists } = {}
  const engine = alone
    ? undefined
    : await createTestHost({
        plugin: sync,
        manifest: manifestOf('sync'),
        capabilities: {
          ...shared,
          ...Object.fromEntries(all.map((account) => [`provider:${account.id}`, account])),
          [PAIR_LISTS.token]: { run: (...args: Parameters<PairLists['run']>) => (lists.own as PairLists).run(...args) },
        },
      })
  const own = engine === undefined ? {} : capabilitiesOf(engine)
  const host = await createTestHost({
    plugin,
    manifest: manifestOf('playlists'),
    config: settings,
    capabilities: { ...shared, ...own },
    hooks: [PAIR_USAGE],
  })
  await engine?.tap(PAIR_USAGE, async (input) => (await host.callHook(PAIR_USAGE, input)).flat())
  lists.own = host.capability<PairLists>(PAIR_LISTS)

  async function call(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: unknown): Promise<Answer> {
    const answer = await host.inject({
      method,
      url: `/api/playlists/${path}`,
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  const must = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body
  }

  return {
    host,
    engine,
    recorded,
    accounts: all,
    account: (id: string) => all.find((one) => one.id === id) as FakeAccount,
    library: () => engine!.capability<LibraryService>(LIBRARY),
    sync: () => engine!.capability<SyncService>(SYNC),
    get: (path: string) => call('GET', path),
    post: (path: string, payload?: unknown) => call('POST', path, payload),
    delete: (path: string) => call('DELETE', path),
    /** The endpoint of an existing list. */
    async endpoint(account: FakeAccount, { list }: FakeAccount['lists_'][number], name = `${account.id} ${list.id}`) {
      const body = { name, provider: account.id, playlist_id: `${list.kind}:${list.id}` }
      return (await must(call('POST', 'endpoints', body))).endpoint.id as string
    },
    async mapping(fields: Readonly<Record<string, unknown>>) {
      return (await must(call('POST', 'mappings', { name: 'Films', ...fields }))).mapping.id as string
    },
    run: async (id: string, options: object = {}) => (await must(call('POST', `mappings/${id}/run`, options))).result,
    preview: async (id: string, options: object = {}) =>
      (await must(call('POST', `mappings/${id}/preview`, options))).preview,
    dryRun: async (id: string) => (await must(call('POST', `mappings/${id}/run?dry_run=true`))).result,
    async [Symbol.asyncDispose]() {
      await host.close()
      await engine?.close()
    },
  }
}

function capabilitiesOf(engine: Awaited<ReturnType<typeof createTestHost>>) {
  return {
    [LISTS.token]: plain<ListService>(engine, LISTS),
    [ACTIONS.token]: actionsOf(plain<LibraryService>(engine, LIBRARY)),
    [SYNC.token]: plain<SyncService>(engine, SYNC),
  }
}

function plain<Service extends object>(
  engine: Awaited<ReturnType<typeof createTestHost>>,
  reference: Parameters<typeof engine.capability>[0],
): Service {
  return engine.capability(reference) as unknown as Service
}
