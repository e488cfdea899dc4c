// Matches current playback with positions of the same account.
import { type CurrentStream, defined } from '@playhead/sdk'
import { type Item, readIds, slugOf, tokensOf } from '@playhead/sdk/items'
import { keyText, type Profile } from '../profiles.ts'
import { type Entry, titleOf } from '../read/entry.ts'

const MAX_AGE_S = 600
const OF_SHOW = '_show'
const STATES: ReadonlySet<string> = new Set(['playing', 'paused', 'buffering'])

export type LiveOf = (profile: Profile, entry: Entry) => CurrentStream | undefined

interface Playing {
  readonly stream: CurrentStream
  readonly tokens: ReadonlySet<string>
  readonly name: string
}

/** @param nowMs current time; outdated streams are ignored */
export function liveOf(streams: readonly CurrentStream[], nowMs: number): LiveOf {
  const byProfile = new Map<string, Playing[]>()
  for (const stream of streams) {
    const { provider, provider_instance: instance, updated, state } = stream
    if (!STATES.has(state) || nowMs / 1_000 - updated > MAX_AGE_S) continue
    const item = itemOf(stream)
    const playing = { stream, tokens: new Set(tokensOf(item)), name: nameOf(item) }
    const key = keyText(`${provider}:${instance}`)
    const others = byProfile.get(key)
    if (others === undefined) byProfile.set(key, [playing])
    else others.push(playing)
  }
  return ({ key }, entry) => {
    const here = byProfile.get(keyText(key))
    if (here === undefined) return undefined
    const name = nameOf(entry.item)
    return here.find(
      ({ tokens, name: other }) => entry.tokens.some((token) => tokens.has(token)) || (name !== '' && name === other),
    )?.stream
  }
}

function itemOf({ media_type: type, title, season, episode, ids }: CurrentStream): Item {
  const isOfShow = ([name]: [string, string]) => name.endsWith(OF_SHOW)
  const all = Object.entries((ids as typeof ids | undefined) ?? {})
  const own = readIds(Object.fromEntries(all.filter((one) => !isOfShow(one))))
  const show = readIds(
    Object.fromEntries(all.filter(isOfShow).map(([name, id]) => [name.slice(0, -OF_SHOW.length), id])),
  )
  if (type === 'movie') return { type, title, ids: own }
  return {
    type: 'episode',
    series_title: title,
    ids: own,
    show_ids: show,
    ...defined({ season: season ?? undefined, episode: episode ?? undefined }),
  }
}

/** Title and numbers; `''` if they do not identify a single title. */
function nameOf(item: Item): string {
  const slug = slugOf(titleOf(item) ?? '')
  if (slug === '') return ''
  if (item.type === 'movie') return `movie ${slug}`
  return item.season === undefined || item.episode === undefined ? '' : `${slug} ${item.season} ${item.episode}`
}
