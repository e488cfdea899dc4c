// Reads one list. There is no modification time, so a list of several pages is read twice.
import type { ItemKind } from '@playhead/sdk'
import { isWanted, type ListItem, type ListReadPart, type Page, pagedRead } from '@playhead/sdk/provider'
import { type FoundIds, itemOf, type ReadItem } from '../items.ts'
import type { Session } from '../session.ts'
import { ListDetails, type Row } from '../wire.ts'

const MEDIA: Readonly<Record<string, ItemKind>> = { movie: 'movie', tv: 'show' }

export async function* readEntries(
  session: Session,
  id: string,
  kinds: readonly ItemKind[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<ListReadPart> {
  const account = await session.accountId()
  const found = await session.memory.foundIds()
  const first = createPass(session, id, { account, found, kinds, signal })
  for await (const part of first.parts) {
    if (part.type === 'rows' || !part.end.complete) {
      yield part
      continue
    }
    const reason = await flawOf(session, id, first, () => createPass(session, id, { account, found, kinds, signal }))
    yield reason === undefined ? part : { type: 'end', end: { ...part.end, complete: false, reason } }
  }
}

interface PassOptions {
  readonly account: string
  readonly found: FoundIds
  readonly kinds: readonly ItemKind[] | undefined
  readonly signal: AbortSignal
}

interface Pass {
  readonly parts: AsyncIterable<ListReadPart>
  /** Rows as `movie/900001`, in order. */
  readonly rows: string[]
  pages: number
}

function createPass({ api }: Session, id: string, { account, found, kinds, signal }: PassOptions): Pass {
  const pass: { rows: string[]; pages: number } = { rows: [], pages: 0 }
  const parts = pagedRead<ListItem>({
    account,
    signal,
    async fetchPage({ index, signal }): Promise<Page<ListItem>> {
      const ask = { path: `/list/${encodeURIComponent(id)}`, query: { page: index + 1 }, signal }
      const { items, item_count: total } = await api.json(ask, ListDetails)
      pass.pages += 1
      pass.rows.push(...items.map(nameOf))
      const read = items.map((row) => entryOf(row, found))
      return {
        rows: read.flatMap((one) =>
          'item' in one && isWanted(one.item, kinds === undefined ? {} : { kinds }) ? [one.item] : [],
        ),
        unreadable: read.flatMap((one) => ('unreadable' in one ? [one.unreadable] : [])),
        count: items.length,
        total,
        ...(items.length > 0 && pass.rows.length < total ? { next: String(index + 2) } : {}),
      }
    },
  })
  return Object.assign(pass, { parts })
}

async function flawOf(
  { memory }: Session,
  id: string,
  { rows, pages }: Pass,
  again: () => Pass,
): Promise<string | undefined> {
  const names = new Set(rows)
  if (names.size !== rows.length) return 'repeated_page'
  const recent = await memory.recent(`list/${id}`)
  for (const [row, wanted] of recent) if (names.has(row) !== wanted) return 'not_settled'
  if (pages <= 1) return undefined
  const second = again()
  for await (const part of second.parts)
    if (part.type === 'end' && !part.end.complete) return part.end.reason ?? 'changed_while_reading'
  return second.rows.join() === rows.join() ? undefined : 'changed_while_reading'
}

function entryOf(row: Row, found: FoundIds): ReadItem {
  const kind = kindOfRow(row)
  return kind === undefined ? { unreadable: { reason: 'unknown_type' } } : itemOf(kind, row, found)
}

/** Rows of older lists only differ by their members. */
function kindOfRow({ media_type: media, title, name }: Row): ItemKind | undefined {
  if (typeof media === 'string') return MEDIA[media]
  return typeof title === 'string' ? 'movie' : typeof name === 'string' ? 'show' : undefined
}

function nameOf(row: Row): string {
  const kind = kindOfRow(row)
  return `${kind === 'show' ? 'tv' : (kind ?? String(row['media_type']))}/${String(row['id'])}`
}
