// What the user did with given items, right now: a few requests for hundreds of them.
import { withQuery } from './dialect.ts'
import type { Session } from './session.ts'
import { Page, type Row } from './wire.ts'

// A request line of 8 KiB is all that some servers and proxies take; a comma is three characters in it.
const MAX_CHARS = 6_800
const MAX_IDS = 400

/** By the server's ids. An item that the user cannot see, or that is gone, is not in it. */
export async function readStates(session: Session, ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Row>> {
  const { dialect, upstream } = session
  const { userId } = await session.identity()
  const states = new Map<string, Row>()
  for (const some of inChunks([...new Set(ids)])) {
    const query = { ids: some.join(','), limit: some.length, enableImages: false, enableUserData: true }
    const ask = withQuery(dialect, dialect.items(userId), query)
    const { Items } = await upstream.json({ ...ask, ...(signal === undefined ? {} : { signal }) }, Page)
    for (const row of Items) states.set(row.Id, row)
  }
  return states
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
