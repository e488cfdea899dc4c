// Reads the current state of given items, hundreds per request.
import { type Query, withQuery } from '../dialect.ts'
import type { Session } from '../session.ts'
import { Page, type Row } from '../wire.ts'

// Some servers and proxies limit a request line to 8 KiB; a comma is three characters in it.
const MAX_CHARS = 6_800
const MAX_IDS = 400

/** User data by server id. Invisible and deleted items are missing. `userId` selects another user, for administrators. */
export function readStates(
  session: Session,
  ids: readonly string[],
  signal?: AbortSignal,
  userId?: string,
): Promise<Map<string, Row>> {
  return readItems(session, ids, { enableUserData: true }, signal, userId)
}

/** As the function above, with these fields and without user data. Default: external ids. */
export function readFacts(
  session: Session,
  ids: readonly string[],
  signal?: AbortSignal,
  fields = session.dialect.fields,
): Promise<Map<string, Row>> {
  return readItems(session, ids, { fields, enableUserData: false }, signal)
}

async function readItems(
  session: Session,
  ids: readonly string[],
  what: Query,
  signal: AbortSignal | undefined,
  otherUserId?: string,
): Promise<Map<string, Row>> {
  const { dialect, upstream } = session
  const userId = otherUserId ?? (await session.identity()).userId
  const found = new Map<string, Row>()
  const readChunk = async (some: readonly string[]) => {
    const query = { ids: some.join(','), limit: some.length, enableImages: false, ...what }
    const ask = withQuery(dialect, dialect.items(userId), query)
    const { Items } = await upstream.json({ ...ask, signal }, Page)
    for (const row of Items) found.set(row.Id, row)
  }
  await Promise.all(inChunks([...new Set(ids)]).map(readChunk))
  return found
}

export function inChunks(ids: readonly string[]): string[][] {
  const chunks: string[][] = []
  let chars = MAX_CHARS
  for (const id of ids) {
    const size = id.length + 3
    if (chars + size > MAX_CHARS || chunks.at(-1)!.length === MAX_IDS) {
      chunks.push([])
      chars = 0
    }
    chunks.at(-1)!.push(id)
    chars += size
  }
  return chunks
}
