// Recent plays and synced titles as rows of posters.
import { Group, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState, type ReactElement } from 'react'
import type { Answer } from '../../api/client.ts'
import { pictureOf, pictureOfKey, titleAddress } from '../../parts/titles/pictures.ts'
import {
  accountNames,
  type Item,
  keyOf,
  nameOf,
  picturedOf,
  positionsOf,
  remainingText,
  subtitleOf,
  titleOf,
} from '../../parts/titles/positions.ts'
import { Shelf, type ShelfItem } from '../../parts/titles/shelf.tsx'
import { episodeCode } from '../../parts/values/episode.ts'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { continueWatching } from '../../texts/en/continue.ts'
import { home } from '../../texts/en/home.ts'
import { say } from '../../texts/say.ts'
import { NowCard } from './now-card.tsx'

type Query<Key extends 'GET /api/playback_progress/items' | 'GET /api/history' | 'GET /api/events/search'> =
  UseQueryResult<Answer<Key>, Error>

const { shelves: texts } = home
const SHOWN = 16
const DATE_LENGTH = 10

interface ContinueProps {
  readonly query: Query<'GET /api/playback_progress/items'>
  /** Nothing plays, so the title that was stopped last is the hero of the page. */
  readonly withHero: boolean
}

export function ContinueShelf({ query, withHero }: ContinueProps) {
  // A hero that comes later would push the rest down.
  const [isInTime] = useState(!query.isPending)
  const [next] = query.data?.items ?? []
  const hero = withHero && isInTime ? next : undefined
  const items = query.data?.items
    .filter((item) => item !== hero)
    .map((item): ShelfItem => {
      const left = item.remaining_seconds
      const part = item.media_type === 'movie' ? '' : subtitleOf(item)
      return {
        key: keyOf(item),
        title: titleOf(item),
        href: '/continue',
        picture: pictureOf(picturedOf(item), 342),
        progress: item.progress_percent,
        line: [part.split(' · ')[0] ?? '', left === null ? '' : remainingText(left)]
          .filter((one) => one !== '')
          .join(' · '),
      }
    })
  return (
    <Kept isPending={query.isPending} hasNothing={query.isError || (hero === undefined && items?.length === 0)}>
      <Shelf
        title={texts.continue}
        more={{ text: texts.all, href: '/continue' }}
        lead={hero === undefined ? null : <Next item={hero} />}
        items={query.isError ? [] : items?.slice(0, SHOWN)}
        empty={hero === undefined ? texts.nothing : null}
      />
    </Kept>
  )
}

function Next({ item }: { readonly item: Item }) {
  const { progress_percent: percent, remaining_seconds: left, updated_at: at } = item
  const leftText = left === null ? '' : remainingText(left)
  return (
    <NowCard
      label={nameOf(item)}
      title={titleOf(item)}
      href="/continue"
      pictured={picturedOf(item)}
      isHero
      progress={percent === null ? null : { percent: Math.floor(percent), text: leftText }}
      state={
        <Text size="sm" c="dimmed" component="div">
          {leftText}
          {leftText === '' || at === null ? '' : ' · '}
          {at === null ? null : (
            <>
              {continueWatching.card.stopped} <TimeText at={at} />
            </>
          )}
        </Text>
      }
    >
      <Text size="sm">{subtitleOf(item)}</Text>
      <Group gap="2xs">
        {positionsOf(item).map((one) => (
          <ServiceMark key={keyOf(one)} provider={one.provider} size={16} />
        ))}
        <Text size="sm" c="dimmed">
          {accountNames(positionsOf(item))}
        </Text>
      </Group>
    </NowCard>
  )
}

export function WatchedShelf({ query }: { readonly query: Query<'GET /api/history'> }) {
  const seen = new Set<string>()
  const items = query.data?.items
    .filter(({ key }) => seen.size !== seen.add(key).size)
    .map((play): ShelfItem => {
      const code = episodeCode(play.season, play.episode)
      return {
        key: play.key,
        title: play.title || texts.untitled,
        href: titleAddress(play.key),
        picture: pictureOf({ kind: play.type, ids: play.ids }, 342),
        badge: <Marks providers={play.services.map(({ provider }) => provider)} />,
        line: (
          <>
            {code === '' ? null : `${code} · `}
            <TimeText at={play.watched_at.length > DATE_LENGTH ? play.watched_at : `${play.watched_at}T12:00:00`} />
          </>
        ),
      }
    })
  return (
    <Kept isPending={query.isPending} hasNothing={query.isError || items?.length === 0}>
      <Shelf
        title={texts.watched}
        more={{ text: texts.history, href: '/history' }}
        items={query.isError ? [] : items?.slice(0, SHOWN)}
        empty={texts.nothing}
      />
    </Kept>
  )
}

/** An empty shelf is hidden, unless its space was reserved while it loaded, so that nothing moves. */
function Kept({
  isPending,
  hasNothing,
  children,
}: {
  readonly isPending: boolean
  readonly hasNothing: boolean
  readonly children: ReactElement
}) {
  const [wasPending] = useState(isPending)
  if (hasNothing && !wasPending) return null
  return hasNothing ? <div className="shelf-kept">{children}</div> : children
}

export function SyncedShelf({ query }: { readonly query: Query<'GET /api/events/search'> }) {
  const { account } = useNames()
  const items = query.data === undefined ? undefined : syncedItems(query.data, account)
  if (query.isError || items?.length === 0) return null
  return <Shelf title={texts.synced} more={{ text: texts.runs, href: '/runs' }} items={items?.slice(0, SHOWN)} />
}

export function syncedItems(
  { items }: Answer<'GET /api/events/search'>,
  account: (provider: string, instance?: string) => string,
): readonly ShelfItem[] {
  const seen = new Set<string>()
  return items.flatMap((group): readonly ShelfItem[] => {
    const { item_key: key, title, destination_provider: provider, destination_instance: instance } = group
    const work = key?.split('#')[0] ?? ''
    if (!key || !title || seen.has(work)) return []
    seen.add(work)
    const words = texts.operations[group.operation as keyof typeof texts.operations] as string | undefined
    const to = provider ? account(provider, instance || 'default') : ''
    return [
      {
        key,
        title,
        href: titleAddress(key),
        picture: pictureOfKey(key, 342),
        badge: provider ? <Marks providers={[provider]} /> : undefined,
        line: words === undefined || to === '' ? to : say(words as '{service}', { service: to }),
      },
    ]
  })
}

function Marks({ providers }: { readonly providers: readonly string[] }) {
  return (
    <span className="marks">
      {[...new Set(providers)].slice(0, 3).map((provider) => (
        <ServiceMark key={provider} provider={provider} size={22} />
      ))}
    </span>
  )
}
