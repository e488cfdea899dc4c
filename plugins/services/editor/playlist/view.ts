// Streams a playlist to edit, because it may have many thousand entries.
import type { ListEntry } from '@playhead/sdk'
import { fromService } from '../failures.ts'
import type { Sources } from '../sources.ts'
import { endpointOf, entriesOf, findEndpoint, resourceOf, toSeconds } from './endpoints.ts'
import { entryIdOf } from './merge.ts'

const BATCH = 250

/** Reads the current list. Throws before the first chunk. */
export async function viewPlaylist(sources: Sources, id: string): Promise<AsyncIterable<string>> {
  const { endpoint, list: name } = await findEndpoint(sources, id)
  const read = await fromService(() => sources.lists.read(name))
  const entries = await entriesOf(sources, read)
  const head = {
    ok: true,
    kind: 'playlist',
    source: 'playlist',
    snapshot: null,
    provider: endpoint.provider,
    provider_instance: endpoint.instance,
    endpoint: endpointOf(endpoint, await sources.accounts.providers()),
    resource: resourceOf(endpoint, read.list),
    ts: toSeconds(read.readAtMs),
    checkpoint: read.revision,
    count: entries.length,
    total: entries.length,
    unreadable: read.unreadable.length,
  }
  return pieces(head, entries)
}

async function* pieces(head: object, entries: readonly ListEntry[]): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"items":{`
  for (let start = 0; start < entries.length; start += BATCH) {
    const rows = entries
      .slice(start, start + BATCH)
      .map((entry, place) => `${JSON.stringify(entry.key)}:${JSON.stringify(rowOf(entry, start + place + 1))}`)
    yield `${start === 0 ? '' : ','}${rows.join(',')}`
  }
  yield `},"original_keys":${JSON.stringify(entries.map(({ key }) => key))}`
  yield `,"original_ids":${JSON.stringify(entries.map(entryIdOf))}}`
}

function rowOf(entry: ListEntry, place: number) {
  const { native, ...item } = entry.item
  return {
    ...item,
    key: entry.key,
    _playlist_item_id: native?.list_item_id ?? null,
    _provider_media_id: native?.item_id ?? null,
    _position: item.position ?? place,
  }
}
