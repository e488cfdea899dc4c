// Collections of one library. Only the server owner can change them, for all users.
import { defined, PlayheadError } from '@playhead/sdk'
import {
  isWanted,
  type List,
  type ListFacts,
  type ListItem,
  type ListReadPart,
  type ListReadRequest,
  type ListWriteRequest,
  noteUnreadable,
  readEnd,
  type Unreadable,
  writeInTurn,
  type WriteResult,
} from '@playhead/sdk/provider'
import { isUnreadable, toItem, TYPE_NUMBERS } from '../items.ts'
import type { StoredItem } from '../library/table.ts'
import { readAllPages, readPages, SHORT_ROWS } from '../read/pages.ts'
import type { Section, Server, Session } from '../session.ts'
import { asPerson, byKey, findAll, inOrder, type ItemOutcome, type Target } from '../library/targets.ts'
import { type Metadata, Page } from '../wire.ts'
import { uriOf } from '../write/playlist.ts'

const PAGE_SIZE = 500
const SUBTYPES: Readonly<Record<string, readonly ('movie' | 'show')[]>> = { movie: ['movie'], show: ['show'] }

export async function allCollections(server: Server, signal: AbortSignal): Promise<readonly ListFacts[]> {
  const found: ListFacts[] = []
  for (const section of (await server.sections(signal)).filter(({ type }) => Object.hasOwn(SUBTYPES, type))) {
    const path = `/library/sections/${encodeURIComponent(section.key)}/collections`
    const rows = await readAllPages(server.http, { path, size: PAGE_SIZE, keyOf: ({ ratingKey }) => ratingKey }, signal)
    found.push(...rows.map((row) => factsOf(server, section, row)))
  }
  return found
}

function factsOf({ isOwner }: Server, { key, type }: Pick<Section, 'key' | 'type'>, row: Metadata): ListFacts {
  const { ratingKey = '', title = '', childCount, smart, subtype = type } = row
  const readOnly =
    smart === true || smart === 1
      ? 'dynamic'
      : !isOwner
        ? 'foreign'
        : Object.hasOwn(SUBTYPES, subtype)
          ? undefined
          : 'unsuitable'
  return {
    id: ratingKey,
    kind: 'collection',
    title,
    library: key,
    shared: true,
    kinds: SUBTYPES[subtype] ?? [],
    ...defined({ count: childCount, readOnly }),
  }
}

export async function createCollection(
  server: Server,
  title: string,
  first: StoredItem,
  signal: AbortSignal,
): Promise<ListFacts> {
  const query = {
    type: TYPE_NUMBERS[first.kind],
    title,
    smart: 0,
    sectionId: first.section,
    uri: uriOf(server, first.rating_key),
  }
  const made = await server.http.json({ method: 'POST', path: '/library/collections', query, signal }, Page)
  const row = made.MediaContainer.Metadata?.[0]
  if (row?.ratingKey !== undefined) return factsOf(server, { key: first.section, type: first.kind }, row)
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Plex did not return the id of the new collection.')
}

export async function* readCollection(
  session: Session,
  request: ListReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const server = await session.server(signal)
  const unreadable: Unreadable[] = []
  const seen: string[] = []
  const pages = readPages(server.http, entriesOf(request.list), signal)
  for (;;) {
    const page = await pages.next()
    if (page.done === true) {
      const isSure = page.value.total <= PAGE_SIZE || sameKeys(seen, await keysIn(server, request.list, signal))
      yield readEnd({
        account: server.account,
        reason: page.value.reason ?? (isSure ? undefined : 'changed_while_reading'),
        unreadable,
      })
      return
    }
    const rows: ListItem[] = []
    for (const row of page.value) {
      seen.push(row.ratingKey ?? '')
      const item = toItem(row, undefined)
      if (isUnreadable(item)) noteUnreadable(unreadable, item)
      else if (isWanted(item, request)) rows.push(item)
    }
    yield { type: 'rows', rows }
  }
}

/** Compares the collection before and after to determine outcomes. */
export function writeCollection(
  session: Session,
  request: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  return asPerson(
    session,
    request,
    async () => {
      const server = await session.server(signal)
      const { list, op } = request
      const isAdd = op === 'add'
      const before = await keysIn(server, list, signal)
      const { found, refused } = await findAll(server, request.items, signal)
      const targets = new Map(found.map((target) => [target.write.key, target]))
      const result = await writeInTurn(
        found.map(({ write }) => write),
        async ({ key }): Promise<ItemOutcome> => {
          const { copies } = targets.get(key) as Target
          const here = copies.filter(({ section }) => list.library === undefined || section === list.library)
          const present = here.filter(({ rating_key: ratingKey }) => before.has(ratingKey))
          const [first] = here
          if (isAdd && first === undefined) return { outcome: 'not_found', reason: 'not_in_library' }
          if (present.length > 0 !== !isAdd) return { outcome: 'already' }
          for (const { rating_key: ratingKey } of isAdd && first !== undefined ? [first] : present) {
            await (isAdd ? put(server, list, ratingKey, signal) : take(server, list, ratingKey, signal))
          }
          return { outcome: 'applied' }
        },
        { log: session.account.log, atOnce: 1 },
      )
      const outcomes = byKey(result)
      const open = found.filter(({ write }) => ['applied', 'unknown'].includes(outcomes.get(write.key)?.outcome ?? ''))
      const after = open.length === 0 ? before : await keysIn(server, list, signal).catch(lost)
      for (const { write, copies } of open) {
        const isThere = after !== undefined && copies.some(({ rating_key: ratingKey }) => after.has(ratingKey))
        if (after !== undefined && isThere === isAdd) outcomes.set(write.key, { outcome: 'applied' })
        else
          outcomes.set(write.key, {
            outcome: 'unknown',
            reason: after === undefined ? 'not_verified' : 'write_not_visible',
          })
      }
      return inOrder(request, new Map([...refused, ...outcomes]), result)

      function lost(error: unknown): undefined {
        session.account.log.warn({ err: error }, 'the writes to Plex could not be verified')
      }
    },
    signal,
  )
}

type Named = Pick<List, 'id'>

async function put(server: Server, list: Named, key: string, signal: AbortSignal): Promise<void> {
  const query = { uri: uriOf(server, key) }
  const answer = await server.http.request({
    method: 'PUT',
    path: `${pathOf(list)}/items`,
    query,
    idempotent: true,
    signal,
  })
  await answer.text()
}

async function take({ http }: Server, list: Named, key: string, signal: AbortSignal): Promise<void> {
  const path = `${pathOf(list)}/items/${encodeURIComponent(key)}`
  const answer = await http.request({ method: 'DELETE', path, accept: [404], idempotent: true, signal })
  await answer.text()
}

async function keysIn({ http }: Server, list: Named, signal: AbortSignal): Promise<ReadonlySet<string>> {
  return new Set((await readAllPages(http, entriesOf(list), signal)).flatMap(({ ratingKey }) => ratingKey ?? []))
}

function entriesOf(list: Named) {
  const query = { includeGuids: 1, ...SHORT_ROWS }
  return { path: `${pathOf(list)}/items`, query, size: PAGE_SIZE, keyOf: ({ ratingKey }: Metadata) => ratingKey }
}

function sameKeys(seen: readonly string[], now: ReadonlySet<string>): boolean {
  return seen.length === now.size && seen.every((key) => now.has(key))
}

function pathOf({ id }: Named): string {
  return `/library/collections/${encodeURIComponent(id)}`
}
