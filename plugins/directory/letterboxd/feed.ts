// The RSS feed of a member: https://letterboxd.com/<name>/rss/. It has up to fifty entries of the diary, the newest first, and
// some lists of the member. Letterboxd describes it at https://letterboxd.com/about/rss/; its API is only for partners.
import { isPlayheadError, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, readWhole, serviceOptions } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

const AT_ONCE = 1

/** Texts of an entry as in the feed; absent if it lacks them. */
export interface FeedEntry {
  /** `letterboxd-watch-558527692`, or `letterboxd-review-…` with a text. */
  readonly guid: string
  readonly filmTitle: string
  readonly filmYear?: string
  /** The day, `2024-03-20`. A review without an entry of the diary has none. */
  readonly watchedDate?: string
  /** 0.5 to 5. */
  readonly memberRating?: string
  readonly movieId?: string
  readonly tvId?: string
}

export interface Feed {
  /** The member's name in addresses, in lower case. */
  readonly member: string
  /** The name that is shown. */
  readonly name: string
  readonly entries: readonly FeedEntry[]
}

export function openFeed(account: AccountContext<Profile>): UpstreamAccount {
  return account.upstream({
    ...serviceOptions(account),
    baseUrl: account.profile.base_url,
    limits: { concurrency: AT_ONCE },
  })
}

/**
 * Errors beside those of the HTTP client: `PLH_NOT_FOUND` (wire `unknown_member`), `PLH_UPSTREAM_INVALID` for anything but a
 * whole feed of this member.
 */
export async function readFeed(upstream: UpstreamAccount, username: string, signal?: AbortSignal): Promise<Feed> {
  const request = { path: `${encodeURIComponent(username)}/rss/`, ...(signal === undefined ? {} : { signal }) }
  const text = await readWhole(upstream, request, (answer) => answer.text()).catch((error: unknown) => {
    if (!isPlayheadError(error, 'PLH_NOT_FOUND')) throw error
    throw new PlayheadError('PLH_NOT_FOUND', `Letterboxd has no public member "${username}".`, {
      wire: 'unknown_member',
      details: { status: 404 },
    })
  })
  const feed = parseFeed(text)
  if (feed?.member !== username)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Letterboxd did not answer with the feed of the member.')
  return feed
}

const FIELDS = {
  filmYear: 'letterboxd:filmYear',
  watchedDate: 'letterboxd:watchedDate',
  memberRating: 'letterboxd:memberRating',
  movieId: 'tmdb:movieId',
  tvId: 'tmdb:tvId',
} as const

/** Undefined unless it is a whole feed. */
export function parseFeed(text: string): Feed | undefined {
  // Texts of members, which may have any tags.
  const xml = text.replaceAll(/<!\[CDATA\[.*?\]\]>/gs, '')
  const [, channel] = /^\s*(?:<\?xml[^>]*\?>\s*)?<rss[\s>].*?<channel>(.*)<\/channel>\s*<\/rss>\s*$/s.exec(xml) ?? []
  if (channel === undefined || xml.includes('<![CDATA[')) return undefined
  const [head = '', ...items] = channel.split('<item>')
  const member = /\/([^/]+)\/?$/.exec(tag(head, 'link') ?? '')?.[1]?.toLowerCase()
  if (member === undefined || items.some((item) => !/<\/item>\s*$/.test(item))) return undefined
  const name = tag(head, 'title')?.replace(/^Letterboxd - /, '') ?? member
  return { member, name, entries: items.flatMap(entryOf) }
}

/** Lists have no film. */
function entryOf(item: string): readonly FeedEntry[] {
  const guid = tag(item, 'guid')
  const filmTitle = tag(item, 'letterboxd:filmTitle')
  if (guid === undefined || filmTitle === undefined) return []
  const fields = Object.entries(FIELDS).map(([field, name]) => [field, tag(item, name)])
  return [{ guid, filmTitle, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as FeedEntry]
}

/** The text of the first element with this name; undefined if there is none, or it is empty. */
function tag(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1]?.trim()
  return text === undefined || text === '' ? undefined : decoded(text)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}
