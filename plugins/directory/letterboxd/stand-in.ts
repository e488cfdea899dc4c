// A stand-in of letterboxd.com: the feeds of members. A feed has the newest fifty entries of the diary and some lists, and texts
// of members in CDATA; an unknown member is a web page with 404.
import type { Reply } from '@playhead/sdk/testing'
import { type FaultyServer, startFaultyServer } from '@playhead/sdk/testing/conformance'

const NEWEST = 50

export interface DiaryEntry {
  readonly id: number
  readonly title: string
  readonly year?: number
  readonly movieId?: number
  readonly tvId?: number
  /** The day; a review may have none. */
  readonly watched?: string
  /** Steps of half a star, 1 to 10. */
  readonly halfStars?: number
  readonly rewatch?: boolean
  readonly review?: string
}

export interface Letterboxd extends FaultyServer {
  /** Diaries by member, the newest entry first. */
  readonly diaries: Map<string, DiaryEntry[]>
  log(member: string, entry: Omit<DiaryEntry, 'id'>): DiaryEntry
  feed(member: string): string
  /** The entries that a feed shows. */
  shown(member: string): readonly DiaryEntry[]
}

export async function startLetterboxd(members: readonly string[] = ['ann_films', 'bob']): Promise<Letterboxd> {
  const diaries = new Map<string, DiaryEntry[]>(members.map((member) => [member, []]))
  let ids = 500_000

  const server = await startFaultyServer((request): Reply => {
    const [, member = '', file] = request.path.split('/')
    if (file !== 'rss' || !diaries.has(member))
      return {
        status: 404,
        headers: { 'content-type': 'text/html' },
        body: '<!DOCTYPE html><html><body>Sorry, we can’t find the page you’ve requested.</body></html>',
      }
    return { headers: { 'content-type': 'application/rss+xml;charset=UTF-8' }, body: letterboxd.feed(member) }
  })

  function feedOf(member: string): string {
    const items = letterboxd.shown(member).map((entry) => itemOf(member, entry))
    return `<?xml version='1.0' encoding='utf-8'?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:letterboxd="https://letterboxd.com" xmlns:tmdb="https://themoviedb.org">
  <channel>
    <title>Letterboxd - ${member.toUpperCase()}</title>
    <link>https://letterboxd.com/${member}/</link>
    <description>Letterboxd - ${member}</description>
    <atom:link rel="self" href="https://letterboxd.com/${member}/rss/" type="application/rss+xml"/>
    ${items.join('\n    ')}
    <item>
      <title>Favourites</title>
      <link>https://letterboxd.com/${member}/list/favourites/</link>
      <guid isPermaLink="false">letterboxd-list-1703095</guid>
      <pubDate>Mon, 10 Jul 2017 20:43:26 +1200</pubDate>
      <description><![CDATA[ <ul> <li>A film</li> </ul> ]]></description>
      <dc:creator>${member}</dc:creator>
    </item>
  </channel>
</rss>
`
  }

  const letterboxd: Letterboxd = {
    ...server,
    diaries,
    log(member, entry) {
      const made = { id: ++ids, ...entry }
      diaries.get(member)!.unshift(made)
      return made
    },
    feed: feedOf,
    shown: (member) => diaries.get(member)!.slice(0, NEWEST),
  }
  return letterboxd
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#039;')

function itemOf(member: string, entry: DiaryEntry): string {
  const { id, title, year, movieId, tvId, watched, halfStars, rewatch = false, review } = entry
  const element = (name: string, value: unknown) => (value === undefined ? '' : `<${name}>${String(value)}</${name}>`)
  const rating = halfStars === undefined ? undefined : (halfStars / 2).toFixed(1)
  return `<item>
      <title>${escaped(title)}${year === undefined ? '' : `, ${year}`}</title>
      <link>https://letterboxd.com/${member}/film/${id}/</link>
      <guid isPermaLink="false">letterboxd-${review === undefined ? 'watch' : 'review'}-${id}</guid>
      <pubDate>Thu, 21 Mar 2024 04:10:09 +1300</pubDate>
      ${element('letterboxd:watchedDate', watched)}
      ${element('letterboxd:rewatch', rewatch ? 'Yes' : 'No')}
      ${element('letterboxd:filmTitle', escaped(title))}
      ${element('letterboxd:filmYear', year)}
      ${element('letterboxd:memberRating', rating)}
      ${element('tmdb:movieId', movieId)}
      ${element('tmdb:tvId', tvId)}
      <description><![CDATA[ <p>${review ?? 'Watched on a day.'}</p> ]]></description>
      <dc:creator>${member}</dc:creator>
    </item>`
}
