// Writes to a playlist, entry by entry and in order. Adding is never retried, because it would add a second entry.
import {
  type ItemOutcome,
  type ListWriteItem,
  type ListWriteRequest,
  type WriteItem,
  writeInTurn,
  type WriteResult,
} from '@playhead/sdk/provider'
import { pathOf } from '../read/playlist.ts'
import type { Server, Session } from '../session.ts'
import { asPerson, byKey, findAll, inOrder, LIBRARY, type Target } from '../library/targets.ts'
import { Page } from '../wire.ts'

export function writePlaylist(session: Session, request: ListWriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return asPerson(
    session,
    request,
    async () => {
      const server = await session.server(signal)
      if (request.op === 'add') return add(session, server, request, signal)
      const options = { log: session.account.log, atOnce: 1 }
      const change = request.op === 'remove' ? remove : move
      return writeInTurn(request.items, (item) => change(server, request.list, item, signal), options)
    },
    signal,
  )
}

/** URI of a library item in a playlist. */
export function uriOf({ binding }: Server, key: string): string {
  return `server://${binding.machineId}/${LIBRARY}/library/metadata/${key}`
}

async function add(
  session: Session,
  server: Server,
  request: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { found, refused } = await findAll(server, request.items, signal)
  const targets = new Map(found.map((target) => [target.write.key, target]))
  const result = await writeInTurn(
    found.map(({ write }) => write),
    async ({ key }): Promise<ItemOutcome> => {
      const { copies } = targets.get(key) as Target
      const [{ rating_key: ratingKey }] = copies as readonly [(typeof copies)[number]]
      const answer = await server.http.request({
        method: 'PUT',
        path: `${pathOf(request.list)}/items`,
        query: { uri: uriOf(server, ratingKey) },
        signal,
      })
      const { leafCountAdded: added = 0 } = (await answer.json(Page)).MediaContainer
      return added > 0
        ? { outcome: 'applied', native: { item_id: ratingKey } }
        : { outcome: 'unknown', reason: 'count_mismatch' }
    },
    { log: session.account.log, atOnce: 1 },
  )
  return inOrder(request, new Map([...refused, ...byKey(result)]), result)
}

type List = ListWriteRequest['list']

async function remove({ http }: Server, list: List, item: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const answer = await http.request({
    method: 'DELETE',
    path: entryPath(list, item),
    accept: [404],
    idempotent: true,
    signal,
  })
  await answer.text()
  return { outcome: answer.status === 404 ? 'already' : 'applied' }
}

async function move({ http }: Server, list: List, item: ListWriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const { after } = item
  const query = after === null || after === undefined ? {} : { after }
  const answer = await http.request({
    method: 'PUT',
    path: `${entryPath(list, item)}/move`,
    query,
    accept: [404],
    idempotent: true,
    signal,
  })
  await answer.text()
  return answer.status === 404 ? { outcome: 'not_found', reason: 'entry_unknown' } : { outcome: 'applied' }
}

function entryPath(list: List, { item }: WriteItem): string {
  return `${pathOf(list)}/items/${encodeURIComponent(item.native?.list_item_id ?? '')}`
}
