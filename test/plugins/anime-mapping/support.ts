// Shared by the tests of the anime mapping: the plugin in a host, with a stand-in for the data set hosts; and the index alone.
import { DatabaseSync } from 'node:sqlite'
import { type AnimeMapping, ANIME_MAPPING, type SqlValue, type ThreadDatabase } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/anime-mapping/index.ts'
import {
  createBuilder,
  IDENTITY_COLUMNS,
  type Counts,
} from '../../../plugins/services/anime-mapping/index-file/build.ts'
import { migrations } from '../../../plugins/services/anime-mapping/index-file/schema.ts'
import { readMembers } from '../../../plugins/services/anime-mapping/data/members.ts'
import { readTable } from '../../../plugins/services/anime-mapping/data/table.ts'
import { type Index, openIndex } from '../../../plugins/services/anime-mapping/lookup/edges.ts'
import { type DataSets, startAnimeData } from '../../upstreams/anime-data.ts'
import { tablesOf } from '../../../core/own-database/tables.ts'
import { SAMPLE } from './sample.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({
  data = SAMPLE,
  settings = {},
  isInstalled = false,
}: {
  readonly data?: DataSets | null
  readonly settings?: object
  readonly isInstalled?: boolean
} = {}) {
  const source = await startAnimeData(data ?? undefined)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/services/anime-mapping/plugin.json', import.meta.url),
    allow: [new URL(source.assets.url).host],
    config: { mappings_url: source.mappingsUrl, identities_url: source.identitiesUrl, ...settings },
  })
  const answerOf = async (request: Parameters<typeof host.inject>[0]) => {
    const { statusCode, body } = await host.inject(request)
    return { status: statusCode, text: body, body: JSON.parse(body) as any }
  }
  const post = (path: string, payload: object = {}) =>
    answerOf({ method: 'POST', url: `/api/anime-mapping/${path}`, payload })
  const bench = {
    source,
    host,
    mapping: host.capability<AnimeMapping>(ANIME_MAPPING),
    post,
    status: async () => (await answerOf('/api/anime-mapping/status')).body,
    /** Requests for data sets since the last call, by name. */
    requests(): string[] {
      const all = [
        ...source.front.requests.map(nameOf),
        ...source.assets.requests.map((one) => `assets ${nameOf(one)}`),
      ]
      return all.splice(0)
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await source.close()
    },
  }
  if (isInstalled) {
    await post('settings', { enabled: true })
    await host.runJob('update')
  }
  return bench
}

function nameOf({ path, status }: { readonly path: string; readonly status: number }): string {
  return `${path.split('/').at(-1)} ${status}`
}

/** An index in memory. Throws `InvalidData`. */
export async function buildIndex({
  mappings,
  identities,
}: Pick<DataSets, 'mappings' | 'identities'>): Promise<Index & { readonly counts: Counts; close(): void }> {
  const sqlite = new DatabaseSync(':memory:')
  const tables = tablesOf(sqlite)
  for (const migration of migrations) await migration.up(tables)
  const database = onThread(sqlite)
  const builder = createBuilder()
  const members = readMembers(builder.addSource)
  members.push(Buffer.from(typeof mappings === 'string' ? mappings : JSON.stringify(mappings)))
  members.end()
  if (identities !== undefined) {
    const table = readTable(IDENTITY_COLUMNS, builder.addIdentity)
    table.push(Buffer.from(identities))
    table.end()
  }
  const counts = builder.store(database, 'test')
  return { ...openIndex(database), counts, close: () => sqlite.close() }
}

function onThread(sqlite: DatabaseSync): ThreadDatabase {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const prepare = (text: string) => statements.getOrInsertComputed(text, () => sqlite.prepare(text))
  return {
    run: (text, ...values) => Number(prepare(text).run(...(values as string[])).changes),
    all(text, ...values) {
      const statement = prepare(text)
      statement.setReturnArrays(true)
      return statement.all(...(values as string[])) as unknown as SqlValue[][]
    },
  }
}
